import ModelKitFields
import ModelKitModels

/// The values of a model at one moment, with what is needed to find later edits.
///
/// A class, as what makes, notes and sends a write has it.
final class Snapshot: Sendable {
    /// By the order of the fields; nil for one that was never set.
    let row: ContiguousArray<AttributeValue?>
    let identifier: Identifier?
    /// What the model and a store agree on once these values are stored, by the order of the fields.
    let agreements: Agreements
    /// The fields of a shell, or of an unloaded model, that are not loaded, by their order: what a store has
    /// in them the model does not know.
    let gaps: Set<Int>

    /// - Parameters:
    ///   - model: The model, not of any type, so that the compiler knows all of this.
    ///   - schema: The schema of its type.
    init(of model: AnyObject, _ schema: ModelSchema) {
        var row = ContiguousArray<AttributeValue?>()
        row.reserveCapacity(schema.fields.count)
        var traversal = Traversal()
        var gaps: Set<Int> = []
        let mayHaveGaps = schema.identifier?.loadState(in: model) == .incomplete
        agreements = Agreements(schema.fields) { index, entry in
            let field = entry.field(in: model)
            // The revision first: an edit between the two counts as made after the snapshot. The value
            // last: one that is loaded by then is not sent, or is the edited one.
            let revision = field.revision
            if mayHaveGaps, entry !== schema.identifier, field.loadState != .loaded {
                gaps.insert(index)
            }
            if entry.holdsModels {
                // What is edited between the two is sent, and once more.
                let agreed = schema.agreedValue(of: field, entry, in: model)
                row.append(schema.mayLeaveOut(entry) ? field.currentAttribute : agreed)
                return .init(revision: revision, value: agreed)
            }
            let value = field.attributeValue(in: &traversal)
            row.append(value)
            return .init(revision: revision)
        }
        self.row = row
        self.gaps = gaps
        identifier = Self.identifier(in: row, schema)
    }

    /// The values alone, of a model that nobody edits any more: of models in it the JSON, where that is taken.
    static func row(
        of model: AnyObject,
        _ schema: ModelSchema,
        takingJSON takesJSON: Bool
    ) -> (row: ContiguousArray<AttributeValue?>, texts: [Int: String]) {
        var traversal = Traversal()
        var row = ContiguousArray<AttributeValue?>()
        row.reserveCapacity(schema.fields.count)
        var texts: [Int: String] = [:]
        for entry in schema.fields {
            if takesJSON, entry.holdsModels, let text = entry.exactJSON(in: model) {
                texts[row.count] = text
                row.append(nil)
                continue
            }
            let field = entry.field(in: model)
            row.append(
                entry.holdsModels
                    ? field.currentAttribute : field.attributeValue(in: &traversal)
            )
        }
        return (row, texts)
    }

    static func identifier(
        in row: ContiguousArray<AttributeValue?>,
        _ schema: ModelSchema
    ) -> Identifier? {
        schema.identifierSlot.flatMap { row[$0] }
            .flatMap { try? Identifier(attributeValue: $0) }
    }

    /// The values by their keys.
    func values(of schema: ModelSchema) -> [FieldKey: AttributeValue] { schema.values(of: row) }

    /// The values that were set in the model since it was made, and so neither default values nor what the
    /// model does not know.
    ///
    /// A model in a field counts as set if anything in it is.
    func setValues(in model: some Model, _ schema: ModelSchema) -> [FieldKey: AttributeValue] {
        var values: [FieldKey: AttributeValue] = [:]
        for (index, entry) in schema.fields.enumerated() {
            guard let value = row[index], !gaps.contains(index) else { continue }
            if agreements[index].revision != 0 || model.hasEmbeddedEdit(in: entry) {
                values[entry.key] = value
            }
        }
        return values
    }

    /// The values that differ from what was agreed on; all, if nothing was.
    ///
    /// Never the identifier, nor what the model does not know.
    func changes(
        since old: Agreements?,
        _ schema: ModelSchema
    ) -> [FieldKey: AttributeValue] {
        var changes: [FieldKey: AttributeValue] = [:]
        for (index, entry) in schema.fields.enumerated() where entry !== schema.identifier {
            if let old, old[index].holds(agreements[index], row[index]) { continue }
            if gaps.contains(index) { continue }
            if let value = row[index] { changes[entry.key] = value }
        }
        return changes
    }

    /// Notes that a record was made of the model, which knows all of it by that.
    func closeGaps(of model: any Model) {
        if !gaps.isEmpty { model.classSchema.identifier?.field(in: model).loadState = .loaded }
    }

    /// Sets the identifier that a store has given, and returns what is agreed on with it.
    func giving(_ identifier: Identifier, to model: any Model) -> Agreements {
        let schema = model.classSchema
        guard let index = schema.identifierSlot else { return agreements }
        let revision = agreements[index].revision
        let field = schema.fields[index].field(in: model)
        if self.identifier == identifier, field.revision == revision { return agreements }
        var agreements = agreements
        if model.identifier == nil {
            var scope = ImportScope()
            let given = field.read(
                identifier.attributeValue,
                at: [],
                revision: revision,
                in: &scope
            )
            if let given { agreements[index].revision = given }
        } else if model.identifier == identifier {
            // A transaction has given it before.
            agreements[index].revision = field.revision
        }
        return agreements
    }
}

extension Agreements.Agreement {
    /// Whether nothing was edited between this agreement and a later snapshot's, with what that has in all.
    fileprivate func holds(_ later: Agreements.Agreement, _ whole: AttributeValue?) -> Bool {
        switch (value, later.value) {
        case (nil, nil): later.revision <= revision
        // A snapshot from before a lookup has replaced the models knows no edit of them.
        case (let old?, let new?):
            later.revision < revision || AttributeValue.areSame(old, new)
                || AttributeValue.areSame(old, whole)
        // What was handed back is compared by its value.
        case (let old?, nil): (old ?? .null).isSame(as: whole ?? .null)
        case (nil, _?): false
        }
    }
}

extension AnyField {
    /// The value for a record; nil when it was never set and is nil.
    var currentAttribute: AttributeValue? {
        var traversal = Traversal()
        return attributeValue(in: &traversal)
    }
}
