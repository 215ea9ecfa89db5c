import Dispatch
import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    /// What waits here waits behind a transaction.
    static let cancelling: [Case] = [
        Case("what a write says that was cancelled is so") { run in
            for round in 0..<16 {
                let id = "p\(round)"
                let creation: Promise = run.store.create(ContractPerson(id, name: "Ada"))
                for _ in 0..<(round % 4) { await Task.yield() }
                creation.cancel()
                let isMade = try await run.isMade { _ = try await creation.value }
                try await run.store.create(ContractItem())
                try await run.expectPerson(id, isThere: isMade)
            }
        },
        Case("cancelled writes say whether they were done") { run in
            for round in 0..<120 {
                let id = "p\(round)"
                let task = Task { _ = try await run.store.create(ContractPerson(id, name: "Ada")) }
                // At all moments from before the task runs until after the write.
                if round.isMultiple(of: 3) {
                    try? await Task.sleep(for: .microseconds(round * 7))
                } else {
                    for _ in 0..<(round % 40) { await Task.yield() }
                }
                task.cancel()
                let isMade = try await run.isMade { try await task.value }
                try await run.expectPerson(id, isThere: isMade)
            }
        },
        Case("so do cancelled writes that find a way out of conflicts") { run in
            let store = try run.recordStore
            let person = ContractPerson("p", name: "Ada", age: 0)
            try await store.create(person)
            for round in 1...60 {
                person.age.value = round
                let task = Task {
                    _ = try await store.update(person, onConflict: .merge { _, mine, _ in mine })
                }
                for _ in 0..<(round % 20) { await Task.yield() }
                task.cancel()
                guard let isMade = try await run.isMade({ try await task.value }) else { continue }
                let record = try await run.record("p", of: ContractPerson.self)
                let isStored = record?["age"] == .int(Int64(round))
                try run.expect(isStored, isMade, "whether age \(round) is stored")
            }
        },
        Case("a read that is cancelled fails as all else in a store does") { run in
            try await run.store.create(ContractPerson("p", name: "Ada"))
            try await run.cancel(run.store.list(ContractPerson.self))
            try await run.cancel(run.store.page(ContractPerson.self, limit: 1))
            try await run.cancel(run.store.lookup(ContractPerson.self, identifier: "p"))
        },
        Case("a write that is cancelled before it has begun is not made", [.transactions]) { run in
            for store in [run.store, run.reader] {
                // Of the same store, as another one may not be waited for.
                let held = await HeldTransaction(of: store)
                let (dropped, kept) = (ContractNote("dropped"), ContractNote("kept"))
                let first: Promise = store.create(dropped)
                let second: Promise = store.create(kept)
                first.cancel()
                try await held.end()
                try await run.expect(.cancelled(.notApplied), from: first)
                _ = try await second.value
                let found = try await store.list(ContractNote.self).map(\.id.value)
                try run.expect(found, ["kept"], "what is stored")
                try run.expect(dropped.log.all, ["beforeSave"], "the notifications of the model")
                try await store.create(dropped)
                try await store.delete([dropped, kept])
            }
        },
        Case(
            "what has begun goes on when it is cancelled, and its models are notified of it",
            [.transactions]
        ) { run in
            let note = ContractNote("a")
            let held = await HeldTransaction(of: run.store) { try $0.create(note) }
            // Where it is the caller's thread that the body runs on, nobody can cancel it.
            let promise = await held.promise
            promise?.cancel()
            if let promise { try await run.expect(.cancelled(.unknown), from: promise) }
            try? await held.end()
            try await run.store.create(ContractNote("b"))
            try await run.expectStored(ContractNote.self, ["a", "b"])
            var notes = note.log.all
            if run.limits.contains(.numbersWithGaps) {
                // The body may have run again.
                notes = notes.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
            }
            try run.expect(notes, ["beforeSave", "afterCreate"], "the notifications")
            note.title.value = "Known"
            try await run.store.update(note)
        },
        Case("writes asked for independently each have an outcome", [.transactions]) { run in
            let held = await HeldTransaction(of: run.store)
            let writes: Promise = run.store.perform(independently: [
                .create(ContractPerson("a", name: "A")), .create(ContractPerson("b", name: "B")),
            ])
            writes.cancel()
            try await held.end()
            for outcome in try await writes.value {
                guard case .failure(StoreError.cancelled(.notApplied)) = outcome else {
                    return try run.expect(false, "an outcome is \(outcome)")
                }
            }
            try await run.expectStored(ContractPerson.self, [])
        },
        Case("what is not done in time is not made, if it has not begun", [.transactions]) { run in
            let store = try run.recordStore
            let held = await HeldTransaction(of: store)
            func create(_ id: String, within deadline: Duration) -> Promise<ContractPerson> {
                store.with(deadline: deadline).create(ContractPerson(id, name: "A"))
            }
            let late = create("a", within: .milliseconds(1))
            let early = create("b", within: .seconds(6_000))
            try await run.expect(.timedOut(.notApplied), from: late)
            try await held.end()
            _ = try await early.value
            try await run.expectStored(ContractPerson.self, ["b"])
        },
    ]

    static let events: [Case] = [
        Case("events report each use, without identifiers and values") { run in
            let log = ContractLog()
            let events = StoreEvents { event in
                log.append("\(event)")
                if event.error != nil || event.identifier != nil { log.append("secret contents") }
            }
            let store = try run.otherSession(events: events)
            let person = try await store.create(ContractPerson("secret", name: "secret"))
            try await run.failure(of: store.create(ContractPerson("secret", name: "secret")))
            try await run.failure(of: store.create(ContractPerson("secret2", name: "")))
            try await run.failure(of: store.lookup(ContractPerson.self, identifier: "secret3"))
            _ = try await store.list(ContractPerson.self, where: \.name == "secret")
            try await store.delete(person)
            try run.expect(log.all.count, 12, "the number of events")
            try run.expect(log.all.filter { $0.contains("secret") }, [], "the events with contents")
            let failures = ["alreadyExists", "validation", "notFound"].map { name in
                log.all.count { $0.hasSuffix(": \(name)") }
            }
            try run.expect(failures, [1, 1, 1], "the events of failures")
        }
    ]
}

extension ContractRun {
    /// Whether a write that is cancelled says that it was made; nil where it does not know.
    fileprivate func isMade(_ write: () async throws -> Void) async throws -> Bool? {
        do {
            try await write()
            return true
        } catch StoreError.cancelled(let outcome) {
            return outcome == .unknown ? nil : outcome == .applied
        } catch {
            throw violation("a cancelled write fails with \(error)", #line)
        }
    }

    fileprivate func expectPerson(_ id: String, isThere: Bool?) async throws {
        guard let isThere else { return }
        let query = RecordQuery(filter: .compare("id", .equal, .string(id)))
        let found = try await found(ContractPerson.self, query)
        try expect(!found.isEmpty, isThere, "whether \(id) is stored")
    }

    /// Cancels a read, which may be over.
    fileprivate func cancel<Value>(_ read: Promise<Value>) async throws {
        read.cancel()
        do {
            _ = try await read.value
        } catch StoreError.cancelled(let outcome) {
            try expect(outcome, .notApplied, "the outcome of a read")
        } catch {
            try expect(false, "it fails with \(error)")
        }
    }
}

/// A transaction that has begun, and ends when the test says so.
private final class HeldTransaction: Sendable {
    /// Is there when it is over.
    private let done: Promise<Void>
    private let over = DispatchSemaphore(value: 0)
    private let asked: Promise<Promise<Void>>

    /// Returns when the body runs.
    init(
        of store: any ModelStore,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Void = { _ in }
    ) async {
        let (inside, insideResolver) = Promise<Void>.withResolvers()
        let (asked, askedResolver) = Promise<Promise<Void>>.withResolvers()
        let (done, doneResolver) = Promise<Void>.withResolvers()
        (self.asked, self.done) = (asked, done)
        // So that it is not cancelled below.
        done.observe { _ in }
        // On a thread of its own, which the body may block.
        DispatchQueue(label: "ModelKit contract transaction").async { [self] in
            let promise = store.transaction { [self] transaction in
                insideResolver.fulfill()
                over.wait()
                // It may run again.
                over.signal()
                try body(transaction)
            }
            askedResolver.fulfill(promise)
            promise.observe { doneResolver.resolve($0) }
        }
        // If it fails before, `done` says why.
        _ = try? await Promise.race([inside, done]).value
    }

    /// The transaction; nil where it is not there before it is over.
    var promise: Promise<Void>? {
        get async { try? await asked.timeout(.milliseconds(100)).value }
    }

    func end() async throws {
        over.signal()
        try await done.value
    }
}
