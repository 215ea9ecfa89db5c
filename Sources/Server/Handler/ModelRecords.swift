import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores

/// The records of a store that gives models alone.
///
/// A revision is a number made of the values, so a write that expects one is compared with what is there
/// before it is made, and not while; models of the app are not touched, as copies are written.
struct ModelRecords: ForeignRecordStore {
    let store: any ModelStore

    var keepsMadeIdentifiers: Bool { true }
    var cascades: Bool { true }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        func open<M: Model>(_ type: M.Type) -> Promise<[Record]> {
            Promise {
                var models = try await store.list(type, matching: query).value
                let count = models.count
                models.removeAll { !Self.isExactly(schema, $0) }
                if let limit = query.limit, models.count < count {
                    // Models of its subclasses have taken places.
                    var whole = query
                    whole.limit = nil
                    models = try await store.list(type, matching: whole).value
                        .filter { Self.isExactly(schema, $0) }
                    models.removeLast(max(models.count - limit, 0))
                }
                return models.compactMap(Self.record)
            }
        }
        let type: any Model.Type = Swift.type(of: schema.prototype)
        return open(type)
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        func open<M: Model>(_ type: M.Type) -> Promise<Record?> {
            Promise {
                do {
                    let model = try await store.lookup(type, identifier: identifier).value
                    return Self.isExactly(schema, model) ? Self.record(model) : nil
                } catch StoreError.notFound {
                    return nil
                }
            }
        }
        let type: any Model.Type = Swift.type(of: schema.prototype)
        return open(type)
    }

    func totals(_ aggregate: RecordAggregate, of schema: ModelSchema) -> Promise<RecordTotals> {
        func open<M: Model>(_ type: M.Type) -> Promise<RecordTotals> {
            store.totals(type, of: aggregate) { $0 }
        }
        // The store would count models of subclasses, too, and need not be able to do anything else.
        guard aggregate.function == .count, aggregate.groupKey == nil, schema.subclasses.isEmpty
        else { return totalsOfFetched(aggregate, of: schema) }
        let type: any Model.Type = Swift.type(of: schema.prototype)
        return open(type)
    }

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        Promise {
            var prepared: [ModelWrite] = []
            for write in writes { prepared.append(try await self.write(write)) }
            if prepared.count == 1 {
                for made in try await store.perform(independently: prepared).value {
                    try made.get()
                }
            } else {
                try await store.perform(prepared).value
            }
            return try prepared.map { write in
                guard let record = Self.record(write.model) else {
                    throw StoreError.noIdentifier(type: type(of: write.model).schema.name)
                }
                return RecordReceipt(identifier: record.identifier, revision: record.revision)
            }
        }
    }

    /// A write of a model that only this request has.
    private func write(_ write: RecordWrite) async throws -> ModelWrite {
        let coder = RecordCoder(write.schema, in: .default)
        switch write.action {
        case .create(let identifier, var values),
            .save(let identifier as Identifier?, var values, _):
            if let identifier {
                values[try write.schema.identity().key] = identifier.attributeValue
            }
            let record = Record(identifier: identifier ?? "", revision: 1, values: values)
            let model = try coder.model(of: record)
            guard case .save(_, _, let onConflict) = write.action else { return .create(model) }
            return .save(model, onConflict: onConflict)
        case .update(let identifier, let changes, let revision):
            let known = try await known(identifier, revision, changes, write.schema)
            let values = known.values.merging(changes) { $1 }
            let record = Record(identifier: identifier, revision: 1, values: values)
            return .update(try coder.model(of: record))
        case .delete(let identifier, let revision):
            let record = try await known(identifier, revision, [:], write.schema)
            return .delete(try coder.model(of: record))
        }
    }

    private func known(
        _ identifier: Identifier,
        _ revision: Int64?,
        _ changes: [FieldKey: AttributeValue],
        _ schema: ModelSchema
    ) async throws -> Record {
        guard let record = try await record(identifier, of: schema).value else {
            throw StoreError.notFound(type: schema.name, identifier: identifier)
        }
        guard let revision, revision != record.revision else { return record }
        throw StoreError.conflict(.init(record, of: schema.name, base: revision, mine: changes))
    }

    /// Whether a model is of the very class, and not of one below it.
    private static func isExactly(_ schema: ModelSchema, _ model: any Model) -> Bool {
        type(of: model).schema === schema
    }

    /// The record of a model; nil of one without an identifier.
    private static func record(_ model: any Model) -> Record? {
        guard let identifier = model.identifier else { return nil }
        let schema = type(of: model).schema
        let values = RecordCoder(schema, in: .default).values(of: model)
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for entry in schema.fields {
            let text = try? StoredJSON.text(of: values[entry.key] ?? .null)
            for byte in (text ?? "").utf8 + [0] {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
        }
        return Record(
            identifier: identifier,
            revision: Int64(hash >> 2) + 1,
            values: values
        )
    }
}
