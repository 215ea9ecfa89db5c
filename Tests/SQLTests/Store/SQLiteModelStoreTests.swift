import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import Synchronization
import TestSupport
import Testing

@Suite struct SQLiteModelStoreTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    private func person(_ id: String, _ name: String = "Ada") -> First.Person {
        let person = First.Person()
        person.id.value = id
        person.name.value = name
        return person
    }

    @Test func `what was written is there when the file is opened again`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create([person("b"), person("a")]).value
        let item = try await store.create(Everything()).value
        _ = try await store.delete(item).value
        try await store.close().value

        let again = try SQLiteModelStore(path: path)
        let people = try await again.list(First.Person.self).value
        expect(people.map(\.id.value), equals: ["b", "a"])
        let next = try await again.create(Everything()).value
        expect(next.id.value, equals: 2, "the number of a deleted model is not given again")
    }

    @Test func `who is interested is notified of each use of a database`() async throws {
        let received = Mutex<[String]>([])
        let events = StoreEvents { event in received.withLock { $0.append("\(event)") } }
        let store = try SQLiteModelStore(path: path, events: events)
        _ = try await store.create(person("a")).value
        await #expect(throws: StoreError.self) { try await store.create(person("a")).value }
        let found = received.withLock { $0 }
        expect(found.count, equals: 4)
        expect(found.allSatisfy { $0.contains("create Person") })
        expect(found[3].contains("alreadyExists"))
        let inMemory = try SQLiteModelStore(path: ":memory:", events: events)
        _ = try await inMemory.list(First.Person.self).value
        expect(received.withLock { $0.count }, equals: 6)
    }

    @Test func `a number that another program has added is not given again`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create(Everything()).value
        try SQLiteConnection(path: path).execute(
            "INSERT INTO Everything (_revision, id) VALUES (1, 70)"
        )
        let next = try await store.create(Everything()).value
        expect(next.id.value, equals: 71)
    }

    @Test(arguments: [Int64.max, Int64.max - 1] as [Int64])
    func `a file whose numbers an earlier version has used up goes on`(last: Int64) async throws {
        do {
            let store = try SQLiteModelStore(path: path)
            _ = try await store.create([Everything(), Everything()]).value
            try await store.close().value
        }
        let connection = try SQLiteConnection(path: path)
        try connection.execute("INSERT INTO Everything (_revision, id) VALUES (1, \(last))")
        try connection.execute("UPDATE _modelkit_numbers SET last = \(last)")
        let store = try SQLiteModelStore(path: path)
        let made = try await store.create([Everything(), Everything()]).value
        expect(made.map(\.id.value), equals: [3, 4])
        _ = try await store.delete(made[1]).value
        try await store.close().value
        let next = try await SQLiteModelStore(path: path).create(Everything()).value
        expect(next.id.value, equals: 5)
    }

    @Test func `a closed store is unavailable`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create(person("p1")).value
        try await store.close().value
        try await store.close().value
        await #expect(
            throws: StoreError.unavailable("\(path): it is closed", .notApplied)
        ) {
            try await store.create(person("p2")).value
        }
    }

    @Test func `what was asked for before is done before the file is closed`() async throws {
        let store = try SQLiteModelStore(path: path)
        let model = person("p1")
        let creation: Promise = store.create(model)
        // It waits for the creation.
        model.name.value = "Zoe"
        let update: Promise = store.update(model)
        let closing: Promise = store.close()
        _ = try await creation.value
        _ = try await update.value
        try await closing.value
        let again = try SQLiteModelStore(path: path)
        let found = try await again.lookup(First.Person.self, identifier: "p1").value
        expect(found.name.value, equals: "Zoe")
    }

    @Test func `a file that another connection has locked is unavailable`() async throws {
        let store = try SQLiteModelStore(path: path, busyTimeout: .milliseconds(1))
        let model = try await store.create(person("p1")).value
        let other = try SQLiteConnection(path: path)
        try other.execute("BEGIN IMMEDIATE")
        let locked = StoreError.unavailable(
            "\(path) is locked by another process or connection",
            .notApplied
        )
        await #expect(throws: locked) { try await store.create(person("p2")).value }
        model.name.value = "Bob"
        await #expect(throws: locked) { try await store.update(model).value }
        try await expect(store.list(First.Person.self).value.count, equals: 1, "reading goes on")
        try other.execute("ROLLBACK")
        _ = try await store.update(model).value
        try await expect(store.list(First.Person.self).value.map(\.name.value), equals: ["Bob"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `what waits for others who write is given up at its deadline, and not made`() async throws
    {
        let store = try SQLiteModelStore(path: path, busyTimeout: .seconds(60))
        try await store.create(person("p1"))
        let other = try SQLiteConnection(path: path)
        let hasty = store.with(deadline: .milliseconds(50))
        let uses: [@Sendable () -> Promise<Void>] = [
            { hasty.create(person("p2")).map { _ in } },
            { hasty.transaction { _ in Issue.record("it must not begin") } },
        ]
        // Each by itself, so that it is the one that waits for the lock.
        for (number, use) in uses.enumerated() {
            try other.execute("BEGIN IMMEDIATE")
            let late = StoreError.timedOut(.notApplied)
            await #expect(throws: late) { try await use().value }
            let last: Promise<First.Person> = store.create(person("p3\(number)"))
            try other.execute("ROLLBACK")
            _ = try await last.value
        }
        let found = try await store.list(First.Person.self).value
        expect(found.map(\.id.value), equals: ["p1", "p30", "p31"])
    }

    @Test func `two stores write to one file at once`() async throws {
        let stores = try (0..<2).map { _ in
            try SQLiteModelStore(path: path, sharing: .severalProcesses)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, store) in stores.enumerated() {
                for number in 0..<40 {
                    group.addTask {
                        _ = try await store.create(person("\(index)-\(number)")).value
                        _ = try await store.create(Everything()).value
                    }
                }
            }
            try await group.waitForAll()
        }
        for store in stores {
            try await expect(store.list(First.Person.self).value.count, equals: 80)
            let numbers = try await store.list(Everything.self, orderBy: .ascending(\.id)).value
            expect(numbers.map(\.id.value), equals: (1...80).map { $0 })
        }
    }

    @Test func `a file that is no database is reported, and stays as it is`() async throws {
        let text = Data(repeating: 0x41, count: 5000)
        try text.write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: StoreError.self) { try SQLiteModelStore(path: path) }
        guard case .corrupt(let message)? = error else {
            Issue.record("not corrupt: \(String(describing: error))")
            return
        }
        expect(message.hasPrefix("\(path) is not a database or is damaged"))
        try expect(Data(contentsOf: URL(fileURLWithPath: path)), equals: text)
    }

    @Test func `pages that are overwritten are reported when they are read`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create((0..<2_000).map { person("p\($0)") }).value
        try await store.close().value
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: 3 * 4096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 20 * 4096))
        try handle.close()
        let again = try SQLiteModelStore(path: path)
        let error = await #expect(throws: StoreError.self) {
            try await again.list(First.Person.self).value
        }
        guard case .corrupt(let message)? = error else {
            Issue.record("not corrupt: \(String(describing: error))")
            return
        }
        expect(message.hasPrefix("\(path) is damaged"))
    }

    @Test func `a directory and a path through a file cannot be opened`() throws {
        #expect(
            throws: StoreError.unavailable(
                "\(directory.path) could not be opened: it is a directory",
                .notApplied
            )
        ) {
            try SQLiteModelStore(path: directory.path)
        }
        #expect(
            throws: StoreError.unavailable(
                "\(path)/x could not be opened: there is no such file or directory",
                .notApplied
            )
        ) {
            try SQLiteModelStore(path: path + "/x")
        }
    }

    @Test(arguments: [
        ("flag = 2", "Everything.flag of 1 is 2, not 0 or 1"),
        ("count = 'x'", "Everything.count of 1 holds a value of the type text, which it cannot"),
        (
            "tags = '[1,'",
            "Everything.tags of 1 is not JSON: expected a value, found the end of the text at byte 3 (line 1, column 4)"
        ),
        ("tags = '{}'", "Everything.tags of 1 holds a dictionary in JSON, not array"),
        ("extra = x'09'", "Everything.extra of 1 holds a blob that was not written by this store"),
    ])
    func `a value that no field can have is reported with its place`(
        _ change: String,
        _ reason: String
    ) async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create(Everything()).value
        try SQLiteConnection(path: path).execute("UPDATE Everything SET \(change)")
        await #expect(throws: StoreError.corrupt(reason)) {
            try await store.list(Everything.self).value
        }
    }

    @Test func `a text that is no JSON is damage, also where it is searched`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create(Everything()).value
        try SQLiteConnection(path: path).execute("UPDATE Everything SET tags = '[1,'")
        let error = await #expect(throws: StoreError.self) {
            try await store.list(Everything.self, where: .contains(\.tags, "a")).value
        }
        guard case .corrupt(let message)? = error else {
            Issue.record("not corrupt: \(String(describing: error))")
            return
        }
        expect(message.hasPrefix("\(path): malformed JSON"))
    }

    @Test func `JSON of another program is read`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create(Everything()).value
        try SQLiteConnection(path: path).execute(
            #"""
            UPDATE Everything SET tags = ' [ "a\/\u00e9\ud83d\ude00\n" , "b" ] ',
            owner = '{"name" : "Ada", "id": null}'
            """#
        )
        try await store.close().value
        let other = try SQLiteModelStore(path: path)
        let thing = try await other.lookup(Everything.self, identifier: 1).value
        expect(thing.tags.value, equals: ["a/é😀\n", "b"])
        expect(thing.owner.value?.name.value, equals: "Ada")
    }

    @Test func `a rule of the table that is not ours is reported`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create(person("p1")).value
        try SQLiteConnection(path: path).execute("CREATE UNIQUE INDEX names ON Person (name)")
        let error = await #expect(throws: StoreError.self) {
            try await store.create(person("p2")).value
        }
        expect(
            error,
            equals: .schema("\(path) refused the change: UNIQUE constraint failed: Person.name")
        )
    }

    @Test func `the store needs nothing that waits for its own queue`() throws {
        let store = try SQLiteModelStore(path: path)
        let chain: Promise = store.create(person("p1")).then { person in
            person.name.value = "Bob"
            return store.update(person)
        }
        .then { _ in store.lookup(First.Person.self, identifier: "p1") }
        .then { store.delete($0) }
        .then { _ in store.close() }
        try chain.wait()
    }

    @Test func `a write that is cancelled before its turn is not made`() async throws {
        let store = try SQLiteModelStore(path: path)
        let gate = DispatchSemaphore(value: 0)
        let person = person("p1")
        // Not a handler of the promise, which is run here if the promise is there already.
        let first = store.transaction { transaction in
            try transaction.create(person)
            gate.wait()
        }
        let write = RecordWrite(.create("p2", [:]), of: First.Person.schema)
        let second = store.records.perform([write])
        second.cancel()
        gate.signal()
        try await first.value
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await second.value }
        try await expect(store.list(First.Person.self).value.map(\.id.value), equals: ["p1"])
    }
}
