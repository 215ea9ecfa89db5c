package import ModelKitModels
package import ModelKitPromises

/// What a task hands to a transaction that waits for it.
///
/// Such a task must not wait for what comes after the transaction.
package final class TransactionFeed: Sendable {
    /// That of the running task.
    @TaskLocal package static var current: TransactionFeed?

    private let stores = Guarded<[ObjectIdentifier]>([])
    /// That of the task before, which goes on.
    private let outer = TransactionFeed.current

    package init() {}

    /// Notes an object that does nothing else before the end of the transaction.
    package func note(_ store: AnyObject) {
        stores.withLock { $0.append(ObjectIdentifier(store)) }
    }

    /// Notes that the transaction has ended.
    package func end() { stores.withLock { $0 = [] } }

    /// Whether such an object waits for the running task.
    package static func isWaiting(_ store: AnyObject) -> Bool {
        current?.isNoted(ObjectIdentifier(store)) ?? false
    }

    private func isNoted(_ store: ObjectIdentifier) -> Bool {
        stores.withLock { $0.contains(store) } || outer?.isNoted(store) ?? false
    }

    /// Why such an object cannot be used here; nil if it can.
    package static func refusal(by store: AnyObject) -> StoreError? {
        if !isWaiting(store) { return nil }
        return .unsupported(
            "what is being imported is read by this task, which waits for the store, which waits for it"
        )
    }
}

/// Records with transactions whose body may wait, as each runs on a thread of the store's own; they keep arrays and
/// dictionaries as the JSON that `StoredJSON` writes.
package protocol WaitingRecords: RecordStore {
    /// Whether a body may wait, which is then run once.
    var canWait: Bool { get }

    /// Runs the body as `transaction` does, but has nobody wait who reads what was committed before.
    ///
    /// - Parameters:
    ///   - feed: What the task that feeds it must not wait for.
    ///   - schemas: The types whose records are added.
    ///   - body: What to do.
    /// - Returns: What the body returns. While it runs, cancelling this stops it, or does nothing.
    func transaction<Result: Sendable>(
        fedBy feed: TransactionFeed,
        adding schemas: [ModelSchema],
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result>
}

extension WaitingRecords {
    package var canWait: Bool { true }
}

extension RecordStore {
    /// The records, if the body of a transaction may wait.
    var waiting: (any WaitingRecords)? {
        (self as? any WaitingRecords).flatMap { $0.canWait ? $0 : nil }
    }
}
