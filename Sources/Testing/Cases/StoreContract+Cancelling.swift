import Dispatch
import ModelKitFields
import ModelKitModels
import ModelKitStores

extension StoreContract {
    /// What waits here waits behind a transaction; stores without them pass those cases.
    static let cancelling: [Case] = [
        Case("what a write says that was cancelled is so") { run in
            for round in 0..<16 {
                let person = ContractPerson("p\(round)", name: "Ada")
                let creation: Promise = run.store.create(person)
                for _ in 0..<(round % 4) { await Task.yield() }
                creation.cancel()
                var isThere: Bool?
                do {
                    _ = try await creation.value
                    isThere = true
                } catch StoreError.cancelled(let outcome) {
                    isThere = outcome == .unknown ? nil : outcome == .applied
                }
                _ = try await run.store.create(ContractItem()).value
                guard let isThere else { continue }
                let found = try await run.found(
                    ContractPerson.self,
                    RecordQuery(filter: .compare("id", .equal, .string("p\(round)")))
                )
                try run.expect(!found.isEmpty, isThere, "whether \(person) is stored")
            }
        },
        Case("cancelled writes say whether they were done") { run in
            for round in 0..<120 {
                let identifier = "p\(round)"
                let task = Task {
                    _ = try await run.store.create(ContractPerson(identifier, name: "Ada")).value
                }
                // At all moments from before the task runs until after the write.
                if round.isMultiple(of: 3) {
                    try? await Task.sleep(for: .microseconds(round * 7))
                } else {
                    for _ in 0..<(round % 40) { await Task.yield() }
                }
                task.cancel()
                var isThere: Bool? = true
                do {
                    try await task.value
                } catch StoreError.cancelled(let outcome) {
                    isThere = outcome == .unknown ? nil : outcome == .applied
                } catch {
                    try run.expect(false, "a cancelled write fails with \(error)")
                }
                guard let isThere else { continue }
                let found = try await run.found(
                    ContractPerson.self,
                    RecordQuery(filter: .compare("id", .equal, .string(identifier)))
                )
                try run.expect(!found.isEmpty, isThere, "whether \(identifier) is stored")
            }
        },
        Case("so do cancelled writes that find a way out of conflicts") { run in
            guard let store = run.store as? any RecordModelStore else { return }
            let person = ContractPerson("p", name: "Ada", age: 0)
            _ = try await store.create(person).value
            for round in 1...60 {
                person.age.value = round
                let task = Task {
                    let update: Promise = store.update(
                        person,
                        onConflict: .merge { _, mine, _ in mine }
                    )
                    _ = try await update.value
                }
                for _ in 0..<(round % 20) { await Task.yield() }
                task.cancel()
                var isThere: Bool? = true
                do {
                    try await task.value
                } catch StoreError.cancelled(let outcome) {
                    isThere = outcome == .unknown ? nil : outcome == .applied
                }
                guard let isThere else { continue }
                let record = try await store.records.record("p", of: ContractPerson.schema).value
                let isStored = record?["age"] == .int(Int64(round))
                try run.expect(isStored, isThere, "whether age \(round) is stored")
            }
        },
        Case("a read that is cancelled fails as all else in a store does") { run in
            _ = try await run.store.create(ContractPerson("p", name: "Ada")).value
            try await cancel(run.store.list(ContractPerson.self), run)
            try await cancel(run.store.page(ContractPerson.self, limit: 1), run)
            try await cancel(run.store.lookup(ContractPerson.self, identifier: "p"), run)
        },
        transaction("a write that is cancelled before it has begun is not made") { run in
            for store in [run.store, run.otherSession() ?? run.store] {
                let held = await HeldTransaction(of: run.store)
                let (dropped, kept) = (ContractNote("dropped"), ContractNote("kept"))
                let first: Promise = store.create(dropped)
                let second: Promise = store.create(kept)
                first.cancel()
                held.release()
                try await run.expect(.cancelled(.notApplied), from: first)
                _ = try await second.value
                _ = try await held.done.value
                let found = try await store.list(ContractNote.self).value.map(\.id.value)
                try run.expect(found, ["kept"], "what is stored")
                try run.expect(dropped.log.all, ["beforeSave"], "the notifications of the model")
                _ = try await store.create(dropped).value
                _ = try await store.delete([dropped, kept]).value
            }
        },
        transaction(
            "what has begun goes on when it is cancelled, and its models are notified of it"
        ) {
            run in
            let store = run.store
            let note = ContractNote("a")
            let held = await HeldTransaction(of: store) { try $0.create(note) }
            // Where it is the caller's thread that the body runs on, nobody can cancel it.
            let promise = await held.promise
            promise?.cancel()
            if let promise { try await run.expect(.cancelled(.unknown), from: promise) }
            held.release()
            _ = try await store.create(ContractNote("b")).value
            let found = try await run.found(ContractNote.self, RecordQuery())
            try run.expect(found, ["a", "b"], "what is stored")
            try run.expect(
                note.log.all,
                ["beforeSave", "afterCreate"],
                "the notifications of the model"
            )
            note.title.value = "Known"
            _ = try await store.update(note).value
        },
        transaction("writes asked for independently each have an outcome") { run in
            let held = await HeldTransaction(of: run.store)
            let writes: Promise = run.store.perform(independently: [
                .create(ContractPerson("a", name: "A")), .create(ContractPerson("b", name: "B")),
            ])
            writes.cancel()
            held.release()
            for outcome in try await writes.value {
                guard case .failure(StoreError.cancelled(.notApplied)) = outcome else {
                    return try run.expect(false, "an outcome is \(outcome)")
                }
            }
            _ = try await held.done.value
            let found = try await run.found(ContractPerson.self, RecordQuery())
            try run.expect(found, [], "what is stored")
        },
        transaction("what is not done in time is not made, if it has not begun") { run in
            guard let store = run.store as? any RecordModelStore else { return }
            let held = await HeldTransaction(of: store)
            let late: Promise = store.with(deadline: .milliseconds(1)).create(
                ContractPerson("a", name: "A")
            )
            let early: Promise = store.with(deadline: .seconds(6_000)).create(
                ContractPerson("b", name: "B")
            )
            try await run.expect(.timedOut(.notApplied), from: late)
            held.release()
            _ = try await early.value
            _ = try await held.done.value
            let found = try await run.found(ContractPerson.self, RecordQuery())
            try run.expect(found, ["b"], "what is stored")
        },
    ]

    /// Cancels a read, which may be over.
    private static func cancel<Value>(_ read: Promise<Value>, _ run: ContractRun) async throws {
        read.cancel()
        do {
            _ = try await read.value
        } catch StoreError.cancelled(let outcome) {
            try run.expect(outcome, .notApplied, "the outcome of a read")
        } catch {
            try run.expect(false, "it fails with \(error)")
        }
    }

    static let events: [Case] = [
        Case("events report each use, without identifiers and values") { run in
            let log = ContractLog()
            let events = StoreEvents { event in
                log.append("\(event)")
                if event.error != nil || event.identifier != nil { log.append("secret contents") }
            }
            guard let store = run.otherSession(events: events) else { return }
            let person = try await store.create(ContractPerson("secret", name: "secret")).value
            _ = try await run.failure(of: store.create(ContractPerson("secret", name: "secret")))
            _ = try await run.failure(of: store.create(ContractPerson("secret2", name: "")))
            _ = try await run.failure(
                of: store.lookup(ContractPerson.self, identifier: "secret3")
            )
            _ = try await store.list(ContractPerson.self, where: \.name == "secret").value
            _ = try await store.delete(person).value
            try run.expect(log.all.count, 12, "the number of events")
            try run.expect(log.all.filter { $0.contains("secret") }, [], "the events with contents")
            let failures = ["alreadyExists", "validation", "notFound"].map { name in
                log.all.count { $0.hasSuffix(": \(name)") }
            }
            try run.expect(failures, [1, 1, 1], "the events of failures")
        }
    ]
}

/// A transaction that has begun, and ends when the test says so.
private final class HeldTransaction: Sendable {
    /// Is there when it is over.
    let done: Promise<Void>
    private let over = DispatchSemaphore(value: 0)
    private let asked: Promise<Void>
    private let asking = Guarded<Promise<Void>?>(nil)

    /// Returns when the body runs.
    init(
        of store: any ModelStore,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Void = { _ in }
    ) async {
        let (inside, insideResolver) = Promise<Void>.withResolvers()
        let (asked, askedResolver) = Promise<Void>.withResolvers()
        let (done, doneResolver) = Promise<Void>.withResolvers()
        (self.asked, self.done) = (asked, done)
        // So that it is not cancelled below.
        done.observe { _ in }
        // On a thread of its own, which the body may block.
        DispatchQueue(label: "ModelKit contract transaction").async { [self] in
            let promise = store.transaction { [self] transaction in
                insideResolver.fulfill()
                over.wait()
                try body(transaction)
            }
            asking.withLock { $0 = promise }
            askedResolver.fulfill()
            promise.observe { doneResolver.resolve($0) }
        }
        // If it fails before, `done` says why.
        _ = try? await Promise.race([inside, done]).value
    }

    /// The transaction; nil where it is not there before it is over.
    var promise: Promise<Void>? {
        get async {
            _ = try? await asked.map { _ in }.timeout(.milliseconds(100)).value
            return asking.withLock { $0 }
        }
    }

    func release() { over.signal() }
}
