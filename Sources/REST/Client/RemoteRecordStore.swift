public import ModelKitModels
public import ModelKitStores

/// The records of a ``RemoteModelStore``, which are on a server.
///
/// ```swift
/// let record = try await RemoteRecordStore(store).record("p1", of: Person.schema).value
/// ```
///
/// One write is one request. Several at once are made by servers of the plain dialect alone; with others they
/// are `.unsupported`, as they could not be made all or none: what goes with a deleted model, and is only
/// known by its identifier, is theirs to delete. To cancel a promise closes the connection; that of
/// a write fails with `.cancelled(.unknown)`, unless it is sure that nothing was sent.
public struct RemoteRecordStore: RecordStore {
    let store: any RemoteModelStore
    let state: RemoteState

    /// The records of a store; all that are made for it know the same.
    public init(_ store: some RemoteModelStore) {
        self.store = store
        state = store.session.companion {
            // Without its tag, a model of a long list would be written over somebody else's change.
            RemoteState(count: max(10_000, store.dialect.honoursIfMatch ? store.maximumCount : 0))
        }
    }

    public func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        if writes.isEmpty { return .value([]) }
        return RemoteOperation(self, isWrite: true).run { operation in
            let receipts =
                writes.count == 1
                ? try operation.perform(writes[0]).map { [$0] }
                : try operation.perform(batch: writes)
            let observers = state.observers
            if observers.isEmpty { return receipts }
            return receipts.map { receipts in
                observers.notify(RecordChanges(writes, receipts))
                return receipts
            }
        }
    }

    public func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        RemoteOperation(self, isWrite: false).run { operation in
            try operation.fetch(query, of: schema, at: operation.router.path(of: Route(schema)))
        }
    }

    /// Counts where the dialect says how, and is `.unsupported` for all else.
    public func totals(
        _ aggregate: RecordAggregate,
        of schema: ModelSchema
    ) -> Promise<RecordTotals> {
        RemoteOperation(self, isWrite: false).run { operation in
            let path = try operation.router.path(of: Route(schema))
            return try operation.totals(aggregate, of: schema, at: path)
        }
    }

    public func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        RemoteOperation(self, isWrite: false).run { operation in
            // No path leads to an empty one, or rather to all; and none distinguishes a number from its text.
            guard identifier != "", try operation.isOfKind(identifier, schema) else {
                return .value(nil)
            }
            let path = try operation.router.path(of: Route(schema, identifier))
            return try operation.record(at: path, identifier, of: schema)
        }
    }

    public func observeChanges(
        _ handler: @escaping @Sendable (RecordChanges) -> Void
    ) -> RecordObservation? {
        state.observers.add(handler)
    }
}

extension RemoteRecordStore: ForeignRecordStore {
    package var keepsMadeIdentifiers: Bool { store.dialect.sendsMadeIdentifiers }
    package var cascades: Bool { !store.dialect.isPlain }

    package var makesPages: Bool {
        let dialect = store.dialect
        return !dialect.isPlain && dialect.pagination.skipping == nil
    }

    package func page(_ query: RecordQuery, of schema: ModelSchema) -> Promise<Page<Record>> {
        RemoteOperation(self, isWrite: false).run { operation in
            try operation.page(query, of: schema, at: operation.router.path(of: Route(schema)))
        }
    }
}

extension RemoteRecordStore: ResumableRecords {
    package func identity() -> Promise<String> {
        let account = store.account
        return .value(account.isEmpty ? store.origin : "\(store.origin) as \(account)")
    }

    package func version(
        _ revision: Int64,
        of identifier: Identifier,
        _ schema: ModelSchema
    ) -> RecordVersion {
        guard store.dialect.honoursIfMatch else { return RecordVersion() }
        let known = state[schema, identifier]
        if let tag = known?.tag(of: revision), known?.isFromServer != true {
            return RecordVersion(entityTag: tag.description)
        }
        let isFromServer = store.dialect.isPlain && !state.isCounted(revision)
        return RecordVersion(revision: isFromServer ? revision : nil)
    }

    package func resume(
        _ version: RecordVersion,
        of identifier: Identifier,
        _ schema: ModelSchema
    ) -> Int64 {
        if let revision = version.revision { return revision }
        let revision = state.next()
        if let tag = version.entityTag.flatMap({ EntityTag($0) }) {
            state.note(
                schema,
                identifier,
                RemoteState.Tag(revision: revision, tag: tag, moment: revision)
            )
        }
        return revision
    }
}
