import ModelKitFields
import ModelKitModels

extension StoreSession {
    /// Has an object get what a resolution makes of its edits and a record, which is to be written next.
    ///
    /// Edits that are made meanwhile stay.
    ///
    /// - Parameters:
    ///   - model: The object.
    ///   - record: What is stored.
    ///   - asked: When the store was asked for it.
    ///   - result: What the values are to be, of those that were agreed on, those of the object, and those that
    ///     are stored.
    /// - Throws: What the closure throws; `.decoding` if the record does not fit the fields.
    func resolve<M: Model>(
        _ model: M,
        _ record: Record,
        asked: UInt64,
        _ result: (
            _ base: [FieldKey: AttributeValue], _ mine: [FieldKey: AttributeValue],
            _ theirs: [FieldKey: AttributeValue]
        ) throws -> [FieldKey: AttributeValue]
    ) throws {
        let schema = M.schema
        guard let known = known(model) else { return }
        let snapshot = Snapshot(of: model, schema)
        let edited = snapshot.changes(since: known.agreements, schema)
        let base = known.base?.dictionary(of: schema) ?? [:]
        let mine = base.merging(edited) { $1 }
        let theirs = base.merging(record.values) { $1 }
        let result = try result(base, mine, theirs)
        var givenUp: [Int: Agreements.Agreement] = [:]
        var sets: [(slot: Int, value: AttributeValue, revision: UInt64?)] = []
        for (slot, entry) in schema.fields.enumerated() where entry !== schema.identifier {
            let chosen = result[entry.key] ?? .null
            let isEdited = edited[entry.key] != nil
            if chosen.isSame(as: theirs[entry.key] ?? .null) {
                if isEdited { givenUp[slot] = snapshot.agreements[slot] }
            } else if !chosen.isSame(as: mine[entry.key] ?? .null) {
                sets.append((slot, chosen, isEdited ? snapshot.agreements[slot].revision : nil))
            }
        }
        try apply(record, to: model, asked: asked, isFirst: false, givingUp: givenUp)
        var issues: [Issue] = []
        batch {
            for (slot, value, revision) in sets {
                let entry = schema.fields[slot]
                let field = entry.field(in: model)
                _ = read(
                    value,
                    into: field,
                    of: entry,
                    revision: revision ?? field.revision,
                    into: &issues
                )
            }
        }
        if !issues.isEmpty { throw StoreError.validation(issues) }
    }
}
