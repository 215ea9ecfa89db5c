import Dispatch
import ModelKitModels
import ModelKitPromises

/// A transaction that writes batches as they come, or once all are there, where the store has no thread for it to
/// wait on.
final class ImportTransaction: Sendable {
    private struct State {
        /// What is to be written, the next one first.
        var batches: [ImportBatch] = []
        /// Why nothing more is written.
        var failure: (any Error)?
        var done: Promise<Void>?
        /// Whether the body runs, or has run.
        var hasBegun = false
        /// What its last run has made of the batches, where all are written at once.
        var made: [(batch: ImportBatch, refused: [Int: StoreError])] = []
    }

    private let state = Guarded(State())
    /// Counts what the body has to look at.
    private let arrivals = DispatchSemaphore(value: 0)
    private let records: any RecordStore
    private let session: StoreSession
    private let feed: TransactionFeed
    private let schema: ModelSchema
    private let keys: ImportKeys

    init(
        _ records: any RecordStore,
        _ session: StoreSession,
        _ feed: TransactionFeed,
        _ schema: ModelSchema,
        _ keys: ImportKeys
    ) {
        (self.records, self.session, self.feed, self.schema) = (records, session, feed, schema)
        self.keys = keys
    }

    /// Whether batches are written as they come.
    var isWaiting: Bool { records.waiting != nil }

    /// Hands a batch over.
    func take(_ batch: ImportBatch) {
        let (failure, isFirst) = state.withLock { state in
            if state.failure == nil { state.batches.append(batch) }
            return (state.failure, state.done == nil)
        }
        if let failure { return batch.fail(failure) }
        arrivals.signal()
        if isFirst, isWaiting { begin() }
    }

    /// Writes what was handed over, and commits.
    func commit() async throws {
        let isFirst = state.withLock { $0.done == nil }
        arrivals.signal()
        if isFirst { begin() }
        try await state.withLock { $0.done }?.outcome().get()
        feed.end()
    }

    /// Ends it, and nothing of it is kept.
    func abandon(after error: any Error) async {
        cancel(for: error)
        _ = await state.withLock { $0.done }?.outcome()
        // What the sequence has begun may go on.
        feed.end()
    }

    /// Has it take back what is written, or not begin.
    func cancel(for error: any Error = CancellationError()) {
        // A body that is given everything finds it, or is over: then the end of the transaction decides what is kept.
        let isRunning = state.withLock { state in
            let isRunning = state.hasBegun && !isWaiting
            if isRunning { state.failure = state.failure ?? error }
            return isRunning
        }
        if isRunning { return }
        fail(error)
        // What the body waits for may be the store.
        state.withLock { $0.done }?.cancel()
    }

    private func begin() {
        let label = StoreEvent.Label(operation: .import, type: schema.name)
        let done: Promise<Void> = session.run(label, after: .everything(), deadline: nil) {
            [self] in
            let schemas = ClassHierarchy(of: schema).schemas
            let made =
                records.waiting?.transaction(fedBy: feed, adding: schemas, write)
                ?? records.transaction(writeAll)
            return .init(promise: made) { $0 }
        }
        feed.note(session)
        let hasFailed = state.withLock { state in
            state.done = done
            return state.failure != nil
        }
        done.observe { [self] in
            switch $0 {
            case .success: succeed()
            case .failure(let error): fail(error)
            }
        }
        if hasFailed { cancel() }
    }

    /// The body of a transaction that is given all that there is, which may run again.
    @Sendable private func writeAll(to transaction: any RecordTransaction) throws {
        var made: [(ImportBatch, [Int: StoreError])] = []
        try keys.begin(transaction)
        while let batch = try batch(at: made.count) {
            made.append((batch, try batch.write(to: transaction)))
        }
        state.withLock { $0.made = made }
    }

    private func batch(at index: Int) throws -> ImportBatch? {
        try state.withLock { state in
            state.hasBegun = true
            if let failure = state.failure { throw failure }
            return index < state.batches.count ? state.batches[index] : nil
        }
    }

    private func succeed() {
        let made = state.withLock { state in
            state.batches = []
            defer { state.made = [] }
            return state.made
        }
        for (batch, refused) in made { batch.succeed(refused) }
    }

    /// The body of a transaction that waits for batches.
    @Sendable private func write(to transaction: any RecordTransaction) throws {
        let ranBefore = state.withLock { state in
            defer { state.hasBegun = true }
            return state.hasBegun
        }
        // The batches are gone.
        if ranBefore {
            throw StoreError.unavailable(
                "others have written the same at the same time",
                .notApplied
            )
        }
        try keys.begin(transaction)
        while let batch = try next() {
            do {
                batch.succeed(try batch.write(to: transaction))
            } catch {
                batch.fail(error)
                throw error
            }
        }
    }

    /// The next batch, when it is there; nil after the last.
    private func next() throws -> ImportBatch? {
        arrivals.wait()
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.batches.isEmpty ? nil : state.batches.removeFirst()
        }
    }

    private func fail(_ error: any Error) {
        let lost = state.withLock { state in
            state.failure = state.failure ?? error
            defer { state.batches = [] }
            return state.batches
        }
        arrivals.signal()
        // Who hands over waits for what nobody writes any more.
        for batch in lost { batch.fail(error) }
    }
}
