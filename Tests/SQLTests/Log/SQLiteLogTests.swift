import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

/// What is seen of other connections by the change log of a file.
@Suite struct SQLiteLogTests {
    private final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
        let email = Field<String>().unique()
    }

    private final class Town: Model {
        let id = Field<Int>()
    }

    private final class Sale: Model {
        let id = Field<String>()
        let amount = Field<Int>()
    }

    private let directory: TemporaryDirectory
    private let refetches = RefetchCounter()
    private var path: String { directory.file() }

    init() throws { directory = try TemporaryDirectory() }

    private func store() throws -> SQLiteModelStore {
        try SQLiteModelStore(path: path, sharing: .severalProcesses, events: refetches.events)
    }

    private func create(_ ids: String..., in store: SQLiteModelStore) async throws {
        for id in ids {
            let person = Person()
            (person.id.value, person.email.value) = (id, "\(id)@example.com")
            try await store.create(person)
        }
    }

    private func connection() throws -> SQLiteConnection {
        try SQLiteConnection(path: path, configuration: SQLiteConfiguration(journal: nil))
    }

    /// Runs SQL on a connection that knows nothing of stores.
    private func run(_ sql: String) throws {
        let connection = try connection()
        defer { connection.close() }
        try connection.execute(sql)
    }

    private func rows() throws -> Int64 {
        let connection = try connection()
        defer { connection.close() }
        return try connection.withStatement(#"SELECT count(*) FROM "_modelkit_log""#) { count in
            try count.step() ? count.int64(at: 0) : 0
        }
    }

    private func names(ofType type: String) throws -> [String] {
        let connection = try connection()
        defer { connection.close() }
        return try connection.withStatement(
            "SELECT name FROM sqlite_master WHERE type = '\(type)'"
        ) { statement in
            var names: [String] = []
            while try statement.step() { names.append(try statement.string(at: 0)) }
            return names
        }
    }

    /// Waits until the file has a log, which it gets soon after others are first seen to write.
    private func log() async throws {
        let end = ContinuousClock.now + .seconds(120)
        while (try? rows()) == nil, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(5))
        }
        _ = try rows()
    }

    /// A list of one record, which another program has written, so that the file has a log.
    private func followed(
        by store: SQLiteModelStore? = nil
    ) async throws -> LiveQuery<Person>.Iterator {
        let results = list(try store ?? self.store()).makeAsyncIterator()
        try await expect([], from: results)
        try run(#"INSERT INTO "Person" ("_revision", id) VALUES (1, 'a')"#)
        try await expect(["a"], from: results)
        try await log()
        return results
    }

    private func list(_ store: SQLiteModelStore) -> LiveQuery<Person> {
        store.observe(Person.self, orderBy: .ascending(\.id))
    }

    /// The identifiers that are delivered, until they are the expected ones.
    private func expect(
        _ ids: [String],
        from results: LiveQuery<Person>.Iterator,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        while let result = try await results.next() {
            if result.models.compactMap(\.id.value) == ids { return }
        }
        Issue.record("the list has ended", sourceLocation: location)
    }

    @Test func `a file that one store alone writes has no log`() async throws {
        let store = try store()
        let results = list(store).makeAsyncIterator()
        try await expect([], from: results)
        try await create("a", "b", in: store)
        try await expect(["a", "b"], from: results)
        #expect(throws: SQLiteError.self) { try rows() }
        TestSupport.expect(refetches.count, equals: 0)
    }

    @Test func `what triggers of others change in a commit of the store is seen, too`() async throws
    {
        let results = try await followed()
        try run(
            """
            CREATE TRIGGER own AFTER INSERT ON "Person" WHEN new.id = 'c'
            BEGIN DELETE FROM "Person" WHERE id = 'a'; END
            """
        )
        let store = try store()
        let own = list(store).makeAsyncIterator()
        try await expect(["a"], from: own)
        try run(#"INSERT INTO "Person" ("_revision", id) VALUES (1, 'b')"#)
        for followed in [own, results] { try await expect(["a", "b"], from: followed) }
        let before = refetches.count
        try await create("c", in: store)
        try await expect(["b", "c"], from: own)
        try await expect(["b", "c"], from: results)
        TestSupport.expect(refetches.count, equals: before)
    }

    @Test(arguments: [false, true])
    func `what triggers change is seen where the commit begins to log their table`(
        _ isTransaction: Bool
    ) async throws {
        // Before there is a log.
        let other = try store()
        try await other.create(Town())
        try await other.close().value
        try run(
            """
            CREATE TRIGGER own AFTER INSERT ON "Town"
            BEGIN INSERT INTO "Person" ("_revision", id) VALUES (1, 'b'); END
            """
        )
        let store = try store()
        let results = try await followed(by: store)
        if isTransaction {
            try await store.transaction { try $0.create(Town()) }.value
        } else {
            try await store.create(Town())
        }
        try await create("c", in: store)
        var ids: [String?] = []
        while !ids.contains("c") {
            ids = try #require(await results.next()).models.map(\.id.value)
        }
        TestSupport.expect(ids, equals: ["a", "b", "c"])
    }

    @Test func `own commits that nobody judges are reported once`() async throws {
        let store = try store()
        let records = try #require(store.records as? SQLiteRecordStore)
        let seen = Guarded<[[Identifier?]]>([])
        _ = try await followed(by: store)
        while records.observers.isJudged { try await Task.sleep(for: .milliseconds(1)) }
        let observation = records.observeChanges { changes in
            seen.withLock { $0.append(changes.changes.map(\.identifier)) }
        }
        let ids = (10..<60).map { "b\($0)" }
        for id in ids { try await create(id, in: store) }
        let results = list(store).makeAsyncIterator()
        try await expect(["a"] + ids, from: results)
        try await create("c", in: store)
        try await expect(["a"] + ids + ["c"], from: results)
        TestSupport.expect(seen.withLock { $0 }, equals: (ids + ["c"]).map { [.string($0)] })
        observation?.end()
    }

    @Test func `a total is right where a trigger changes a record that the commit writes, too`()
        async throws
    {
        let store = try store()
        let sums = store.observe(sum: \.amount, of: Sale.self).makeAsyncIterator()
        try await TestSupport.expect(sums.next(), equals: 0)
        try run(
            """
            CREATE TRIGGER own AFTER INSERT ON "Sale" WHEN new.id = 'b'
            BEGIN UPDATE "Sale" SET amount = amount + 10 WHERE id = 'a'; END;
            INSERT INTO "Sale" ("_revision", id, amount) VALUES (1, 'a', 1)
            """
        )
        try await TestSupport.expect(sums.next(), equals: 1)
        try await log()
        try run(#"UPDATE "Sale" SET amount = 2"#)
        try await TestSupport.expect(sums.next(), equals: 2)
        _ = try await store.records.perform([
            RecordWrite(.create("b", [:]), of: Sale.schema),
            RecordWrite(.update("a", ["amount": 5], revision: nil), of: Sale.schema),
        ]).value
        try await TestSupport.expect(sums.next(), equals: 5)
    }

    @Test func `a field that is unique no more leaves nothing that looks for its values`()
        async throws
    {
        final class Plain: Model {
            static var modelName: String { "Person" }
            let id = Field<String>()
            let name = Field<String>()
            let email = Field<String>()
        }
        let results = try await followed()
        let store = try store()
        let plain = store.observe(Plain.self).makeAsyncIterator()
        TestSupport.expect(try await plain.next()?.models.count, equals: 1)
        // The store for which it is unique still follows the file, and goes on to log the table.
        for id in ["b", "c"] {
            try run(#"INSERT INTO "Person" ("_revision", id) VALUES (1, '\#(id)')"#)
            try await expect(id == "b" ? ["a", "b"] : ["a", "b", "c"], from: results)
        }
        let triggers = try names(ofType: "trigger")
        #expect(triggers.contains("_modelkit_log:Person:insert"))
        #expect(!triggers.contains { $0.hasSuffix(":email") }, "\(triggers)")
        let before = try rows()
        try await store.create(
            (0..<300).map { number in
                let person = Plain()
                (person.id.value, person.email.value) = ("p\(number)", "same")
                return person
            }
        )
        TestSupport.expect(try rows(), equals: before + 300)
    }

    @Test func `a type of a file with a log is used without a wait for who writes`() async throws {
        let results = try await followed()
        _ = results
        let writer = try connection()
        defer { writer.close() }
        let store = try store()
        try writer.execute("BEGIN IMMEDIATE")
        let begin = ContinuousClock.now
        TestSupport.expect(try await store.list(Person.self).count, equals: 1)
        // It would wait for the busy timeout.
        TestSupport.expect(begin.duration(to: .now) < .seconds(4))
        try writer.execute("ROLLBACK")
    }

    @Test func `what other programs write is followed by the log, row by row`() async throws {
        let store = try store()
        try await create("a", "b", in: store)
        let results = list(store).makeAsyncIterator()
        try await expect(["a", "b"], from: results)
        try run(#"DELETE FROM "Person" WHERE id = 'a'"#)
        try await expect(["b"], from: results)
        try await log()
        let before = refetches.count
        let columns = #""Person" ("_revision", id, name, email)"#
        for (sql, ids) in [
            ("INSERT INTO \(columns) VALUES (1, 'c', 'C', 'c')", ["b", "c"]),
            (#"UPDATE "Person" SET id = 'd' WHERE id = 'b'"#, ["c", "d"]),
            // Another row has to go for this one.
            ("INSERT OR REPLACE INTO \(columns) VALUES (1, 'e', 'E', 'c')", ["d", "e"]),
            (#"UPDATE OR REPLACE "Person" SET email = 'c' WHERE id = 'd'"#, ["d"]),
            (
                "INSERT INTO \(columns) SELECT 1, value, value, value FROM json_each('[\"x\", \"y\"]')",
                ["d", "x", "y"]
            ),
            (#"DELETE FROM "Person""#, []),
        ] {
            try run(sql)
            try await expect(ids, from: results)
        }
        // Own writes are not taken for those of others.
        try await create("o", in: store)
        try await expect(["o"], from: results)
        TestSupport.expect(before, equals: 1)
        TestSupport.expect(refetches.count, equals: before)
    }

    @Test(arguments: [true, false])
    func `a record that another program makes anew, with a lower revision, is the new one`(
        _ isOne: Bool
    ) async throws {
        let store = try store()
        try await create("a", "b", in: store)
        let results = list(store).makeAsyncIterator()
        try await expect(["a", "b"], from: results)
        let person = try await store.lookup(Person.self, identifier: "b").value
        for name in ["x", "y", "z"] {
            person.name.value = name
            try await store.update(person)
        }
        try run(#"DELETE FROM "Person" WHERE id = 'a'"#)
        try await expect(["b"], from: results)
        let deletion = #"DELETE FROM "Person" WHERE id = 'b'"#
        let creation = #"INSERT INTO "Person" ("_revision", id, name) VALUES (1, 'b', 'new')"#
        if isOne {
            try run("BEGIN IMMEDIATE; \(deletion); \(creation); COMMIT")
        } else {
            try run(deletion)
            try await expect([], from: results)
            try run(creation)
        }
        while let result = try await results.next() {
            if result.models.first?.name.value == "new" { break }
        }
        try run(#"UPDATE "Person" SET name = 'newer', "_revision" = 2"#)
        let last = try await results.next()
        TestSupport.expect(last?.models.map(\.name.value), equals: ["newer"])
    }

    @Test func `an identifier that is no text keeps nobody from following`() async throws {
        let results = try await followed()
        try run(#"INSERT INTO "Person" ("_revision", id) VALUES (1, CAST(x'FF41' AS TEXT))"#)
        await #expect(throws: StoreError.self) { _ = try await results.next() }
        try run(#"DELETE FROM "Person" WHERE typeof(id) = 'text' AND hex(id) = 'FF41'"#)
        try await expect(["a"], from: results)
        try run(#"INSERT INTO "Person" ("_revision", id) VALUES (1, 'b')"#)
        try await expect(["a", "b"], from: results)
    }

    private final class New: Model {
        let id = Field<Int>()
        let price = Field<Decimal>().unique()
        let rate = Field<Double>().unique()
    }

    @Test func `rows that are replaced are logged by the values that are the same`() async throws {
        let store = try store()
        let results = store.observe(New.self, orderBy: .ascending(\.id)).makeAsyncIterator()
        _ = try await results.next()
        let columns = #""New" ("_revision", id, price, rate)"#
        try run(
            "INSERT INTO \(columns) VALUES (1, 1, '1', 1.0), (1, 2, '2', 0.0), (1, 3, '3', 3.0)"
        )
        var result = try await results.next()
        TestSupport.expect(result?.models.map(\.id.value), equals: [1, 2, 3])
        try await log()
        let count = refetches.count
        let (before, other) = (
            try rows(), try SQLiteModelStore(path: path, sharing: .severalProcesses)
        )
        let new = New()
        (new.id.value, new.price.value, new.rate.value) = (4, 4, 4)
        try await other.create(new)
        result = try await results.next()
        try TestSupport.expect(rows(), equals: before + 1)
        new.rate.value = 5
        try await other.update(new)
        try TestSupport.expect(rows(), equals: before + 2)
        try run("UPDATE OR REPLACE \(#""New""#) SET price = '1' WHERE id = 2")
        while result?.models.map(\.id.value) != [2, 3, 4] { result = try await results.next() }
        TestSupport.expect(refetches.count, equals: count)
    }

    @Test func `who has not read for long asks for everything, and the log stays short`()
        async throws
    {
        let results = try await followed()
        let many = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) \
            INSERT INTO "Person" ("_revision", id) SELECT 1, printf('b%05d', i) FROM n
            """
        try run(many)
        try await expect(
            ["a"] + (1...25_000).map { "b\(String(100_000 + $0).dropFirst())" },
            from: results
        )
        try TestSupport.expect(rows(), equals: 20_000)
        TestSupport.expect(refetches.count, equals: 2)
    }

    @Test func `a migration takes the triggers away, and opening the table gives them back`()
        async throws
    {
        let results = try await followed()
        let other = try SQLiteModelStore(
            path: path,
            sharing: .severalProcesses,
            migrations: [
                SQLiteMigration("no names") { _ = try $0.remove("name", from: "Person") }
            ]
        )
        // The first ones may come by what the changes of the table have asked for.
        var (ids, isByLog) = (["a"], false)
        for number in 0..<20 where !isByLog {
            let before = refetches.count
            ids.append("b\(number + 10)")
            try await create(ids[ids.count - 1], in: other)
            try await expect(ids, from: results)
            isByLog = refetches.count == before
        }
        TestSupport.expect(isByLog)
    }

    @Test func `a file that was restored in its place is asked for again`() async throws {
        let store = try store()
        let results = list(store).makeAsyncIterator()
        try await expect([], from: results)
        for id in ["a", "b"] {
            try run(#"INSERT INTO "Person" ("_revision", id) VALUES (1, '\#(id)')"#)
        }
        try await expect(["a", "b"], from: results)
        try await log()
        // As an older copy would have the log, with other rows at the same places.
        try run(
            #"""
            BEGIN IMMEDIATE; UPDATE "Person" SET id = 'z' WHERE id = 'b';
            DELETE FROM "_modelkit_log"; INSERT INTO "_modelkit_log" ("type", "kind", "key")
            VALUES ('Person', 1, 'x'), ('Person', 1, 'y'); COMMIT
            """#
        )
        try await expect(["a", "z"], from: results)
    }

    @Test func `a store that only reads follows the log that others have made`() async throws {
        _ = try await followed()
        let counter = RefetchCounter()
        let reader = try SQLiteModelStore(
            path: path,
            access: .readOnly,
            sharing: .severalProcesses,
            events: counter.events
        )
        let others = list(reader).makeAsyncIterator()
        try await expect(["a"], from: others)
        try run(#"INSERT INTO "Person" ("_revision", id) VALUES (1, 'b')"#)
        try await expect(["a", "b"], from: others)
        try run(#"INSERT INTO "Person" ("_revision", id) VALUES (1, 'c')"#)
        try await expect(["a", "b", "c"], from: others)
        TestSupport.expect(counter.count, equals: 0)
    }
}
