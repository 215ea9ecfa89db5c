import Dispatch
public import ModelKitModels
public import ModelKitPromises

/// Records in memory, in the order of their creation.
///
/// ```swift
/// let records = MemoryRecordStore()
/// let write = RecordWrite(.create("p1", ["name": "Bob"]), of: Person.schema)
/// let receipts = try await records.perform([write]).value
/// ```
///
/// Promises are settled when they are returned, unless a transaction is under way: writes come after it,
/// and are delivered on its thread; of transactions that go on to come, later ones are run on one of the
/// system's threads. A handler of changes that writes is notified of that within its own call.
public final class MemoryRecordStore: RecordStore {
    private struct State {
        var tables = RecordTables()
        /// Whether a transaction is under way, which others come after.
        var isBusy = false
        var waiting: [Waiting] = []
        /// Those of them that come first, the first one last.
        var next: [Waiting] = []

        /// The one that comes now; without any, none is under way.
        mutating func takeNext() -> Waiting? {
            if next.isEmpty {
                swap(&next, &waiting)
                next.reverse()
            }
            isBusy = !next.isEmpty
            return next.popLast()
        }
    }

    /// A transaction, or writes that wait for one.
    private struct Waiting {
        let isTransaction: Bool
        let run: @Sendable () -> Void
    }

    private let state = Guarded(State())
    private let observers = RecordObservers()
    private let body = TransactionBody()
    private let name = "\(UUIDv7.make())"

    public init() {}

    public func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        if let refusal = body.refusal { return .failed(refusal) }
        let made = state.withLock { state in state.isBusy ? nil : state.tables.attempt(writes) }
        guard let made else { return enqueue(isTransaction: false) { try $0.perform(writes) } }
        return .attempt { () throws(StoreError) in
            let made = try made.get()
            observers.notify(made.changes)
            return made.receipts
        }
    }

    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        if let refusal = self.body.refusal { return .failed(refusal) }
        return enqueue(isTransaction: true, body)
    }

    private func enqueue<Result: Sendable>(
        isTransaction: Bool,
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        let (promise, resolver) = Promise<Result>.withResolvers()
        let gate = CancellationGate()
        let transaction = Waiting(isTransaction: isTransaction) { [self] in
            guard gate.begin() else { return }
            let before = state.withLock { $0.tables }
            do {
                let (result, after, changes) = try self.body.run {
                    try TablesTransaction.run(before, body)
                }
                // Nobody else has written meanwhile; what is replaced is freed after the lock.
                state.withLock { $0.tables = after }
                observers.notify(changes)
                resolver.fulfill(result)
            } catch {
                resolver.reject(error)
            }
        }
        let isFirst = state.withLock { state in
            if state.isBusy { state.waiting.append(transaction) }
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isFirst { run(transaction) } else { gate.decide(resolver) }
        return promise
    }

    /// Runs a transaction, and then what has waited for it.
    private func run(_ first: Waiting) {
        var transaction = first
        var left = 16
        while left > 0 {
            transaction.run()
            if transaction.isTransaction { left -= 1 }
            guard let next = state.withLock({ $0.takeNext() }) else { return }
            transaction = next
        }
        // More and more come, and who asked for the first one has waited long enough.
        DispatchQueue.global().async { [transaction] in self.run(transaction) }
    }

    public func observeChanges(
        _ handler: @escaping @Sendable (RecordChanges) -> Void
    ) -> RecordObservation? {
        observers.add(handler)
    }

    public func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        .attempt { try find(query, of: schema) }
    }

    func find(_ query: RecordQuery, of schema: ModelSchema) throws(StoreError) -> [Record] {
        // The tables are copied under the lock (one reference) and searched outside; a write meanwhile
        // copies no more than the pieces that it changes.
        var tables = state.withLock { $0.tables }
        return try tables.answer(query, of: schema)
    }

    public func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        .attempt { try find(identifier, of: schema) }
    }

    func find(_ identifier: Identifier, of schema: ModelSchema) throws(StoreError) -> Record? {
        try state.withLock { (state) throws(StoreError) in
            try state.tables.table(of: schema)[identifier]
        }
    }
}

extension MemoryRecordStore: ResumableRecords {
    package func identity() -> Promise<String> { .value(name) }
}

extension RecordTables {
    /// Makes all writes, or none of them.
    fileprivate mutating func attempt(
        _ writes: [RecordWrite]
    ) -> Result<MadeRecords, StoreError> {
        do throws(StoreError) { return .success(try apply(writes)) } catch {
            return .failure(error)
        }
    }
}
