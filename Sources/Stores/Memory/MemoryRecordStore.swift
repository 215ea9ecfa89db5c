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

        /// Makes the writes that wait for no other transaction than the one that is over.
        ///
        /// - Returns: What notifies of them, the transaction that comes then, and what may not be released under the lock.
        mutating func takeWaiting() -> (
            made: [() -> Void], next: (@Sendable () -> Void)?, held: [Waiting]
        ) {
            var made: [() -> Void] = []
            var held: [Waiting] = []
            while true {
                if next.isEmpty {
                    swap(&next, &waiting)
                    next.reverse()
                }
                let waiting = next.popLast()
                if let waiting { held.append(waiting) }
                switch waiting {
                case .writes(let make): made.append(make(&tables))
                case .transaction(let transaction): return (made, transaction, held)
                case nil:
                    isBusy = false
                    return (made, nil, held)
                }
            }
        }
    }

    private let state = Guarded(State())
    package let observers = RecordObservers()
    private let body = TransactionBody()
    private let name = "\(UUIDv7.make())"

    private enum Waiting {
        /// Makes writes, under the lock, and gives what notifies of them afterwards.
        case writes(@Sendable (inout RecordTables) -> @Sendable () -> Void)
        case transaction(@Sendable () -> Void)
    }

    /// Writes that were made, and what was judged of them.
    private struct Made: Sendable {
        let records: MadeRecords
        let judged: Judged?
    }
    private typealias Judged = (changes: RecordChanges, judges: [any CommitJudge])

    private enum Performed {
        case made(Result<Made, StoreError>)
        case late(Promise<[RecordReceipt]>, Resolver<[RecordReceipt]>, CancellationGate)
    }

    public init() {}

    public func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        if let refusal = body.refusal { return .failed(refusal) }
        let performed = state.withLock { state -> Performed in
            if !state.isBusy { return .made(attempt(writes, &state.tables)) }
            let (promise, resolver) = Promise<[RecordReceipt]>.withResolvers()
            let gate = CancellationGate()
            state.waiting.append(
                .writes { [self] tables in
                    let made = gate.begin() ? attempt(writes, &tables) : nil
                    return { [self] in
                        if let made { resolver.resolve(Result { try notify(of: made) }) }
                    }
                }
            )
            return .late(promise, resolver, gate)
        }
        switch performed {
        case .made(let made): return .attempt { try notify(of: made) }
        case .late(let promise, let resolver, let gate):
            gate.decide(resolver)
            return promise
        }
    }

    private func notify(of made: Result<Made, StoreError>) throws(StoreError) -> [RecordReceipt] {
        let made = try made.get()
        observers.notify(
            made.judged?.changes ?? made.records.changes,
            judged: made.judged?.judges
        )
        return made.records.receipts
    }

    /// Makes writes in the tables, and has them be judged; the lock is held.
    private func attempt(
        _ writes: [RecordWrite],
        _ tables: inout RecordTables
    ) -> Result<Made, StoreError> {
        do throws(StoreError) {
            let old = observers.oldRecords
            let made = try tables.apply(writes, old)
            return .success(Made(records: made, judged: judge(made.changes, old, in: tables)))
        } catch {
            return .failure(error)
        }
    }

    /// Has a commit be judged; nil, and nothing is made, where nobody did at its begin; the lock is held.
    private func judge(
        _ changes: @autoclosure () -> RecordChanges,
        _ old: OldRecords?,
        in tables: RecordTables
    ) -> Judged? {
        guard let old else { return nil }
        let changes = observers.readingRows(changes(), old) { try tables.record($1, of: $0) }
        return (changes, observers.judge(changes))
    }

    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        if let refusal = self.body.refusal { return .failed(refusal) }
        let (promise, resolver) = Promise<Result>.withResolvers()
        let gate = CancellationGate()
        let transaction = { @Sendable [self] in
            guard gate.begin() else { return }
            let before = state.withLock { $0.tables }
            do {
                let old = observers.oldRecords
                let (result, after, changes) = try self.body.run {
                    try TablesTransaction.run(before, old, body)
                }
                // Nobody else has written meanwhile; what is replaced is freed after the lock.
                let judged = state.withLock { state in
                    state.tables = after
                    return judge(changes, old, in: after)
                }
                observers.notify(judged?.changes ?? changes, judged: judged?.judges)
                resolver.fulfill(result)
            } catch {
                resolver.reject(error)
            }
        }
        let isFirst = state.withLock { state in
            if state.isBusy { state.waiting.append(.transaction(transaction)) }
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isFirst { run(transaction) } else { gate.decide(resolver) }
        return promise
    }

    /// Runs a transaction, and then what has waited for it.
    private func run(_ first: @escaping @Sendable () -> Void) {
        var transaction = first
        for _ in 0..<16 {
            transaction()
            let (made, next, held) = state.withLock { $0.takeWaiting() }
            for notify in made { notify() }
            withExtendedLifetime(held) {}
            guard let next else { return }
            transaction = next
        }
        // More and more come, and who asked for the first one has waited long enough.
        DispatchQueue.global().async { [transaction] in self.run(transaction) }
    }

    public func observeChanges(_ handler: @escaping RecordChanges.Handler) -> RecordObservation? {
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

    public func totals(
        _ aggregate: RecordAggregate,
        of schema: ModelSchema
    ) -> Promise<RecordTotals> {
        var tables = state.withLock { $0.tables }
        return .attempt { try tables.totals(aggregate, of: schema) }
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

extension MemoryRecordStore: JudgedRecords {
    package func read<Note: Sendable, Value: Sendable>(
        _ types: [ModelSchema],
        noting note: @escaping @Sendable () -> Note,
        _ body: @escaping @Sendable (Note, inout any RecordReading) throws -> Value
    ) -> Promise<Value> {
        .attempt {
            let (note, tables) = state.withLock { (note(), $0.tables) }
            var reading: any RecordReading = tables
            return try body(note, &reading)
        }
    }
}

extension MemoryRecordStore: ResumableRecords {
    package func identity() -> Promise<String> { .value(name) }
}
