package import ModelKitModels

// What a server needs, which has the types of models as values and answers with their records.

extension RecordStore {
    /// The records of a type and its subclasses that a query asks for.
    package func find(_ query: RecordQuery, below schema: ModelSchema) -> Promise<[FoundRecord]> {
        func open<M: Model>(_ type: M.Type) -> Promise<[FoundRecord]> { find(query, of: type) }
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

    /// The record that an object stands for, without its values; nil if it stands for none.
    package func record(of model: any Model) -> Record? {
        known(model).map {
            Record(
                identifier: $0.identifier,
                revision: $0.revision,
                values: [:],
                place: $0.place
            )
        }
    }
}
