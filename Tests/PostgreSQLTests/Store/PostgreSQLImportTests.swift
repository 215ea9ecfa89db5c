import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

final class Imported: Model {
    let id = Field<Int>()
    let email = Field<String>().unique()
    let age = Field<Int>(value: 36)
    let tags = Field<String>()*

    convenience init(_ id: Int?, _ email: String, tags: [String] = ["a", "b"]) {
        self.init()
        if let id { self.id.value = id }
        (self.email.value, self.tags.value) = (email, tags)
    }

    static func some(_ numbers: Range<Int>) -> [Imported] {
        numbers.map { Imported($0, "\($0)@x.org") }
    }
}

class Shape: ModelObject, @unchecked Sendable {
    let id = Field<String>()
    override class var subclasses: [ModelObject.Type] { [Circle.self] }
}

final class Circle: Shape, @unchecked Sendable {
    let radius = Field<Double>(value: 1)
}

/// What tests of imports do with a schema of its own.
struct ImportDatabase {
    let server: PostgreSQLServer
    let space: String
    let store: PostgreSQLModelStore
    let observer: PostgreSQLConnection

    init(_ options: PostgreSQLOptions = .init(connections: 3), _ connection: String? = nil) throws {
        server = try .shared
        space = try server.schema()
        observer = try server.connect()
        store = try PostgreSQLModelStore(
            connection ?? server.connection(),
            options,
            schema: space
        )
    }

    /// The columns of the first row, as texts.
    func row(_ sql: String) throws -> [String] {
        let sql = sql.replacing("SPACE", with: "\"\(space)\"")
        let result = try observer.run(PostgreSQLStatement(sql, isPrepared: false))
        return try (0..<result.columnCount).map { try result.bytes(0, $0).text }
    }

    /// How many records there are, and how many rows the log has of how many of them.
    func counts() throws -> [String] {
        try row(
            """
            SELECT (SELECT count(*) FROM SPACE."Imported")::text, count(*)::text, \
            coalesce(sum(cardinality(keys)), 0)::text FROM SPACE."_modelkit_log" WHERE kind > 0
            """
        )
    }

    func close() async throws {
        let promise: Promise<Void> = store.close()
        try await promise.value
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLImportTests {
    @Test func `what was imported is there, and the log has the keys of few and the type of many`()
        async throws
    {
        for (count, rows, keys) in [(1_200, 2, 1_200), (10_500, 1, 0)] {
            let database = try ImportDatabase()
            let models = Imported.some(1..<count + 1)
            let summary = try await database.store.importModels(AsyncStream.of(models))
            expect(summary.createdCount, equals: count)
            try expect(database.counts(), equals: ["\(count)", "\(rows)", "\(keys)"])
            try expect(
                database.row(
                    """
                    SELECT min(id)::text, max(id)::text, count(DISTINCT "_revision")::text, \
                    min(age)::text, max(tags::text) FROM SPACE."Imported" \
                    WHERE "_order" - id = (SELECT min("_order" - id) FROM SPACE."Imported")
                    """
                ),
                equals: ["1", "\(count)", "\(count)", "36", "[\"a\",\"b\"]"]
            )
            if keys > 0 {
                let matching = """
                    SELECT count(*)::text FROM SPACE."_modelkit_log" AS log, \
                    unnest(keys, revisions) AS u (k, r) \
                    JOIN SPACE."Imported" AS i ON i.id::text = u.k AND i."_revision" = u.r \
                    WHERE log.type = 'Imported' AND log.kind = 1
                    """
                try expect(database.row(matching), equals: ["\(keys)"])
            }
            // Numbers follow the greatest that was given.
            let next = try await database.store.create(Imported(nil, "next"))
            expect(next.id.value, equals: count + 1)
            expect(next.age.value, equals: 36)
            try await database.close()
        }
    }

    @Test func `what is refused is left out and reported in its order`() async throws {
        let database = try ImportDatabase()
        try await database.store.create(Imported(7, "old"))
        let models = [
            Imported(1, "a"), Imported(7, "b"), Imported(2, "a"), Imported(nil, "c"),
            Imported(3, "d", tags: ["\"", "\n"]), Imported(4, "\0"),
            Imported(nil, "x", tags: ["x\0"]),
            Imported(5, "e"), Imported(1, "f"), Imported(nil, "g"),
        ]
        let summary = try await database.store.importModels(AsyncStream.of(models))
        expect(
            summary.refusals.map { "\($0)".replacing("Imported.", with: "") },
            equals: [
                "[1]: id 7 is stored already", "[2]: email is taken already",
                "[5]: email contains U+0000, which PostgreSQL does not store",
                "[6]: tags contains U+0000, which PostgreSQL does not store",
                "[8]: id 1 is stored already",
            ]
        )
        let found = try await database.store.list(Imported.self)
        expect(found.compactMap(\.email.value), equals: ["old", "a", "c", "d", "e", "g"])
        expect(Set(found.compactMap(\.id.value)).count, equals: 6)
        expect(found[3].tags.value, equals: ["\"", "\n"])
        try await database.close()
    }

    @Test(arguments: ["P0001", "45000"])
    func `what a trigger of somebody else raises refuses a record, and not the import`(
        _ code: String
    ) async throws {
        let database = try ImportDatabase()
        try await database.store.create(Imported(7, "old"))
        try database.observer.execute(
            """
            CREATE FUNCTION \(database.space).refuse() RETURNS trigger LANGUAGE plpgsql AS \
            $$ BEGIN IF new.email = 'x' THEN RAISE 'it is refused' USING ERRCODE = '\(code)'; END IF; \
            RETURN new; END $$;
            CREATE TRIGGER own BEFORE INSERT ON \(database.space)."Imported" \
            FOR EACH ROW EXECUTE FUNCTION \(database.space).refuse()
            """
        )
        let models = [Imported(1, "a"), Imported(2, "x"), Imported(3, "b")]
        let summary = try await database.store.importModels(AsyncStream.of(models))
        expect(summary.refusals.map(\.path), equals: [[1]])
        let found = try await database.store.list(Imported.self)
        expect(found.compactMap(\.email.value), equals: ["old", "a", "b"])
        try await database.close()
    }

    @Test func `a type below the one that is imported may come first or last`() async throws {
        let database = try ImportDatabase()
        let shapes = (0..<1_300).map { number in
            let shape = number < 1_250 ? Shape() : Circle()
            shape.id.value = "s\(number)"
            return shape
        }
        let summary = try await database.store.importModels(AsyncStream.of(shapes))
        expect(summary.createdCount, equals: 1_300)
        try expect(database.row("SELECT count(*)::text FROM SPACE.\"Circle\""), equals: ["50"])
        try await database.close()
    }

    @Test func `a table that takes no COPY is filled all the same`() async throws {
        let first = try ImportDatabase()
        try await first.store.create(Imported(1, "a"))
        try first.observer.execute(
            """
            CREATE ROLE \(first.space) LOGIN; GRANT ALL ON SCHEMA \(first.space) TO \(first.space);
            GRANT ALL ON ALL TABLES IN SCHEMA \(first.space) TO \(first.space);
            GRANT ALL ON ALL SEQUENCES IN SCHEMA \(first.space) TO \(first.space);
            ALTER TABLE \(first.space)."Imported" ENABLE ROW LEVEL SECURITY;
            CREATE POLICY few ON \(first.space)."Imported" USING (age < 100)
            """
        )
        let store = try PostgreSQLModelStore(
            "host=\(first.server.folder) user=\(first.space) dbname=postgres",
            schema: first.space
        )
        let models = [Imported(1, "b"), Imported(2, "b")] + Imported.some(3..<700)
        let summary = try await store.importModels(AsyncStream.of(models))
        expect(summary.createdCount, equals: 698)
        expect(summary.refusals.map(\.path), equals: [[0]])
        let found = try await store.list(Imported.self)
        expect(found.count, equals: 699)
        expect(found.last?.tags.value, equals: ["a", "b"])
        let promise: Promise<Void> = store.close()
        try await promise.value
        try await first.close()
    }

    @Test func `a cancelled import ends at once, though the server waits for another writer`()
        async throws
    {
        let database = try ImportDatabase(.init(connections: 3, deadline: .seconds(600)))
        try await database.store.create(Imported(1, "a"))
        let other = try database.server.connect()
        try other.execute(
            "BEGIN; UPDATE \(database.space).\"Imported\" SET email = 'b' WHERE id = 1"
        )
        let store = database.store
        let task = Task { try await store.importModels(AsyncStream.of([Imported(2, "b")])) }
        try await database.server.reach(
            "wait_event_type = 'Lock' AND query LIKE 'COPY \"\(database.space)\"%'"
        )
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // Its transaction ends, while the other one is still open.
        try await database.server.reach(
            """
            NOT EXISTS (SELECT FROM pg_stat_activity \
            WHERE query LIKE 'COPY "\(database.space)"%' AND state <> 'idle')
            """
        )
        try other.execute("COMMIT")
        try expect(database.counts(), equals: ["1", "1", "1"])
        try await database.store.create(Imported(2, "c"))
        try await database.close()
    }

    @Test func `an import waits for a writer of the same value, and has what that leaves`()
        async throws
    {
        for (end, created) in [("COMMIT", 1), ("ROLLBACK", 2)] {
            let database = try ImportDatabase()
            try await database.store.create(Imported(1, "a"))
            let other = try database.server.connect()
            try other.execute(
                "BEGIN; UPDATE \(database.space).\"Imported\" SET email = 'b' WHERE id = 1"
            )
            let store = database.store
            let task = Task {
                try await store.importModels(AsyncStream.of([Imported(2, "b"), Imported(3, "c")]))
            }
            try await database.server.reach(
                "wait_event_type = 'Lock' AND query LIKE 'COPY \"\(database.space)\"%'"
            )
            try other.execute(end)
            try await expect(task.value.createdCount, equals: created)
            try await database.close()
        }
    }

    @Test func `an import may take longer than the deadline of its round trips`() async throws {
        let database = try ImportDatabase(.init(connections: 1, deadline: .seconds(3)))
        let models = Imported.some(0..<1_100)
        let slow = AsyncStream.of(models).map { model in
            if model.id.value == 600 { try? await Task.sleep(for: .seconds(4)) }
            return model
        }
        try await expect(
            database.store.importModels(slow).createdCount,
            equals: 1_100
        )
        try await database.close()
    }

    @Test func `what is read while it is imported uses another connection, or is refused`()
        async throws
    {
        for connections in [1, 2] {
            let database = try ImportDatabase(.init(connections: connections))
            let store = database.store
            try await store.create(Imported(0, "first"))
            let reading = AsyncStream.of(Imported.some(1..<1_700)).map { model in
                if model.id.value == 1_600 {
                    do {
                        let found = try await store.list(Imported.self)
                        model.tags.value = ["\(found.count) found"]
                    } catch StoreError.unsupported {
                        model.tags.value = ["refused"]
                    }
                }
                return model
            }
            try await store.importModels(reading)
            try expect(
                database.row("SELECT tags::text FROM SPACE.\"Imported\" WHERE id = 1600"),
                equals: [connections == 1 ? "[\"refused\"]" : "[\"1 found\"]"]
            )
            try await database.close()
        }
    }

    @Test func `an import whose connection is cut is there as a whole or not, as it says`()
        async throws
    {
        let proxy = try PostgreSQLProxy(to: .shared)
        let database = try ImportDatabase(
            .init(connections: 2, deadline: .seconds(20)),
            proxy.connection()
        )
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["MODELKIT_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        var chance = SplitMix(seed: seed)
        try await database.store.create(Imported(0, "first"))
        let before = [PostgreSQLProxy.Direction.toServer, .toClient].map(proxy.count)
        try await database.store.importModels(AsyncStream.of(Imported.some(100_000..<101_000)))
        let sizes = [
            proxy.count(.toServer) - before[0], proxy.count(.toClient) - before[1],
        ]
        var (count, outcomes) = (1_001, [0, 0])
        for number in 1..<(environment["MODELKIT_CUTS"].flatMap { Int($0) } ?? 24) {
            let first = 100_000 + number * 1_000
            // Half of them near the end, where the outcome is open.
            let isLate = Bool.random(using: &chance)
            let direction: PostgreSQLProxy.Direction =
                Bool.random(using: &chance) ? .toServer : .toClient
            let size = sizes[direction == .toServer ? 0 : 1]
            let range = isLate ? size - 200..<size + 900 : 0..<size
            proxy.fail(.cut, direction, after: .random(in: range, using: &chance))
            let what = "seed \(seed), cut \(number) \(direction)"
            var error: (any Error)?
            do {
                let models = Imported.some(first..<first + 1_000)
                try await database.store.importModels(AsyncStream.of(models))
            } catch let failure {
                error = failure
            }
            proxy.heal()
            let found = Int(try database.counts()[0]) ?? 0
            let isApplied = error == nil
            expect(found, equals: count + (isApplied ? 1_000 : 0), what)
            if let error {
                expect((error as? StoreError)?.outcome, equals: .notApplied, "\(what): \(error)")
            }
            outcomes[isApplied ? 1 : 0] += 1
            count = found
        }
        print("seed \(seed): imports applied and not: \(outcomes[1]), \(outcomes[0])")
        try await database.close()
    }
}
