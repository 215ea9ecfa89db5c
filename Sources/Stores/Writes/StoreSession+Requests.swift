import ModelKitFields
import ModelKitModels
import ModelKitPromises

// What a server needs, which has the types of models as values and answers with their records.

extension RecordStore {
    /// Makes writes of models that nobody else has, and each of which has a session of its own: all, or none.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - isBatch: Whether issues have the index of their model.
    /// - Returns: The records that were written, before the models were notified; nil of a deletion.
    /// - Throws: What a `perform` of a store of models fails with.
    package func perform(
        _ writes: [(write: ModelWrite, session: StoreSession)],
        isBatch: Bool
    ) async throws -> [Record?] {
        let prepared = try ModelWrite.prepare(writes.map(\.write), isBatch: isBatch)
        var parts: [[RecordWrite]] = []
        for (write, session) in zip(prepared, writes.map(\.session)) {
            let search = cascadeSearch([write], session)
            let found = try await search?.finished(self, session).value.found
            parts.append(try write.records(session, found?[0] ?? []))
        }
        try parts.deleteOnce()
        let asked = writes.map(\.session.now)
        let sent = parts.all
        // What was not edited is not written.
        let made = parts.made(sent.isEmpty ? [] : try await perform(sent).value)
        let records = writes.indices.map { index in
            let session = writes[index].session
            session.note(prepared[index], made[index]) { _ in asked[index] }
            return session.record(of: prepared[index].model)
        }
        for index in prepared.indices {
            prepared[index].finish(writes[index].session, made[index])
        }
        return records
    }
}

extension StoreSession {
    /// The record that an object stands for, with the object's values; nil if it stands for none.
    fileprivate func record(of model: any Model) -> Record? {
        known(model).map { known in
            var values: [FieldKey: AttributeValue] = [:]
            for entry in type(of: model).schema.fields {
                values[entry.key] = entry.field(in: model).currentAttribute ?? .null
            }
            return Record(
                identifier: known.identifier,
                revision: known.revision,
                values: values,
                place: known.place
            )
        }
    }
}
