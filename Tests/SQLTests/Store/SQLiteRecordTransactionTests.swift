import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@Suite struct SQLiteRecordTransactionTests {
    private struct Stop: Error, Equatable {}

    private let directory: TemporaryDirectory
    private let path: String
    private let store: SQLiteModelStore

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
        store = try SQLiteModelStore(path: path)
    }

    private static let people = First.Person.schema
    private static let things = Everything.schema

    private static func create(_ id: String, _ name: AttributeValue = "Ada") -> RecordWrite {
        RecordWrite(.create(.string(id), ["name": name]), of: people)
    }

    private static func rename(_ id: String, _ name: AttributeValue) -> RecordWrite {
        RecordWrite(.update(.string(id), ["name": name], revision: nil), of: people)
    }

    private func names() async throws -> [String] {
        try await store.records.fetch(RecordQuery(), of: Self.people).value.map {
            "\($0.identifier) \($0.values["name"] ?? .null)"
        }
    }

    @Test func `all that the body writes is kept, and it reads its own writes`() async throws {
        let found = try await store.records.transaction { transaction in
            let receipts = try transaction.perform([Self.create("a"), Self.create("b")])
            expect(receipts.map(\.identifier), equals: ["a", "b"])
            try transaction.perform([Self.rename("b", "Bob")])
            try expect(transaction.record("b", of: Self.people)?.revision, equals: 2)
            return try transaction.fetch(RecordQuery(), of: Self.people).count
        }
        .value
        expect(found, equals: 2)
        try await expect(names(), equals: ["a \"Ada\"", "b \"Bob\""])
    }

    @Test func `a body that throws leaves nothing behind, not even a table`() async throws {
        await #expect(throws: Stop()) {
            try await store.records.transaction { transaction in
                try transaction.perform([Self.create("a")])
                throw Stop()
            }
            .value
        }
        try await expect(names(), equals: [])
        _ = try await store.records.perform([Self.create("b")]).value
        try await expect(names(), equals: ["b \"Ada\""])
    }

    @Test func `others do not see what is written before the end`() async throws {
        _ = try await store.records.perform([Self.create("a")]).value
        let reader = try SQLiteModelStore(path: path, access: .readOnly)
        try await store.records.transaction { transaction in
            try transaction.perform([Self.create("b")])
            let seen = try Thread.run {
                Result { try reader.records.fetch(RecordQuery(), of: Self.people).wait().count }
            }
            expect(seen, equals: 1)
        }
        .value
        try await expect(
            reader.records.fetch(RecordQuery(), of: Self.people).value.count,
            equals: 2
        )
    }

    @Test func `writes that fail take back themselves alone`() async throws {
        try await store.records.transaction { transaction in
            try transaction.perform([Self.create("a")])
            #expect(throws: StoreError.alreadyExists(type: "Person", identifier: "a")) {
                try transaction.perform([Self.create("b"), Self.create("a")])
            }
            #expect(throws: StoreError.notFound(type: "Person", identifier: "x")) {
                try transaction.perform([Self.rename("x", "Bob")])
            }
            #expect(throws: StoreError.self) { try transaction.perform([Self.rename("a", 7)]) }
            let number = try transaction.perform([RecordWrite(.create(nil, [:]), of: Self.things)])
            #expect(throws: StoreError.self) {
                try transaction.perform([
                    RecordWrite(.create(nil, [:]), of: Self.things),
                    RecordWrite(.create(1, [:]), of: Self.things),
                ])
            }
            let next = try transaction.perform([RecordWrite(.create(nil, [:]), of: Self.things)])
            expect([number[0].identifier, next[0].identifier], equals: [1, 2])
        }
        .value
        try await expect(names(), equals: ["a \"Ada\""])
    }

    @Test func `a deletion that fails is taken back as a whole`() async throws {
        _ = try await store.records.perform([Self.create("a"), Self.create("b")]).value
        _ = try await store.records.perform([
            RecordWrite(.delete("b", revision: nil), of: Self.people), Self.rename("a", "Eve"),
        ]).value
        let connection = try SQLiteConnection(path: path)
        try connection.execute(
            """
            CREATE TRIGGER stop BEFORE INSERT ON _modelkit_revisions \
            BEGIN SELECT RAISE(ABORT, 'no'); END
            """
        )
        connection.close()
        try await store.records.transaction { transaction in
            #expect(throws: StoreError.self) {
                try transaction.perform([
                    RecordWrite(.delete("a", revision: nil), of: Self.people)
                ])
            }
            let found = try transaction.record("a", of: Self.people)
            expect(found?["name"], equals: "Eve")
        }
        .value
        try await expect(names(), equals: ["a \"Eve\""])
    }

    @Test func `what a trigger refuses and leaves there all the same ends the transaction`()
        async throws
    {
        _ = try await store.records.perform([Self.create("a")]).value
        let connection = try SQLiteConnection(path: path)
        try connection.execute(
            """
            CREATE TRIGGER stop AFTER INSERT ON Person WHEN new.id = 'stop' \
            BEGIN SELECT RAISE(FAIL, 'no'); END
            """
        )
        connection.close()
        // A savepoint takes it back.
        try await store.records.transaction { transaction in
            #expect(throws: StoreError.self) {
                try transaction.savepoint { try transaction.perform([Self.create("stop")]) }
            }
            try transaction.perform([Self.create("b")])
        }
        .value
        try await expect(names(), equals: ["a \"Ada\"", "b \"Ada\""])
        await #expect(throws: StoreError.self) {
            try await store.records.transaction { transaction in
                _ = try? transaction.perform([Self.create("stop")])
            }.value
        }
        try await expect(names(), equals: ["a \"Ada\"", "b \"Ada\""])
    }

    @Test func `a part that throws is taken back, however deep`() async throws {
        try await store.records.transaction { transaction in
            try transaction.perform([Self.create("a")])
            try transaction.savepoint {
                try transaction.perform([Self.create("b")])
                #expect(throws: Stop()) {
                    try transaction.savepoint {
                        try transaction.perform([Self.rename("a", "Bob"), Self.create("c")])
                        throw Stop()
                    }
                }
                try transaction.perform([Self.create("d")])
            }
            #expect(throws: Stop()) {
                try transaction.savepoint {
                    try transaction.savepoint { try transaction.perform([Self.create("e")]) }
                    throw Stop()
                }
            }
        }
        .value
        try await expect(names(), equals: ["a \"Ada\"", "b \"Ada\"", "d \"Ada\""])
    }

    @Test func `a table that was made in a part which was taken back is made again`() async throws {
        try await store.records.transaction { transaction in
            #expect(throws: Stop()) {
                try transaction.savepoint {
                    try transaction.perform([Self.create("a")])
                    throw Stop()
                }
            }
            try expect(transaction.fetch(RecordQuery(), of: Self.people), equals: [])
            try transaction.perform([Self.create("b")])
        }
        .value
        try await expect(names(), equals: ["b \"Ada\""])
    }

    @Test func `it is of no use after its end, nor to another thread`() async throws {
        let escaped = Escaped()
        try await store.records.transaction { transaction in
            escaped.transaction = transaction
            let error = try Thread.run {
                Result {
                    #expect(throws: StoreError.self) {
                        try escaped.transaction?.perform([Self.create("a")])
                    }
                }
            }
            guard case .unsupported? = error else {
                Issue.record("not unsupported: \(String(describing: error))")
                return
            }
        }
        .value
        let late = try await store.records.transaction { _ in
            // On the same thread, most likely.
            [
                #expect(throws: StoreError.self) {
                    try escaped.transaction?.record("a", of: Self.people)
                },
                #expect(throws: StoreError.self) { try escaped.transaction?.savepoint {} },
            ]
        }
        .value
        for error in late {
            guard case .unsupported? = error else {
                Issue.record("not unsupported: \(String(describing: error))")
                return
            }
        }
        try await expect(names(), equals: [])
    }

    @Test(.timeLimit(.minutes(10)))
    func `a use of the store in the body fails instead of waiting for itself`() async throws {
        _ = try await store.records.perform([Self.create("a")]).value
        let errors = try await store.records.transaction { [store] transaction in
            try transaction.perform([Self.create("b")])
            return [
                #expect(throws: StoreError.self) {
                    try store.records.perform([Self.create("c")]).wait()
                },
                #expect(throws: StoreError.self) {
                    try store.records.record("a", of: Self.people).wait()
                },
                #expect(throws: StoreError.self) {
                    try store.records.transaction { _ in }.wait()
                },
                #expect(throws: StoreError.self) { try store.close().wait() },
            ]
        }
        .value
        for error in errors {
            guard case .unsupported? = error else {
                Issue.record("not unsupported: \(String(describing: error))")
                return
            }
        }
        try await expect(names(), equals: ["a \"Ada\"", "b \"Ada\""])
    }

    @Test func `what the body holds is free when it has run, or was cancelled`() async throws {
        weak var held: Escaped?
        for isCancelled in [false, true] {
            let gate = DispatchSemaphore(value: 0)
            let first = store.records.transaction { _ in gate.wait() }
            var object: Escaped? = Escaped()
            held = object
            let second = store.records.transaction { [object] _ in _ = object }
            object = nil
            expect(held != nil)
            if isCancelled { second.cancel() }
            gate.signal()
            try await first.value
            try? await second.value
            // Behind it on the same queue, where it is freed.
            try await store.records.transaction { _ in }.value
            try await store.records.transaction { _ in }.value
            expect(held == nil)
        }
    }

    @Test(arguments: [true, false])
    func `sixty-four increments at once end at sixty-four`(_ isInFile: Bool) async throws {
        let store = isInFile ? store : try SQLiteModelStore(path: ":memory:")
        _ = try await store.records.perform([
            RecordWrite(.create(1, ["count": 0]), of: Self.things)
        ]).value
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    try await store.records.transaction { transaction in
                        let record = try transaction.record(1, of: Self.things)
                        guard case .int(let count)? = record?.values["count"] else { throw Stop() }
                        try transaction.perform([
                            RecordWrite(
                                .update(1, ["count": .int(count + 1)], revision: record?.revision),
                                of: Self.things
                            )
                        ])
                    }
                    .value
                }
            }
            try await group.waitForAll()
        }
        let record = try await store.records.record(1, of: Self.things).value
        expect(record?.values["count"], equals: 64)
        expect(record?.revision, equals: 65)
    }

    // MARK: Changes

    @Test func `every commit is reported before its promise is settled`() async throws {
        let received = Received()
        let observation = store.records.observeChanges { received.append($0) }
        let seen = try await store.records.perform([Self.create("a"), Self.create("b")])
            .map { _ in received.changes.count }.value
        expect(seen, equals: 1)
        _ = try await store.records.transaction { transaction in
            try transaction.perform([Self.rename("a", "Bob")])
            try? transaction.savepoint {
                try transaction.perform([Self.create("x")])
                throw Stop()
            }
            try transaction.perform([
                RecordWrite(.delete("b", revision: nil), of: Self.people),
                RecordWrite(.create(nil, [:]), of: Self.things),
            ])
        }
        .map { expect(received.changes.count, equals: 2) }.value
        // Nothing was committed.
        _ = try await store.records.perform([]).value
        await #expect(throws: StoreError.self) {
            try await store.records.perform([Self.create("c"), Self.create("a")]).value
        }
        await #expect(throws: Stop()) {
            try await store.records.transaction { transaction in
                try transaction.perform([Self.create("c")])
                throw Stop()
            }
            .value
        }
        _ = try await store.records.fetch(RecordQuery(), of: Self.people).value
        func change(_ identifier: Identifier, _ type: String = "Person") -> RecordChanges.Change {
            RecordChanges.Change(type: type, identifier: identifier)
        }
        expect(
            received.changes,
            equals: [
                RecordChanges([change("a"), change("b")]),
                RecordChanges([change("a"), change("b"), change(1, "Everything")]),
            ]
        )
        observation?.end()
        _ = try await store.records.perform([Self.create("c")]).value
        expect(received.changes.count, equals: 2)
    }

    @Test func `what was reported is there for whoever reads at that moment`() async throws {
        let (promise, resolver) = Promise<[Record]>.withResolvers()
        let observation = store.records.observeChanges { [store] _ in
            resolver.follow(store.records.fetch(RecordQuery(), of: Self.people))
        }
        _ = try await store.records.perform([Self.create("a")]).value
        try await expect(promise.value.map(\.identifier), equals: ["a"])
        observation?.end()
    }
}

// Safe: it is handed from one thread to the next, never used by two at once.
private final class Escaped: @unchecked Sendable {
    var transaction: (any RecordTransaction)?
}

// Safe: the list is guarded by the lock.
private final class Received: @unchecked Sendable {
    private let lock = Lock()
    private var list: [RecordChanges] = []

    func append(_ changes: RecordChanges) { lock.withLock { list.append(changes) } }
    var changes: [RecordChanges] { lock.withLock { list } }
}
