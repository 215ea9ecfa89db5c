import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SQLiteReadersTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    private static let people = First.Person.schema
    private static let things = Everything.schema

    private static func create(_ id: String, _ name: AttributeValue = "Ada") -> RecordWrite {
        RecordWrite(.create(.string(id), ["name": name]), of: people)
    }

    @Test func `a read does not wait for one that takes long`() async throws {
        let store = try SQLiteModelStore(path: path, readers: 2)
        _ = try await store.records.perform([Self.create("a")]).value
        _ = try await store.records.perform([RecordWrite(.create(1, [:]), of: Self.things)]).value
        let endless = try EndlessPeople(path)
        let read = store.records.fetch(RecordQuery(), of: Self.people)
        for _ in 0..<20 {
            try await expect(store.records.record(1, of: Self.things).value != nil)
        }
        expect(!read.isSettled)
        // Nor does a write.
        _ = try await store.records.perform([RecordWrite(.create(2, [:]), of: Self.things)]).value
        try await expect(store.records.fetch(RecordQuery(), of: Self.things).value.count, equals: 2)
        read.cancel()
        try endless.stop()
        try await store.close().value
    }

    @Test(arguments: [0, 1, 4])
    func `a read sees the writes that were asked for before it`(_ readers: Int) async throws {
        let store = try SQLiteModelStore(path: path, readers: readers)
        var promises: [(Promise<[Record]>, Promise<Record?>)] = []
        for number in 0..<100 {
            _ = store.records.perform([Self.create("\(number)")])
            promises.append(
                (
                    store.records.fetch(RecordQuery(), of: Self.people),
                    store.records.record(.string("\(number)"), of: Self.people)
                )
            )
            if number % 10 == 0 { _ = try await promises[number].0.value }
        }
        for (number, (list, record)) in promises.enumerated() {
            try await expect(list.value.count >= number + 1)
            try await expect(record.value != nil)
        }
    }

    @Test func `what a promise has reported is seen by every read after it`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.records.fetch(RecordQuery(), of: Self.people).value
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<25 {
                        let id = "\(task)-\(number)"
                        _ = try await store.records.perform([Self.create(id)]).value
                        let found = try await store.records.record(.string(id), of: Self.people)
                            .value
                        expect(found != nil)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `readers beside a writer see whole transactions`() async throws {
        let store = try SQLiteModelStore(path: path)
        let ids = (0..<10).map { Identifier.string("\($0)") }
        _ = try await store.records.perform(
            ids.map { RecordWrite(.create($0, ["name": "0"]), of: Self.people) }
        ).value
        let rounds = 60
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 1...rounds {
                    try await store.records.transaction { transaction in
                        for id in ids {
                            try transaction.perform([
                                RecordWrite(
                                    .update(id, ["name": .string("\(round)")], revision: nil),
                                    of: Self.people
                                )
                            ])
                        }
                    }
                    .value
                }
            }
            for _ in 0..<6 {
                group.addTask {
                    var last = 0
                    while last < rounds {
                        let records = try await store.records.fetch(RecordQuery(), of: Self.people)
                            .value
                        let names = Set(records.map { $0.values["name"] })
                        expect(records.count == 10 && names.count == 1)
                        guard case .string(let text)?? = names.first, let round = Int(text),
                            round >= last
                        else {
                            Issue.record("back from \(last) to \(names)")
                            return
                        }
                        last = round
                        // The others, too, need a turn at the two threads.
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `connections are opened when they are needed, and not too many`() async throws {
        var functions = try SQLiteLibrary.system.functions
        functions.openV2 = { name, handle, flags, interface in
            opened.add(1, ordering: .relaxed)
            return (try? SQLiteLibrary.system)?.functions.openV2(name, handle, flags, interface)
                ?? 1
        }
        let store = try SQLiteModelStore(
            path: path,
            readers: 3,
            library: SQLiteLibrary(functions: functions)
        )
        _ = try await store.records.fetch(RecordQuery(), of: Self.people).value
        expect(opened.load(ordering: .relaxed), equals: 1)
        _ = try await store.records.fetch(RecordQuery(), of: Self.people).value
        expect(opened.load(ordering: .relaxed), equals: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    _ = try await store.records.fetch(RecordQuery(), of: Self.people).value
                }
            }
            try await group.waitForAll()
        }
        expect(opened.load(ordering: .relaxed) <= 4)
    }

    @Test func `where no other connection can be opened, the one that writes reads`() async throws {
        var functions = try SQLiteLibrary.system.functions
        functions.openV2 = { name, handle, flags, interface in
            // Readers open the file for reading.
            if flags & 1 != 0 { return 14 }
            return (try? SQLiteLibrary.system)?.functions.openV2(name, handle, flags, interface)
                ?? 1
        }
        let store = try SQLiteModelStore(
            path: path,
            library: SQLiteLibrary(functions: functions)
        )
        _ = try await store.records.perform([Self.create("a")]).value
        for _ in 0..<3 {
            try await expect(
                store.records.fetch(RecordQuery(), of: Self.people).value.count,
                equals: 1
            )
        }
    }

    @Test func `a reader that could not be opened at first does not stay behind`() async throws {
        let before = try SQLiteModelStore(path: path)
        _ = try await before.records.perform([Self.create("a")]).value
        try await before.close().value

        let store = try SQLiteModelStore(
            path: path,
            library: SQLiteLibrary(functions: RefusedOpening.functions)
        )
        RefusedOpening.refuse(path)
        for count in 1...3 {
            for _ in 0..<2 {
                let people = try await store.records.fetch(RecordQuery(), of: Self.people).value
                expect(people.count, equals: count)
            }
            _ = try await store.records.perform([Self.create("\(count)")]).value
        }
    }

    @Test func `readers go on when another program changes the tables`() async throws {
        let store = try SQLiteModelStore(path: path, readers: 2)
        _ = try await store.records.perform([Self.create("a")]).value
        let other = try SQLiteConnection(path: path)
        for number in 0..<10 {
            try await expect(store.records.record("a", of: Self.people).value != nil)
            try other.execute("ALTER TABLE Person ADD COLUMN extra\(number) TEXT")
            let record = try await store.records.record("a", of: Self.people).value
            expect(record?.values, equals: ["id": "a", "name": "Ada"])
            try other.execute("CREATE INDEX index\(number) ON Person (name)")
            try await expect(
                store.records.fetch(RecordQuery(), of: Self.people).value.count,
                equals: 1
            )
        }
    }

    @Test func `a table that another program took away is an error, not a crash`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.records.perform([Self.create("a")]).value
        try await expect(store.records.record("a", of: Self.people).value != nil)
        try SQLiteConnection(path: path).execute("DROP TABLE Person")
        let error = await #expect(throws: StoreError.self) {
            try await store.records.record("a", of: Self.people).value
        }
        expect(error?.description.contains("no such table"), equals: true)
    }

    private func logSize() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
        return try #require(attributes[.size] as? Int)
    }

    /// The log is emptied after the promise was settled.
    private func waitForEmptyLog(
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let end = ContinuousClock.now + .seconds(300)
        while try logSize() > 0, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(try logSize() == 0, sourceLocation: sourceLocation)
    }

    @Test func `the log is emptied as soon as nobody reads what it holds`() async throws {
        let limit = 64 << 20
        let store = try SQLiteModelStore(path: path, durability: .survivesProcessCrash)
        let text = AttributeValue.string(String(repeating: "x", count: 2_400_000))
        let write = RecordWrite(.create(nil, ["name": text]), of: Self.things)
        let writes = Array(repeating: write, count: 30)
        _ = try await store.records.perform(writes).value
        try await waitForEmptyLog()

        _ = try await store.records.perform([Self.create("a")]).value
        let endless = try EndlessPeople(path)
        let read = store.records.fetch(RecordQuery(), of: Self.people)
        // One that was asked for later has ended, so that one has begun.
        while try await store.records.record(1, of: Self.things).value == nil {}
        try await Task.sleep(for: .milliseconds(30))
        _ = try await store.records.perform(writes).value
        // Everything goes on meanwhile.
        try await expect(
            store.records.fetch(RecordQuery(), of: Self.things).value.count,
            equals: 60
        )
        try expect(logSize() > limit)
        read.cancel()
        try await waitForEmptyLog()

        // And readers read again.
        let again = store.records.fetch(RecordQuery(), of: Self.people)
        try await expect(
            store.records.fetch(RecordQuery(), of: Self.things).value.count,
            equals: 60
        )
        expect(!again.isSettled)
        again.cancel()
        try endless.stop()
    }

    @Test func `closing waits for reads that were asked for, and leaves one file`() async throws {
        let store = try SQLiteModelStore(path: path, readers: 2)
        let writes = (0..<500).map { Self.create("\($0)") }
        _ = try await store.records.perform(writes).value
        let reads = (0..<20).map { _ in store.records.fetch(RecordQuery(), of: Self.people) }
        let closing: Promise = store.close()
        for read in reads { try await expect(read.value.count, equals: 500) }
        try await closing.value
        expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        await #expect(throws: StoreError.unavailable("\(path): it is closed", .notApplied)) {
            try await store.records.record("1", of: Self.people).value
        }
    }

    @Test func `a store that is gone has closed its connections`() async throws {
        var store: SQLiteModelStore? = try SQLiteModelStore(path: path)
        _ = try await store?.records.perform([Self.create("a")]).value
        for _ in 0..<3 {
            try await expect(store?.records.record("a", of: Self.people).value != nil)
        }
        store = nil
        let end = ContinuousClock.now + .seconds(300)
        while FileManager.default.fileExists(atPath: path + "-wal"), ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(5))
        }
        expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let again = try SQLiteModelStore(path: path, access: .readOnly)
        try await expect(again.records.record("a", of: Self.people).value != nil)
    }
}

private let opened = Atomic<Int>(0)
