package import ModelKitFields

extension ModelSchema {
    /// The value of a field for the record of its model; nil when it was never set and is nil.
    ///
    /// Models in it do not say that they are in this one, as their inverses are set again when the record is
    /// read: whether that was done is no difference between an object and its record.
    package func recordValue(
        of field: AnyField,
        _ entry: Entry,
        in owner: AnyObject
    ) -> AttributeValue? {
        var traversal = Traversal()
        if entry.holdsModels, !entry.isForeignKey,
            let relation = relations.all.first(where: { $0.entry === entry }),
            let owner = owner as? any Model
        {
            traversal.leavesOut = { model in
                (model as? any Model).flatMap { relation.way(from: $0, backTo: owner) }
            }
        }
        return field.attributeValue(in: &traversal)
    }
}
