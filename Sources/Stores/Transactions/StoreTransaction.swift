public import ModelKitModels

/// What the body of a transaction reads and writes with: what is stored, with its own writes.
///
/// ```swift
/// let count = try await store.transaction { transaction in
///     let people = try transaction.list(Person.self, where: \.age < 18)
///     for person in people { try transaction.delete(person) }
///     return people.count
/// }.value
/// ```
///
/// Where it fails, what was set in models since the body has read them here is taken back, also what others have set
/// meanwhile; what was edited before stays.
///
/// It is used in the body alone, and on its thread; later it fails with `.unsupported`. A write that fails
/// leaves nothing behind, and the transaction goes on if the body catches the error. Models are notified of
/// their creation and deletion at the end.
public final class StoreTransaction {
    private let records: any RecordTransaction
    private let notes: TransactionNotes

    init(_ records: any RecordTransaction, _ notes: TransactionNotes) {
        self.records = records
        self.notes = notes
    }

    /// Adds a model, as `ModelStore.create`.
    public func create(_ model: any Model) throws { try perform([.create(model)], isBatch: false) }

    /// Writes what was edited, as `ModelStore.update`.
    public func update(_ model: any Model) throws { try perform([.update(model)], isBatch: false) }

    /// Creates a model, or updates it, as `ModelStore.save`.
    public func save(_ model: any Model, onConflict: OnConflict = .fail) throws {
        try perform([.save(model, onConflict: onConflict)], isBatch: false)
    }

    /// Removes a model and those that go with it, as `ModelStore.delete`; its relations are left at the end.
    public func delete(_ model: any Model) throws { try perform([.delete(model)], isBatch: false) }

    /// Removes the model with an identifier and those that go with it; `.notFound` when there is none.
    public func delete<M: Model>(
        _ type: M.Type,
        identifier: some IdentifierConvertible
    ) throws {
        try delete(lookup(type, identifier: identifier))
    }

    /// Makes all writes in their order, or none of them, as `ModelStore.perform`.
    public func perform(_ writes: [ModelWrite]) throws { try perform(writes, isBatch: true) }

    /// Makes one of several writes.
    func perform(alone write: ModelWrite) throws { try perform([write], isBatch: false) }

    private func perform(_ writes: [ModelWrite], isBatch: Bool) throws {
        try notes.check()
        let prepared = try ModelWrite.prepare(writes, isBatch: isBatch, notes)
        notes.session.noteTransacted(prepared.flatMap(\.models), by: ObjectIdentifier(notes))
        if prepared.areOfOwners { notes.follow() }
        do {
            var found: [[any Model]] = []
            if var search = CascadeSearch(prepared, notes) {
                while !search.wanted.isEmpty {
                    let models = try search.wanted.map { wanted -> (any Model)? in
                        func open<M: Model>(_ model: M) throws -> (any Model)? {
                            try find(M.self, wanted.identifier)
                        }
                        return try open(wanted.model.opened)
                    }
                    try search.take(models, notes)
                }
                found = search.found
            }
            // What was read meanwhile is known by then.
            let asked = notes.session.now
            let parts = try prepared.records(notes, found)
            let sent = parts.all
            notes.session.beginCreations(sent, by: ObjectIdentifier(notes))
            let receipts = sent.isEmpty ? [] : try records.perform(sent)
            let effects = sent.isEmpty ? [] : (records as? any EffectfulTransaction)?.effects ?? []
            notes.note(prepared, parts.made(receipts), effects, asked: asked)
        } catch {
            for write in prepared { write.undo() }
            throw notes.describing(error, writes.map(\.model))
        }
    }

    /// The model with an identifier; `.notFound` when there is none.
    public func lookup<M: Model>(
        _ type: M.Type,
        identifier: some IdentifierConvertible
    ) throws -> M {
        try notes.check()
        let identifier = identifier.identifier
        if let model = try find(type, identifier) { return model }
        throw StoreError.notFound(type: M.schema.name, identifier: identifier)
    }

    private func find<M: Model>(_ type: M.Type, _ identifier: Identifier) throws -> M? {
        for schema in ClassHierarchy(of: type).schemas {
            if let record = try records.record(identifier, of: schema) {
                return try notes.model(type, from: FoundRecord(schema: schema, record: record))
            }
        }
        return nil
    }

    /// The models that fulfil a condition.
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - condition: The condition; nil for all models.
    ///   - orderings: The fields to sort by, and then by identifier. Without any, the models come in
    ///     the order of their creation; for those of several classes see `ModelObject.subclasses`.
    ///   - limit: So many at most.
    /// - Returns: The models.
    /// - Throws: What `ModelStore.list` fails with.
    public func list<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int? = nil
    ) throws -> [M] {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
        return try list(type, matching: query)
    }

    /// The models that a query asks for.
    public func list<M: Model>(_ type: M.Type, matching query: RecordQuery) throws -> [M] {
        try notes.check()
        let hierarchy = ClassHierarchy(of: type)
        if !hierarchy.isOne { try query.check(of: M.schema) }
        let lists = try hierarchy.schemas.map { schema -> [Record] in
            let rest = try records.fetch(hierarchy.query(query, of: schema), of: schema)
            guard let last = query.after, let twin = last.twin(in: query, of: schema) else {
                return rest
            }
            return last.joining(try records.fetch(twin, of: schema), rest, in: query, of: schema)
        }
        return try hierarchy.merge(lists, query).map { try notes.model(type, from: $0) }
    }

    /// Runs the body; if it throws, what was written in it is rolled back, and what was written before stays.
    ///
    /// ```swift
    /// try? transaction.savepoint { try transaction.create(person) }
    /// ```
    public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try notes.check()
        return try notes.savepoint { try records.savepoint(body) }
    }
}
