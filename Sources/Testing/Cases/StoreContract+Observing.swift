import ModelKitFields
import ModelKitStores

extension StoreContract {
    static let observing: [Case] = [
        Case("a live query gives what is there, and what every commit changes") { run in
            let store = run.store
            let ada = try await store.create(ContractPerson("a", name: "Ada", age: 30))
            let log = LiveLog(
                store.observe(ContractPerson.self, where: \.age >= 18, orderBy: .ascending(\.name))
            )
            try await log.wait(for: ["Ada"], run)
            let bob = try await store.create(ContractPerson("b", name: "Bob", age: 20))
            try await log.wait(for: ["Ada", "Bob"], run)
            bob.name.value = "Aaron"
            try await store.update(bob)
            try await log.wait(for: ["Aaron", "Ada"], run)
            ada.age.value = 3
            try await store.update(ada)
            try await log.wait(for: ["Aaron"], run)
            try await store.delete(bob)
            try await log.wait(for: [], run)
            try run.expect(log.isWhole(), "edits do not lead from one result to the next")
        },
        Case("what changes nothing in the answer is not reported") { run in
            let ada = try await run.store.create(ContractPerson("a", name: "Ada", age: 30))
            let log = LiveLog(run.store.observe(ContractPerson.self, where: \.age >= 18))
            try await log.wait(for: ["Ada"], run)
            try await run.store.create(ContractPerson("c", name: "Child", age: 3))
            try await run.store.create(ContractItem(1))
            ada.weight.value = 60
            try await run.store.update(ada)
            try await log.wait(until: { $0.updated == [ada] }, run)
            try run.expect(log.elements.count, 2, "the number of results")
            try run.expect(log.elements[1].edits.isEmpty, "edits of what has stayed")
        },
        Case("a live query reports nothing of what is rolled back", [.transactions]) { run in
            let log = LiveLog(run.store.observe(ContractPerson.self))
            try await log.wait(for: [], run)
            let failed = run.store.transaction { transaction in
                try transaction.create(ContractPerson("a", name: "Ada"))
                throw ContractFailure()
            }
            _ = try? await failed.value
            try await run.store.transaction { transaction in
                try transaction.create(ContractPerson("b", name: "Bob"))
                try transaction.create(ContractPerson("c", name: "Cy"))
            }.value
            try await log.wait(for: ["Bob", "Cy"], run)
            try run.expect(log.elements.count, 2, "the number of results")
        },
        Case("what is deleted and made anew in one commit is reported as written", [.transactions])
        {
            run in
            let ada = try await run.store.create(ContractPerson("a", name: "Ada"))
            let query = run.store.observe(ContractPerson.self, orderBy: .ascending(\.name))
            let log = LiveLog(query)
            try await log.wait(for: ["Ada"], run)
            try await run.store.transaction { transaction in
                try transaction.delete(ada)
                ada.weight.value = 60
                try transaction.create(ada)
            }.value
            try await run.store.create(ContractPerson("b", name: "Bob"))
            try await log.wait(for: ["Ada", "Bob"], run)
            // Of all results.
            try run.expect(log.elements.flatMap(\.updated), [ada], "the models that were written")
        },
        Case("a window has a part of the list, and the number of all", [.counts]) { run in
            let people = (0..<9).map { ContractPerson("p\($0)", name: "n\($0)") }
            try await run.store.create(people)
            let sorted: Ordering<ContractPerson> = .ascending(\.name)
            let window = run.store.observe(ContractPerson.self, orderBy: sorted, window: 2..<4)
            let results = window.makeAsyncIterator()
            func expect(_ names: [String], of total: Int, _ what: String) async throws {
                let result = try await results.next()
                try run.expect(result?.models.map(\.name.value), names, what)
                try run.expect(result?.total, total, what)
            }
            try await expect(["n2", "n3"], of: 9, "the first result")
            try await run.store.delete(people[0])
            try await expect(["n3", "n4"], of: 8, "after a deletion")
            window.show(6..<20)
            try await expect(["n7", "n8"], of: 8, "after a move")
        },
        Case("each iteration begins with what is there, and ends when cancelled") { run in
            try await run.store.create(ContractPerson("a", name: "Ada"))
            let live = run.store.observe(ContractPerson.self)
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
    .map { $0.needing(.liveQueries) }
}

private typealias LiveLog = ResultLog<LiveResult<ContractPerson>>

extension LiveLog {
    fileprivate convenience init(_ query: LiveQuery<ContractPerson>) {
        self.init()
        follow(query.observe { [weak self] in self?.add($0) })
    }

    /// Whether each result begins where the one before has ended, and its edits lead to its end.
    fileprivate func isWhole() throws -> Bool {
        var mirror: [ContractPerson] = []
        return try elements.allSatisfy { result in
            guard result.change.old == mirror else { return false }
            try? result.change.apply(to: &mirror)
            return mirror == Array(result.models)
        }
    }

    fileprivate func wait(for names: [String], _ run: ContractRun) async throws {
        try await wait(until: { $0.models.map(\.name.value) == names }, run)
    }

    fileprivate func wait(
        until isDone: (LiveResult<ContractPerson>) -> Bool,
        _ run: ContractRun
    ) async throws {
        try await wait(until: { $0.last.map(isDone) ?? false }, run) { result in
            "\(result.models.map { $0.name.value ?? "nobody" })"
        }
    }
}
