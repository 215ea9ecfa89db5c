import Dispatch
import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private final class Part: Model {
    let id = Field<String>()
    let code = Field<String>().unique()

    convenience init(_ id: String, _ code: String? = nil) {
        self.init()
        (self.id.value, self.code.value) = (id, code)
    }
}

private final class Other: Model {
    let id = Field<Int>()
}

private final class Line: Model {
    let id = Field<String>()
    let text = Field<String>().indexed()
    let code = Field<String>().unique()
    let rest = Field<String>()

    convenience init(_ id: String, text: String = "", code: String? = nil, rest: String = "") {
        self.init()
        (self.id.value, self.text.value, self.code.value) = (id, text, code)
        self.rest.value = rest
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLTransactionTests {
    private let server: PostgreSQLServer
    private let space: String
    private let store: PostgreSQLModelStore

    init() throws {
        server = try .shared
        space = try server.schema()
        store = try PostgreSQLModelStore(server.connection(), schema: space)
    }

    private func identifiers() async throws -> [String] {
        let records = try await store.records.fetch(RecordQuery(), of: Part.schema).value
        return records.map { "\($0.identifier)" }
    }

    private func write(_ id: String, _ code: String? = nil) -> RecordWrite {
        let values: [FieldKey: AttributeValue] = ["id": .string(id)]
        let code = code.map { ["code": AttributeValue.string($0)] as [FieldKey: AttributeValue] }
        return RecordWrite(
            .create(.string(id), values.merging(code ?? [:]) { $1 }),
            of: Part.schema
        )
    }

    @Test func `a read of records that is cancelled says so`() async throws {
        let store = try PostgreSQLModelStore(
            server.connection(),
            PostgreSQLOptions(connections: 1),
            schema: space
        )
        let (begun, began) = Promise<Void>.withResolvers()
        let gate = DispatchSemaphore(value: 0)
        let transaction = store.records.transaction { _ in
            began.fulfill()
            gate.wait()
        }
        try await begun.value
        // One that waits for its turn, and one that waits until others are followed.
        for isObserved in [false, true] {
            let observation = isObserved ? store.records.observeChanges { _ in } : nil
            let read = store.records.fetch(RecordQuery(), of: Part.schema)
            read.cancel()
            await #expect(throws: StoreError.cancelled(.notApplied)) { try await read.value }
            observation?.end()
        }
        gate.signal()
        try await transaction.value
        try await store.close().value
    }

    struct Stop: Error {}

    @Test func `savepoints inside of one another take back their own alone`() async throws {
        try await store.create(Part("first"))
        try await store.records.transaction { transaction in
            try transaction.perform([write("a")])
            try? transaction.savepoint {
                try transaction.savepoint {}
                throw Stop()
            }
            try? transaction.savepoint {
                try transaction.savepoint { try transaction.perform([write("b")]) }
                throw Stop()
            }
            try transaction.savepoint {
                try transaction.perform([write("c")])
                _ = try? transaction.perform([write("d"), write("a")])
                try transaction.perform([write("e")])
            }
        }.value
        expect(try await identifiers(), equals: ["first", "a", "c", "e"])
    }

    @Test func `what begins with something that is taken back is a transaction all the same`()
        async throws
    {
        try await store.create(Part("first"))
        let error = await #expect(throws: Stop.self) {
            try await store.records.transaction { transaction in
                try? transaction.savepoint { throw Stop() }
                try transaction.perform([write("a")])
                throw Stop()
            }.value
        }
        expect(error != nil)
        expect(try await identifiers(), equals: ["first"])
    }

    @Test func `a transaction that the server has given up is not said to be committed`()
        async throws
    {
        try await store.create(Part("first"))
        // A query of a table that is gone ends the transaction.
        try await store.create(Other())
        try server.connect().execute("DROP TABLE \"\(space)\".\"Other\"")
        await #expect(throws: StoreError.self) {
            try await store.records.transaction { transaction in
                try transaction.perform([write("a")])
                _ = try? transaction.fetch(RecordQuery(), of: Other.schema)
            }.value
        }
        expect(try await identifiers(), equals: ["first"])
    }

    @Test func `the holder of a value is named, whichever of a batch has it`() async throws {
        try await store.create([Part("a", "\u{e9}"), Part("b", "x")])
        func refusal(_ parts: Part...) async throws -> StoreError? {
            await #expect(throws: StoreError.self) { try await store.create(parts) }
        }
        expect(
            try await refusal(Part("c", "e\u{301}"), Part("d", "x")),
            equals: .alreadyExists(type: "Part", identifier: "b", field: "code")
        )
        expect(
            try await refusal(Part("c", "y"), Part("d", "y")),
            equals: .alreadyExists(type: "Part", identifier: "c", field: "code")
        )
        expect(
            try await refusal(Part("c"), Part("a")),
            equals: .alreadyExists(type: "Part", identifier: "a")
        )
        try await store.create(Part("c", "e\u{301}"))
        expect(try await identifiers(), equals: ["a", "b", "c"])
    }

    @Test func `the field is named whose value is too long for its index`() async throws {
        var chance = SplitMix(seed: 7)
        // What cannot be compressed; of the longer one the server does not name the index.
        func text(_ count: Int) -> String {
            let bytes = (0..<count).map { _ in UInt8.random(in: 33...126, using: &chance) }
            return String(decoding: bytes, as: UTF8.self)
        }
        let (long, longer) = (text(3_000), text(20_000))
        func refusal(_ field: String) -> StoreError {
            .unsupported(
                "Line.\(field) is too long for its index, whose entries have 2704 bytes at most"
            )
        }
        let store = store
        try await store.create(Line("there"))
        for text in [long, longer] {
            await #expect(throws: refusal("text")) { try await store.create(Line("a", text: text)) }
            await #expect(throws: refusal("code")) { try await store.create(Line("a", code: text)) }
            await #expect(throws: refusal("id")) { try await store.create(Line(text)) }
            await #expect(throws: refusal("text")) {
                try await store.create([Line("a", rest: longer), Line("b", text: text)])
            }
            await #expect(throws: refusal("code")) {
                try await store.save(Line("there", code: text), onConflict: .replace)
            }
            await #expect(throws: refusal("text")) {
                try await store.transaction { try $0.create(Line("a", text: text)) }.value
            }
            let summary = try await store.importModels(
                AsyncStream.of([
                    Line("x\(text.count)"), Line("b", text: text), Line("y\(text.count)"),
                ])
            )
            expect(summary.refusals.map { "\($0)" }, equals: ["[1]: \(refusal("text"))"])
        }
        try await expect(
            store.list(Line.self).compactMap(\.id.value),
            equals: ["there", "x3000", "y3000", "x20000", "y20000"]
        )
        // Of an index of somebody else it is what the server reports.
        try server.connect().execute("CREATE INDEX own ON \(space).\"Line\" (rest)")
        let error = await #expect(throws: StoreError.self) {
            try await store.create(Line("a", rest: long))
        }
        expect(error?.code, equals: "unsupported")
        expect(error?.description.contains("\"own\"") ?? false, "\(error as Any)")
    }

    @Test func `what a trigger refuses as too large is not blamed on an index`() async throws {
        try await store.create(Line("there"))
        try server.connect().execute(
            """
            CREATE FUNCTION \(space).refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE 'the rest has no room' USING ERRCODE = '54000'; END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON \(space)."Line"
            FOR EACH ROW EXECUTE FUNCTION \(space).refuse()
            """
        )
        let text = String(repeating: "x", count: 3_000)
        let error = await #expect(throws: StoreError.self) {
            try await store.create(Line("a", text: text))
        }
        expect(error?.code, equals: "unsupported")
        expect(
            error?.description.contains("the rest has no room") ?? false,
            "\(error as Any)"
        )
    }

    @Test func `unique values may go from one record to another in a batch`() async throws {
        let (a, b) = (Part("a", "1"), Part("b", "2"))
        try await store.create([a, b])
        b.code.value = "3"
        a.code.value = "2"
        try await store.perform([.update(b), .update(a)])
        let records = try await store.records.fetch(RecordQuery(), of: Part.schema).value
        expect(records.map { $0["code"] }, equals: ["2", "3"])
    }

    @Test func `a store that is read only refuses writes`() async throws {
        try await store.create(Part("a"))
        let reader = try PostgreSQLModelStore(
            server.connection(),
            PostgreSQLOptions(isReadOnly: true),
            schema: space
        )
        expect(try await reader.list(Part.self).count, equals: 1)
        let error = await #expect(throws: StoreError.self) { try await reader.create(Part("b")) }
        expect(error, equals: .unsupported("the store is open for reading only"))
    }

    @Test func `a batch of which a trigger ignores a part is not made`() async throws {
        try await store.create(Part("a"))
        try server.connect().execute(
            """
            CREATE FUNCTION \(space).ignore() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RETURN CASE WHEN NEW.id <> 'c' THEN NEW END; END $$;
            CREATE TRIGGER ignore BEFORE INSERT ON \(space)."Part"
            FOR EACH ROW EXECUTE FUNCTION \(space).ignore()
            """
        )
        for parts in [[Part("b"), Part("c"), Part("d")], [Part("c")]] {
            let error = await #expect(throws: StoreError.self) { try await store.create(parts) }
            expect(
                error,
                equals: .schema("Part was not added: a trigger of the table has ignored the write")
            )
        }
        expect(try await identifiers(), equals: ["a"])
    }

    @Test func `two stores that begin at once make one table`() async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<6 {
                let store = try PostgreSQLModelStore(server.connection(), schema: space)
                group.addTask { _ = try await store.create(Part("\(number)", "\(number)")).id }
            }
            try await group.waitForAll()
        }
        expect(Set(try await identifiers()).count, equals: 6)
    }
}
