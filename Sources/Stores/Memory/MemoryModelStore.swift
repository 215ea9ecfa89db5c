public import ModelKitModels

/// A store that keeps everything in memory, for tests, caches and data that need not last.
///
/// ```swift
/// let store = MemoryModelStore()
/// try await store.create(person).value
/// let same = try store.lookupImmediately(Person.self, identifier: "p1")   // person itself
/// ```
///
/// It keeps the values that were written, not the models, so an edit that was not written is not
/// seen by a lookup once the model is gone. Its promises are settled when they are returned, unless another
/// thread has a transaction under way, which writes wait for, or a write of the same model.
public final class MemoryModelStore: RecordModelStore {
    public var records: any RecordStore { memory }
    public let session: StoreSession

    private let memory = MemoryRecordStore()

    /// - Parameter events: What receives the events of the store.
    public init(events: StoreEvents? = nil) {
        session = StoreSession(events: events)
    }

    /// The model with an identifier, without waiting: the instance in use if there is one, else a
    /// new one; nil when there is none.
    ///
    /// - Parameters:
    ///   - type: The type of the model.
    ///   - identifier: The identifier.
    /// - Returns: The model, if there is one.
    /// - Throws: A `.decoding` error if what is stored does not fit the model.
    public func lookupImmediately<M: Model>(
        _ type: M.Type,
        identifier: some IdentifierConvertible
    ) throws(StoreError) -> M? {
        let identifier = identifier.identifier
        if let model = session.used(type, M.schema, identifier) { return model }
        let asked = session.now
        for schema in ClassHierarchy(of: type).schemas {
            if let model = session.used(type, schema, identifier) { return model }
            guard let record = try memory.find(identifier, of: schema) else { continue }
            let found = FoundRecord(schema: schema, record: record)
            return try session.model(type, from: found, asked: asked)
        }
        return nil
    }

    /// The models that fulfil a condition, without waiting.
    ///
    /// ```swift
    /// let adults = try store.listImmediately(Person.self, where: \.age >= 18)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - condition: The condition; nil for all models.
    ///   - orderings: The fields to sort by, and then by identifier. Without any, the models come in
    ///     the order of their creation; for those of several classes see `ModelObject.subclasses`.
    ///   - limit: So many at most.
    /// - Returns: The models: instances in use, where there are such.
    /// - Throws: What `list` fails with.
    public func listImmediately<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int? = nil
    ) throws(StoreError) -> [M] {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
        let asked = session.now
        let schema = M.schema
        if schema.subclasses.isEmpty {
            return try memory.find(query, of: schema).map { (record) throws(StoreError) in
                try session.model(type, from: record, asked: asked)
            }
        }
        try query.check(of: schema)
        let hierarchy = ClassHierarchy(of: type)
        let lists = try hierarchy.schemas.map { schema throws(StoreError) in
            try memory.find(hierarchy.query(query, of: schema), of: schema)
        }
        return try hierarchy.merge(lists, query).map { found throws(StoreError) in
            try session.model(type, from: found, asked: asked)
        }
    }
}
