import ModelKitModels
import ModelKitStores

/// Records that are kept by a store, unless a script says otherwise.
final class FailingRecords: LayeredRecords {
    let base: any RecordStore
    private let clock: any Clock<Duration>
    private let state = Guarded<(steps: [FailingStore.Step], counts: [FailingStore.Use: Int])>(
        ([], [:])
    )

    init(_ base: any RecordStore, _ clock: any Clock<Duration>) {
        self.base = base
        self.clock = clock
    }

    var script: [FailingStore.Step] {
        get { state.withLock { $0.steps } }
        set {
            // The steps that were there are released outside of the lock.
            _ = state.withLock { state in
                defer { state.steps = newValue }
                return state.steps
            }
        }
    }

    func count(of use: FailingStore.Use) -> Int { state.withLock { $0.counts[use] ?? 0 } }

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        play(.write, Set(writes.map(\.schema.name))) { $0.perform(writes) }
    }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        play(.read, [schema.name]) { $0.fetch(query, of: schema) }
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        play(.read, [schema.name]) { $0.record(identifier, of: schema) }
    }

    func totals(_ aggregate: RecordAggregate, of schema: ModelSchema) -> Promise<RecordTotals> {
        play(.read, [schema.name]) { $0.totals(aggregate, of: schema) }
    }

    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        play(.transaction, []) { $0.transaction(body) }
    }

    private func take(_ use: FailingStore.Use, _ types: Set<String>) -> FailingStore.Step? {
        state.withLock { state in
            state.counts[use, default: 0] += 1
            let index = state.steps.firstIndex { $0.fits(use, types) }
            return index.map { state.steps.remove(at: $0) }
        }
    }

    private func play<Value: Sendable>(
        _ use: FailingStore.Use,
        _ types: Set<String>,
        _ work: @escaping @Sendable (any RecordStore) -> Promise<Value>
    ) -> Promise<Value> {
        switch take(use, types)?.effect {
        case nil, .pass: work(base)
        case .fail(let error): .failed(error)
        case .loseAnswer(let error): work(base).map { _ in throw error }
        case .delay(let duration):
            later(Promise { [clock] in try await clock.sleep(for: duration) }, work)
        case .hold(let promise): later(promise, work)
        }
    }

    /// Does the work when its time has come, unless it is cancelled before.
    private func later<Value: Sendable>(
        _ time: Promise<Void>,
        _ work: @escaping @Sendable (any RecordStore) -> Promise<Value>
    ) -> Promise<Value> {
        let (promise, resolver) = Promise<Value>.withResolvers()
        let gate = CancellationGate()
        gate.decide(resolver)
        time.observe { [base] result in
            guard gate.begin() else { return }
            switch result {
            case .success: resolver.follow(work(base))
            case .failure(let error): resolver.reject(error)
            }
        }
        return promise
    }
}
