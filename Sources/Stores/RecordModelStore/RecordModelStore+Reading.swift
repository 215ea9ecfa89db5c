public import ModelKitModels
public import ModelKitPromises

extension RecordModelStore {
    /// The same store, whose uses fail with `.timedOut` when they take longer.
    ///
    /// What has not been begun by then is not done. A write or a transaction that has begun is cancelled by PostgreSQL,
    /// which takes a few milliseconds, or, where the server does not answer, three seconds at most: the error's outcome
    /// is `.notApplied` if that is certain. In other stores it goes on, and the models are updated at its end; the
    /// outcome is `.unknown`. In SQLite one that waits for others who write has not begun.
    ///
    /// ```swift
    /// try await store.with(deadline: .seconds(2)).update(person).value
    /// ```
    public func with(deadline: Duration?) -> some RecordModelStore {
        RecordModelStoreView(records: records, session: session, deadline: deadline)
    }

    public func lookup<M: Model>(_ type: M.Type, identifier: Identifier) -> Promise<M> {
        let label = StoreEvent.Label(
            operation: .lookup,
            type: M.schema.name,
            identifier: identifier
        )
        return read(label) { records in
            records.find(identifier, below: M.schema)
        } make: { found, asked, session in
            guard let found else {
                throw StoreError.notFound(type: M.schema.name, identifier: identifier)
            }
            return try session.model(type, from: found, asked: asked)
        }
    }

    public func list<M: Model>(_ type: M.Type, matching query: RecordQuery) -> Promise<[M]> {
        if let refusal = query.limitRefusal { return .failed(refusal) }
        let label = StoreEvent.Label(operation: .list, type: M.schema.name)
        // Of others a class may be used for the first time before it is this one's turn.
        if !(M.self is ModelObject.Type), ClassHierarchy(of: type).isPlain(query) {
            return read(label, count: \.count) { records in
                records.fetch(query, of: M.schema)
            } make: { [records] found, asked, session in
                try records.models(of: found.prefix(query.limit ?? .max)) {
                    try session.model(type, from: $0, asked: asked)
                }
            }
        }
        return read(label, count: \.count) { records in
            records.find(query, below: M.schema)
        } make: { [records] found, asked, session in
            try records.models(of: found) { try session.model(type, from: $0, asked: asked) }
        }
    }

    public func page<M: Model>(_ type: M.Type, matching query: RecordQuery) -> Promise<Page<M>> {
        let limit = query.limit ?? .max
        if limit < 1 { return .failed(StoreError.unsupported("a page of \(limit) models")) }
        let label = StoreEvent.Label(operation: .page, type: M.schema.name)
        if let foreign = records.foreign, foreign.makesPages {
            return read(label, count: \.items.count) { _ in
                foreign.page(query, of: M.schema)
            } make: { [records] page, asked, session in
                let items = try records.models(of: page.items) {
                    try session.model(type, from: $0, asked: asked)
                }
                return Page(items: items, next: page.next)
            }
        }
        var more = query
        more.limit = limit == .max ? nil : limit + 1
        return read(label, count: \.items.count) { [more] records in
            records.find(more, below: M.schema)
        } make: { [store = records] records, asked, session in
            let page = records.prefix(limit)
            if query.order.isEmpty, page.contains(where: { $0.record.place == 0 }) {
                throw StoreError.unsupported("pages, as the store gives no places of its records")
            }
            return Page(
                items: try store.models(of: page) {
                    try session.model(type, from: $0, asked: asked)
                },
                next: records.count > limit
                    ? page.last.map { PageCursor(after: $0, in: query, below: M.schema) }
                    : nil
            )
        }
    }

    /// Reads records, and makes models of them.
    func read<Found: Sendable, Value: Sendable>(
        _ label: StoreEvent.Label,
        count: @escaping @Sendable (Value) -> Int? = { _ in 1 },
        _ fetch: @escaping @Sendable (any RecordStore) -> Promise<Found>,
        make: @escaping @Sendable (Found, _ asked: UInt64, StoreSession) throws -> Value
    ) -> Promise<Value> {
        if let refusal = session.body.refusal { return .failed(refusal) }
        if session.events == nil, deadline == nil, session.readsWaitFor == nil {
            let asked = session.now
            return fetch(records).map(cancelledBy: readCancellation) { [session] in
                try make($0, asked, session)
            }
        }
        return session.run(label, after: .nothing, deadline: deadline, count: count) {
            [records, session] in
            let asked = session.now
            return .init(promise: fetch(records)) { try make($0, asked, session) }
        }
    }
}

/// A store on the records and the session of another one.
struct RecordModelStoreView: RecordModelStore {
    let records: any RecordStore
    let session: StoreSession
    let deadline: Duration?
}
