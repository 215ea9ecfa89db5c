package import ModelKitModels
package import ModelKitPromises

// What a server needs, which has the types of models as values and answers with their records.

extension RecordStore {
    /// The records of a type and its subclasses that a query asks for.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - schema: The type.
    ///   - filters: What the records of some of the classes have to fulfil, too.
    /// - Returns: The records.
    package func find(
        _ query: RecordQuery,
        below schema: ModelSchema,
        _ filters: [ObjectIdentifier: RecordFilter] = [:]
    ) -> Promise<[FoundRecord]> {
        func open<M: Model>(_ type: M.Type) -> Promise<[FoundRecord]> {
            find(query, of: type, filters)
        }
        let type: any Model.Type = Swift.type(of: schema.prototype)
        return open(type)
    }

    /// The record of a type, or of one of its subclasses, with an identifier; nil when there is none.
    package func find(
        _ identifier: Identifier,
        below schema: ModelSchema
    ) -> Promise<FoundRecord?> {
        func open<M: Model>(_ type: M.Type) -> Promise<FoundRecord?> { find(identifier, of: type) }
        let type: any Model.Type = Swift.type(of: schema.prototype)
        return open(type)
    }
}

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
        for (prepared, session) in zip(prepared, writes.map(\.session)) {
            let search = try await cascadeSearch([prepared], session)?
                .finished(self, session).value
            parts.append(try prepared.records(session, search?.found[0] ?? []))
        }
        try parts.deleteOnce()
        let asked = writes.map(\.session.now)
        let sent = parts.flatMap { $0 }
        // What was not edited is not written.
        let made = parts.made(sent.isEmpty ? [] : try await perform(sent).value)
        let records = writes.indices.map { index in
            prepared[index].note(writes[index].session, made[index], asked[index])
            return writes[index].session.record(of: writes[index].write.model)
        }
        for index in prepared.indices {
            prepared[index].finish(writes[index].session, made[index])
        }
        return records
    }
}

extension PageCursor {
    /// The place of a record in the answer to a query of a type, and of its subclasses if it may be of one.
    package init(
        after found: FoundRecord,
        in query: RecordQuery,
        below schema: ModelSchema,
        mayBeSubclass: Bool
    ) {
        if mayBeSubclass, !schema.subclasses.isEmpty {
            self.init(after: found, in: query, of: schema)
        } else {
            self.init(after: found.record, in: query, of: schema)
        }
    }
}

extension StoreSession {
    /// The object that stands for a record.
    package func model(of found: FoundRecord) throws(StoreError) -> any Model {
        func open<M: Model>(_ type: M.Type) throws(StoreError) -> any Model {
            try model(type, from: found.record, asked: now)
        }
        let type: any Model.Type = Swift.type(of: found.schema.prototype)
        return try open(type)
    }

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
