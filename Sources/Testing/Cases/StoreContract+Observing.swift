import ModelKitFields
import ModelKitStores

extension StoreContract {
    /// Stores that report no changes say so, and pass.
    static let observing: [Case] = [
        observing("a live query gives what is there, and what every commit changes") { run in
            let store = run.store
            let ada = try await store.create(ContractPerson("a", name: "Ada", age: 30)).value
            let log = LiveLog(
                store.observe(ContractPerson.self, where: \.age >= 18, orderBy: .ascending(\.name))
            )
            try await log.wait(for: ["Ada"], run)
            let bob = try await store.create(ContractPerson("b", name: "Bob", age: 20)).value
            try await log.wait(for: ["Ada", "Bob"], run)
            bob.name.value = "Aaron"
            _ = try await store.update(bob).value
            try await log.wait(for: ["Aaron", "Ada"], run)
            ada.age.value = 3
            _ = try await store.update(ada).value
            try await log.wait(for: ["Aaron"], run)
            _ = try await store.delete(bob).value
            try await log.wait(for: [], run)
            try run.expect(log.isWhole, "edits do not lead from one result to the next")
        },
        observing("what changes nothing in the answer is not reported") { run in
            let store = run.store
            let ada = try await store.create(ContractPerson("a", name: "Ada", age: 30)).value
            let log = LiveLog(store.observe(ContractPerson.self, where: \.age >= 18))
            try await log.wait(for: ["Ada"], run)
            _ = try await store.create(ContractPerson("c", name: "Child", age: 3)).value
            _ = try await store.create(ContractItem(1)).value
            ada.weight.value = 60
            _ = try await store.update(ada).value
            try await log.wait(until: { $0.last?.updated == [ada] }, run)
            try run.expect(log.count, 2, "the number of results")
            try run.expect(log.last?.change.edits.isEmpty, true, "whether there are no edits")
        },
        observing("a live query reports nothing of what is rolled back") { run in
            let store = run.store
            let log = LiveLog(store.observe(ContractPerson.self))
            try await log.wait(for: [], run)
            struct Failure: Error {}
            let failed = store.transaction { transaction in
                try transaction.create(ContractPerson("a", name: "Ada"))
                throw Failure()
            }
            _ = try? await failed.value
            do {
                try await store.transaction { transaction in
                    try transaction.create(ContractPerson("b", name: "Bob"))
                    try transaction.create(ContractPerson("c", name: "Cy"))
                }.value
            } catch StoreError.unsupported {
                return
            }
            try await log.wait(for: ["Bob", "Cy"], run)
            try run.expect(log.count, 2, "the number of results")
        },
        observing("what is deleted and made anew in one commit is reported as written") { run in
            let store = run.store
            let ada = try await store.create(ContractPerson("a", name: "Ada")).value
            let log = LiveLog(store.observe(ContractPerson.self, orderBy: .ascending(\.name)))
            try await log.wait(for: ["Ada"], run)
            do {
                try await store.transaction { transaction in
                    try transaction.delete(ada)
                    ada.weight.value = 60
                    try transaction.create(ada)
                }.value
            } catch StoreError.unsupported {
                return
            }
            _ = try await store.create(ContractPerson("b", name: "Bob")).value
            try await log.wait(for: ["Ada", "Bob"], run)
            try run.expect(log.updated, [ada], "the models that were written")
        },
        observing("each iteration begins with what is there, and ends when cancelled") { run in
            let store = run.store
            _ = try await store.create(ContractPerson("a", name: "Ada")).value
            let live = store.observe(ContractPerson.self)
            for _ in 0..<2 {
                for try await result in live {
                    try run.expect(result.isFirst, "the first result is not called so")
                    try run.expect(result.models.map(\.id.value), ["a"], "the models")
                    break
                }
            }
            let task = Task {
                var count = 0
                for try await _ in live { count += 1 }
                return count
            }
            try await Task.sleep(for: .milliseconds(20))
            task.cancel()
            let count = try await task.value
            try run.expect(count <= 1, "a cancelled iteration has \(count) results")
        },
    ]

    private static func observing(
        _ description: String,
        _ body: @escaping @Sendable (ContractRun) async throws -> Void
    ) -> Case {
        Case(description) { run in
            do {
                for try await _ in run.store.observe(ContractItem.self) { break }
            } catch StoreError.unsupported {
                return
            }
            try await body(run)
        }
    }
}

/// The results of a live query of people.
private final class LiveLog: Sendable {
    private struct State {
        var results: [LiveResult<ContractPerson>] = []
        var error: (any Error)?
        var observation: LiveObservation?
    }

    private let state = Guarded(State())

    init(_ query: LiveQuery<ContractPerson>) {
        let observation = query.observe { [weak self] result in
            self?.state.withLock { state in
                switch result {
                case .success(let result): state.results.append(result)
                case .failure(let error): state.error = error
                }
            }
        }
        state.withLock { $0.observation = observation }
    }

    var count: Int { state.withLock { $0.results.count } }

    var last: LiveResult<ContractPerson>? { state.withLock { $0.results.last } }

    /// What all results say was written.
    var updated: [ContractPerson] { state.withLock { $0.results.flatMap(\.updated) } }

    /// Whether each result begins where the one before has ended, and its edits lead to its end.
    var isWhole: Bool {
        var mirror: [ContractPerson] = []
        for result in state.withLock({ $0.results }) {
            if result.change.old != mirror { return false }
            do {
                try result.change.apply(to: &mirror)
            } catch {
                return false
            }
            if mirror != result.models { return false }
        }
        return true
    }

    func wait(for names: [String], _ run: ContractRun) async throws {
        try await wait(until: { $0.last?.models.map(\.name.value) == names }, run)
    }

    func wait(until isDone: (LiveLog) -> Bool, _ run: ContractRun) async throws {
        // Long, as a machine may have other things to do; what is lost never comes.
        let end = ContinuousClock.now + .seconds(600)
        while !isDone(self) {
            if let error = state.withLock({ $0.error }) { throw error }
            let found = last?.models.map { $0.name.value ?? "nobody" }
            try run.expect(ContinuousClock.now < end, "the last result has stayed \(found ?? [])")
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
