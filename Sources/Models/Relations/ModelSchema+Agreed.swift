package import ModelKitFields

extension ModelSchema {
    /// The value of a field as far as an object and its record have to agree on it; nil when it was never set
    /// and is nil.
    ///
    /// Models inside of others do not say which ones those are, as their inverses are set when the record is
    /// read: whether that was done is no difference.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - entry: What it is in the schema.
    ///   - owner: The model that has it.
    /// - Returns: The value.
    package func agreedValue(
        of field: AnyField,
        _ entry: Entry,
        in owner: AnyObject
    ) -> AttributeValue? {
        var traversal = Traversal()
        if mayLeaveOut(entry), let owner = owner as? any Model {
            traversal.leavesOutInverses = true
            traversal.inverse = inverse(of: entry, in: owner)
        }
        return field.attributeValue(in: &traversal)
    }

    /// Whether an object and its record may have to agree on less than the value of a field.
    package func mayLeaveOut(_ entry: Entry) -> Bool {
        entry.holdsModels && !entry.isForeignKey && mayLink
    }

    /// Finds in models of a field what has nothing but the owner of that; nil where nothing does.
    func inverse(of entry: Entry, in owner: any Model) -> (@Sendable (AnyObject) -> AnyField?)? {
        guard entry.isRelation, !entry.isForeignKey,
            let relation = relations.all.first(where: { $0.entry === entry })
        else { return nil }
        return { ($0 as? any Model).flatMap { relation.way(from: $0, backTo: owner) } }
    }
}
