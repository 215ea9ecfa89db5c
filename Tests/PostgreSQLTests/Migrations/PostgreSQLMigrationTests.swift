import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

// The models of a program before and after migrations.

private enum Before {
    final class Person: Model {
        let id = Field<String>()
        let fullName = Field<String>()
        let age = Field<String>().indexed()

        convenience init(_ id: String, _ name: String, age: String? = nil) {
            self.init()
            (self.id.value, fullName.value, self.age.value) = (id, name, age)
        }
    }

    final class Thing: Model {
        let id = Field<Int>()
        let weight = Field<Double>()
    }
}

private enum After {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>().unique()
        let age = Field<Int>().indexed()
    }

    final class Item: Model {
        let id = Field<Int>()
        let weight = Field<Double>()
    }

    final class Numbered: Model {
        let id = Field<Int>()
        let fullName = Field<String>()
        static var modelName: String { "Person" }
    }

    final class Strange: Model {
        let id = Field<String>()
        let born = Field<Date>()
        let tags = Field<String>()*
        let isOld = Field<Bool>()
        let weight = Field<Double>()
        let price = Field<Decimal>()
        let face = Field<Data>()
    }
}

/// A schema of its own, and how a test looks into it.
struct MigratedSchema: Sendable {
    let server: PostgreSQLServer
    let space: String

    init() throws {
        server = try .shared
        space = try server.schema()
    }

    /// Opens a store, does something with it and closes it.
    func withStore(
        _ migrations: [PostgreSQLMigration] = [],
        connection: String? = nil,
        isReadOnly: Bool = false,
        _ body: (PostgreSQLModelStore) async throws -> Void = { _ in }
    ) async throws {
        let store = try await PostgreSQLModelStore.open(
            connection ?? server.connection(),
            PostgreSQLOptions(connections: 3, isReadOnly: isReadOnly),
            schema: space,
            migrations: migrations
        )
        try await body(store)
        let promise: Promise<Void> = store.close()
        try await promise.value
    }

    /// The first column of every row, as texts.
    func column(_ sql: String) throws -> [String] {
        let sql = sql.replacing("SPACE", with: space)
        let result = try server.connect().run(PostgreSQLStatement(sql, isPrepared: false))
        return try (0..<result.rowCount).map { row in
            switch try result.value(row, 0) {
            case .string(let text): text
            case let value: "\(value)"
            }
        }
    }

    /// Waits until two statements, one after the other, have met a condition.
    func reachTwice(_ condition: String) async throws {
        try await server.reach(condition)
        let start = try column("SELECT max(query_start)::text FROM pg_stat_activity")[0]
        try await server.reach("query_start > '\(start)' AND \(condition)")
    }

    func ledger() throws -> [String] {
        try column("SELECT name FROM SPACE._modelkit_migrations ORDER BY position")
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLMigrationTests {
    private let schema: MigratedSchema

    init() throws { schema = try MigratedSchema() }

    private func fill() async throws {
        try await schema.withStore { store in
            try await store.create([
                Before.Person("b", "Bob", age: "30"), Before.Person("a", "Ada"),
            ])
        }
    }

    private let rename = PostgreSQLMigration("1 name") { migration in
        try migration.rename("fullName", to: "name", in: "Person")
    }
    private let change = PostgreSQLMigration("2 age") { migration in
        try migration.change("age", in: "Person", to: .int, using: "age::bigint")
    }

    // MARK: The list

    @Test func `what the models of before have written is there by the new names`() async throws {
        try await fill()
        try await schema.withStore([rename, change]) { store in
            let people = try await store.list(After.Person.self)
            expect(people.map(\.name.value), equals: ["Bob", "Ada"])
            expect(people.map(\.age.value), equals: [30, nil])
            people[0].age.value = 31
            try await store.update(people[0])
        }
        try expect(schema.ledger(), equals: ["1 name", "2 age"])
        // Whoever follows the log looks at all of them again.
        try expect(
            schema.column("SELECT type FROM SPACE._modelkit_log WHERE keys IS NULL AND kind > 0"),
            equals: ["Person", "Person"]
        )
    }

    @Test func `one may log what its own SQL has written, beside what is logged for it`()
        async throws
    {
        try await fill()
        try await schema.withStore { store in try await store.create(Before.Thing()) }
        let both = PostgreSQLMigration("both") { migration in
            try migration.rename("fullName", to: "name", in: "Person")
            try migration.rename("weight", to: "mass", in: "Thing")
            try migration.execute(
                "INSERT INTO _modelkit_log (n, token, type, kind) VALUES (1, gen_random_uuid(), 'Person', 2)"
            )
        }
        try await schema.withStore([both])
        try expect(
            schema.column("SELECT type FROM SPACE._modelkit_log WHERE keys IS NULL AND kind > 0")
                .sorted(),
            equals: ["Person", "Person", "Thing"]
        )
    }

    @Test func `each runs once, and those that were added run later`() async throws {
        try await fill()
        try await schema.withStore([rename])
        let noted = try schema.column("SELECT at FROM SPACE._modelkit_migrations")
        try await schema.withStore([rename])
        let pending = try await PostgreSQLModelStore.pendingMigrations(
            schema.server.connection(),
            schema: schema.space,
            migrations: [rename, change]
        )
        expect(pending, equals: ["2 age"])
        try await schema.withStore([rename, change])
        try expect(schema.ledger(), equals: ["1 name", "2 age"])
        try expect(
            schema.column("SELECT at FROM SPACE._modelkit_migrations ORDER BY position").first,
            equals: noted.first
        )
    }

    @Test func `in a new schema they are noted and not run`() async throws {
        let never = PostgreSQLMigration("never") { _ in throw CancellationError() }
        try schema.server.connect().execute("CREATE TABLE \(schema.space).other (_order bigint)")
        try await schema.withStore([never]) { store in
            try await store.create(Before.Thing())
        }
        try expect(schema.ledger(), equals: ["never"])
    }

    @Test func `one that fails is taken back whole, is named, and is tried again`() async throws {
        try await fill()
        let failing = PostgreSQLMigration("2 broken") { migration in
            try migration.execute("UPDATE \"Person\" SET name = 'gone'")
            try migration.execute("UPDATE missing SET x = 1")
        }
        let error = await #expect(throws: StoreError.self) {
            try await schema.withStore([rename, failing])
        }
        expect("\(error.map { "\($0)" } ?? "")".contains("the migration \"2 broken\" failed: "))
        expect("\(error.map { "\($0)" } ?? "")".contains("missing"))
        try expect(schema.ledger(), equals: ["1 name"])
        try expect(
            schema.column("SELECT name FROM SPACE.\"Person\" ORDER BY _order"),
            equals: ["Bob", "Ada"]
        )
        // Also where the store is made first and used later.
        let store = try PostgreSQLModelStore(
            schema.server.connection(),
            schema: schema.space,
            migrations: [rename, failing]
        )
        await #expect(throws: StoreError.self) { try await store.list(After.Person.self) }
        let promise: Promise<Void> = store.close()
        try await promise.value
        let mended = PostgreSQLMigration("2 broken") { _ in }
        try await schema.withStore([rename, mended, change])
        try expect(schema.ledger(), equals: ["1 name", "2 broken", "2 age"])
        for (migrations, reason) in [
            ([rename], "the migration \"2 broken\" has run, which this one does not know"),
            ([mended, rename, change], "the migration \"1 name\" has run as number 1"),
            ([rename, rename], "two migrations are called"),
        ] {
            let error = await #expect(throws: StoreError.self) {
                try await schema.withStore(migrations)
            }
            expect(error.map { "\($0)" }?.contains(reason) ?? false, "\(error as Any)")
        }
    }

    @Test func `a store that only reads needs them to have run`() async throws {
        try await fill()
        let error = await #expect(throws: StoreError.self) {
            try await schema.withStore([rename], isReadOnly: true)
        }
        expect("\(error as Any)".contains("is open for reading only, but the migration"))
        try await schema.withStore([rename, change])
        try await schema.withStore([rename, change], isReadOnly: true) { store in
            try await expect(store.count(After.Person.self), equals: 2)
        }
    }

    @Test(arguments: [
        "COMMIT", "rollback", "-- no\n/* a */BEGIN", "START TRANSACTION", "SAVEPOINT a", "abort",
        "/* /* */ */ COMMIT", "PREPARE TRANSACTION 'x'",
    ])
    func `a migration cannot end its transaction`(_ sql: String) async throws {
        try await fill()
        let error = await #expect(throws: StoreError.self) {
            try await schema.withStore([
                PostgreSQLMigration("m") { migration in
                    try migration.execute(sql)
                    try migration.execute("SELECT 1")
                }
            ])
        }
        guard case .unsupported? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try expect(
            schema.column("SELECT to_regclass('SPACE._modelkit_migrations')::text IS NULL"),
            equals: ["true"]
        )
    }

    @Test func `of several that begin at once one runs them`() async throws {
        try await fill()
        let counting = PostgreSQLMigration("count") { migration in
            try migration.execute("CREATE TABLE runs (n bigint)")
            try migration.execute("INSERT INTO runs VALUES (1)")
        }
        let schema = schema
        let migrations = [rename, counting, change]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { try await schema.withStore(migrations) } }
            try await group.waitForAll()
        }
        try expect(schema.ledger(), equals: migrations.map(\.name))
        try expect(schema.column("SELECT count(*) FROM SPACE.runs"), equals: ["1"])
    }

    @Test func `one whose connection is cut anywhere ends right`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SplitMix(seed: seed)
        let proxy = try PostgreSQLProxy(to: schema.server)
        let migrations = [
            rename, change,
            PostgreSQLMigration("3 rows") { migration in
                try migration.transform("Person") { $0["age"] = 40 }
            },
            PostgreSQLMigration("4 type") { try $0.rename(type: "Person", to: "Human") },
        ]
        var (cuts, size) = (0, 9_000)
        for number in 0..<30 {
            let other = try MigratedSchema()
            try await other.withStore { store in
                try await store.create(
                    (0..<20).map { Before.Person("\($0)", "n\($0)", age: "30") }
                )
            }
            let before = proxy.count(.toServer)
            // The first one is for the size alone.
            if number > 0 {
                proxy.fail(.cut, .toServer, after: .random(in: 0..<size, using: &chance))
            }
            do {
                try await other.withStore(migrations, connection: proxy.connection())
            } catch is StoreError {
                cuts += 1
            }
            if number == 0 { size = proxy.count(.toServer) - before }
            proxy.heal()
            // What has run is there, and what has not is not.
            let what = "seed \(seed), number \(number)"
            let columns = try other.column(
                """
                SELECT table_name || '.' || column_name || ' ' || data_type \
                FROM information_schema.columns WHERE table_schema = 'SPACE' \
                AND column_name IN ('fullName', 'name', 'age') \
                AND table_name IN ('Person', 'Human') ORDER BY 1
                """
            )
            let hasLedger =
                try other.column(
                    "SELECT to_regclass('SPACE._modelkit_migrations') IS NOT NULL"
                ) == ["true"]
            let count = hasLedger ? try other.ledger().count : 0
            let type = count > 3 ? "Human" : "Person"
            expect(
                columns,
                equals: [
                    "\(type).age \(count > 1 ? "bigint" : "text")",
                    "\(type).\(count > 0 ? "name" : "fullName") text",
                ],
                what
            )
            try expect(
                other.column("SELECT DISTINCT age::text FROM SPACE.\"\(type)\""),
                equals: [count > 2 ? "40" : "30"],
                what
            )
            try await other.withStore(migrations)
            try expect(other.ledger().count, equals: 4, what)
            try expect(other.column("SELECT sum(age) FROM SPACE.\"Human\""), equals: ["800"], what)
        }
        print("seed \(seed): \(cuts) of 29 migrators cut in \(size) bytes")
    }

    @Test func `a migration waits for a lock again and again, and runs when it gets it`()
        async throws
    {
        try await fill()
        let other = try schema.server.connect()
        try other.execute("BEGIN; LOCK TABLE \(schema.space).\"Person\" IN ACCESS SHARE MODE")
        let schema = schema
        let migrations = [rename]
        let task = Task { try await schema.withStore(migrations) }
        let waiting = "wait_event_type = 'Lock' AND query LIKE '%\"\(schema.space)\"%'"
        // It gives up after two seconds, and tries again.
        try await schema.reachTwice(waiting)
        try other.execute("COMMIT")
        try await task.value
        try expect(schema.ledger(), equals: ["1 name"])
    }

    @Test func `it reports how far it is, and is stopped with its task`() async throws {
        let schema = schema
        try await schema.withStore { store in
            try await store.create((0..<1_203).map { Before.Person("\($0)", "n\($0)") })
        }
        let lines = Guarded<[String]>([])
        let events = Guarded<[String]>([])
        let transform = PostgreSQLMigration("rows") { migration in
            try migration.transform("Person") { row in
                guard case .string(let id)? = row["id"] else { return }
                if id != "5" { row["age"] = .string("a\(id)") }
            }
        }
        let store = try await PostgreSQLModelStore.open(
            schema.server.connection(),
            schema: schema.space,
            migrations: [transform],
            events: StoreEvents { event in
                events.withLock { $0.append("\(event.operation) \(event.type ?? "")") }
            }
        ) { progress in
            lines.withLock { $0.append("\(progress)") }
        }
        let promise: Promise<Void> = store.close()
        try await promise.value
        expect(
            lines.withLock { $0 },
            equals: [
                "1 of 1: \"rows\"", "1 of 1: \"rows\", 0 of 1203 rows",
                "1 of 1: \"rows\", 500 of 1203 rows", "1 of 1: \"rows\", 1000 of 1203 rows",
                "1 of 1: \"rows\", 1203 of 1203 rows",
            ]
        )
        expect(events.withLock { $0 }, equals: ["migrate rows", "migrate rows"])
        try expect(
            schema.column("SELECT count(*) FROM SPACE.\"Person\" WHERE age = 'a' || id"),
            equals: ["1202"]
        )
        try expect(
            schema.column("SELECT count(DISTINCT _revision) FROM SPACE.\"Person\""),
            equals: ["1203"]
        )
        let endless = PostgreSQLMigration("endless") { try $0.execute("SELECT pg_sleep(3600)") }
        let task = Task { try await schema.withStore([transform, endless]) }
        try await schema.server.reach("query = 'SELECT pg_sleep(3600)' AND state = 'active'")
        task.cancel()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await task.value }
        try expect(schema.ledger(), equals: ["rows"])
    }

    // MARK: Changes

    private func migrate(
        _ body: @escaping @Sendable (PostgreSQLMigration.Context) throws -> Void
    ) async throws {
        try await schema.withStore([PostgreSQLMigration("m", body)])
    }

    @Test func `values are bound, and rows come by the names of their columns`() async throws {
        try await fill()
        try await migrate { migration in
            let name = "'; DROP TABLE \"Person\"; --"
            let count = try migration.execute(
                "UPDATE \"Person\" SET \"fullName\" = $1 WHERE id = $2",
                [.string(name), "a"]
            )
            expect(count, equals: 1)
            try expect(
                migration.rows(
                    "SELECT id, \"fullName\", _order AS place FROM \"Person\" WHERE id = $1",
                    ["a"]
                ),
                equals: [["id": "a", "fullName": .string(name), "place": 2]]
            )
            let date = Date(timeIntervalSince1970: 1.5)
            let data = Data([0, 1])
            try expect(
                migration.rows(
                    """
                    SELECT $1 AS a, $2 AS b, $3 AS c, $4 AS d, $5 AS e, $6::int AS f, 7::int2 AS g, \
                    8::int4 AS h, 1.50 AS i, 'x'::varchar AS j
                    """,
                    [true, .date(date), ["x", 1], .data(data), 1.5, .null]
                ),
                equals: [
                    [
                        "a": true, "b": .date(date), "c": ["x", 1], "d": .data(data), "e": 1.5,
                        "f": .null, "g": 7, "h": 8, "i": "1.5", "j": "x",
                    ]
                ]
            )
            #expect(
                throws: StoreError.unsupported("two columns are called a: SELECT 1 AS a, 2 AS a")
            ) {
                try migration.rows("SELECT 1 AS a, 2 AS a")
            }
        }
    }

    @Test func `what is not there is nothing to change, and a name that is taken is refused`()
        async throws
    {
        try await fill()
        try await migrate { migration in
            let found = [
                try migration.rename("nick", to: "name", in: "Person"),
                try migration.rename("name", to: "title", in: "Book"),
                try migration.remove("nick", from: "Person"),
                try migration.change("nick", in: "Person", to: .int, using: "1"),
                try migration.change("nick", in: "Person", to: .int) { $0 },
                try migration.transform("Book") { _ in },
                try migration.rename(type: "Book", to: "Volume"),
                try migration.remove(type: "Book"),
            ]
            expect(found, equals: Array(repeating: false, count: 8))
            let columns = [try migration.columns(of: "Book"), try migration.columns(of: "Person")]
            expect(columns, equals: [[], ["_order", "_revision", "id", "fullName", "age"]])
            #expect(
                throws: StoreError.schema(
                    "Person.fullName cannot be renamed: there is a column age already"
                )
            ) {
                try migration.rename("fullName", to: "age", in: "Person")
            }
            try migration.execute("CREATE TABLE \"Other\" (x int)")
            #expect(
                throws: StoreError.schema("Person cannot be renamed: there is a Other already")
            ) {
                try migration.rename(type: "Person", to: "Other")
            }
            #expect(
                throws: StoreError.unsupported(
                    "Person._order is no field of a table that this store made"
                )
            ) {
                try migration.remove("_order", from: "Person")
            }
        }
    }

    @Test func `a column is added with a value and filled, and fits its field`() async throws {
        try await fill()
        try await migrate { migration in
            let date = AttributeValue.date(Date(timeIntervalSince1970: 1.5))
            let added = [
                try migration.add("name", to: "Person", as: .string, value: "it's"),
                try migration.add("born", to: "Person", as: .date, value: date),
                try migration.add("tags", to: "Person", as: .array, value: ["a", 1]),
                try migration.add("isOld", to: "Person", as: .bool, value: true),
                try migration.add("weight", to: "Person", as: .double, value: 1.5),
                try migration.add("price", to: "Person", as: .decimal, value: "1.25"),
                try migration.add("face", to: "Person", as: .data, value: .data(Data([0, 255]))),
                try migration.add("name", to: "Person", as: .string),
                try migration.add("name", to: "Book", as: .string),
            ]
            expect(added, equals: Array(repeating: true, count: 7) + [false, false])
            try migration.transform("Person") { row in row["name"] = row["fullName"] }
            #expect(
                throws: StoreError.schema("Person.x is to be int, but a value is a string")
            ) {
                try migration.add("x", to: "Person", as: .int, value: "1")
            }
        }
        let values = try schema.column(
            "SELECT DISTINCT (name = \"fullName\")::text || ' ' || extract(epoch FROM born)::text "
                + "|| tags::text || \"isOld\"::text || weight || price || face::text FROM SPACE.\"Person\""
        )
        expect(values, equals: [#"true 1.500000["a",1]true1.51.25\x00ff"#])
    }

    @Test func `a name that is taken fails a migration of its own SQL at once`() async throws {
        try await fill()
        let runs = Guarded(0)
        let migration = PostgreSQLMigration("1 other") { migration in
            runs.withLock { $0 += 1 }
            try migration.execute("CREATE TABLE \"Person\" (x int)")
        }
        let error = await #expect(throws: StoreError.self) {
            try await schema.withStore([migration])
        }
        expect("\(error as Any)".contains("42P07"), "\(error as Any)")
        expect(runs.withLock { $0 }, equals: 1)
    }

    @Test func `a type keeps its models, revisions and numbers by another name, or goes`()
        async throws
    {
        try await schema.withStore { store in
            let things = try await store.create([Before.Thing(), Before.Thing()])
            things[0].weight.value = -0.0
            try await store.update(things[0])
            try await store.delete(things[1])
        }
        let rename = PostgreSQLMigration("m") { _ = try $0.rename(type: "Thing", to: "Item") }
        try await schema.withStore([rename]) { store in
            let items = try await store.list(After.Item.self)
            expect(items.map(\.weight.value?.sign), equals: [.minus])
            items[0].weight.value = 2
            try await store.update(items[0])
            try await expect(store.create(After.Item()).id.value, equals: 3)
            await #expect(throws: StoreError.alreadyExists(type: "Item", identifier: 3)) {
                let other = After.Item()
                other.id.value = 3
                try await store.create(other)
            }
            // One of the old name is another one.
            try await expect(store.create(Before.Thing()).id.value, equals: 1)
        }
        let remove = PostgreSQLMigration("n") { _ = try $0.remove(type: "Item") }
        try await schema.withStore([rename, remove]) { store in
            try await expect(store.create(After.Item()).id.value, equals: 1)
        }
    }

    @Test func `a column of another kind has the values that a closure makes`() async throws {
        try await schema.withStore { store in
            try await store.create(
                (0..<1_100).map { Before.Person("\($0)", "n", age: $0 == 7 ? nil : "\($0)") }
            )
        }
        try await schema.withStore([
            PostgreSQLMigration("m") { migration in
                try migration.change("age", in: "Person", to: .int) { age in
                    guard case .string(let text) = age else { return .null }
                    return Int64(text).map { .int($0 * 2) } ?? .null
                }
                // Twice in a transaction.
                try migration.change("fullName", in: "Person", to: .string) { _ in .null }
                try migration.rename("fullName", to: "name", in: "Person")
            }
        ]) { store in
            let people = try await store.list(After.Person.self, where: \.age >= 2_000)
            expect(people.count, equals: 100)
            try await expect(
                store.list(After.Person.self, where: \.age == nil).map(\.id.value),
                equals: ["7"]
            )
        }
        for (value, kind, reason) in [
            ("x", .int, "Person.age is to be int, but a value is a string"),
            ("x", .decimal, "Person.age is to be decimal, but a value is no such number"),
        ] as [(AttributeValue, AttributeKind, String)] {
            let error = await #expect(throws: StoreError.self) {
                try await schema.withStore([
                    PostgreSQLMigration("m") { _ in },
                    PostgreSQLMigration("n") { migration in
                        try migration.change("age", in: "Person", to: kind) { _ in value }
                    },
                ])
            }
            expect("\(error as Any)".contains(reason), "\(error as Any)")
        }
    }

    @Test func `values of every kind are read as the field reads them`() async throws {
        try await schema.withStore { store in
            for id in ["1", "2"] {
                let model = After.Strange()
                model.id.value = id
                try await store.create(model)
            }
        }
        let date = Date(timeIntervalSince1970: -12.25)
        try await schema.withStore([
            PostgreSQLMigration("m") { migration in
                try migration.transform("Strange") { row in
                    guard row["id"] == "1" else { return }
                    row["born"] = .date(date)
                    row["tags"] = ["a", "b"]
                    row["isOld"] = true
                    row["weight"] = -0.0
                    row["price"] = "12.5"
                    row["face"] = .data(Data([1, 2]))
                }
                for (name, value, reason) in [
                    ("nick", "x", "the table Strange has no column nick"),
                    (
                        "born", "x",
                        "the column Strange.born has the type timestamp with time zone, but a value is a string"
                    ),
                ] as [(String, AttributeValue, String)] {
                    #expect(throws: StoreError.schema(reason)) {
                        try migration.transform("Strange") { $0[name] = value }
                    }
                }
                let endless = StoreError.unsupported(
                    "Strange.weight is inf, which cannot be stored"
                )
                #expect(throws: endless) {
                    try migration.transform("Strange") { $0["weight"] = .double(.infinity) }
                }
                #expect(throws: StoreError.unsupported("Strange._order is the store's own")) {
                    try migration.transform("Strange") { $0["_order"] = 9 }
                }
            }
        ]) { store in
            let models = try await store.list(After.Strange.self)
            expect(models[0].born.value, equals: date)
            expect(models[0].tags.value, equals: ["a", "b"])
            expect(models[0].isOld.value, equals: true)
            expect(models[0].weight.value?.sign, equals: .minus)
            expect(models[0].price.value, equals: Decimal(string: "12.5"))
            expect(models[0].face.value, equals: Data([1, 2]))
            expect(models[1].born.value, equals: nil)
        }
    }

    @Test func `identifiers may become numbers, which the store makes from then on`() async throws {
        try await schema.withStore { store in
            try await store.create([Before.Person("7", "Bob"), Before.Person("1", "Ada")])
        }
        try await schema.withStore([
            PostgreSQLMigration("m") { migration in
                try migration.change("id", in: "Person", to: .int, using: "id::bigint")
                try migration.remove("age", from: "Person")
            }
        ]) { store in
            let models = try await store.list(After.Numbered.self)
            expect(models.map(\.id.value), equals: [7, 1])
            let made = try await store.create(After.Numbered())
            expect(![7, 1, nil].contains(made.id.value))
        }
        await #expect(throws: StoreError.self) {
            try await schema.withStore([
                PostgreSQLMigration("m") { _ in },
                PostgreSQLMigration("n") { migration in
                    try migration.change("id", in: "Person", to: .int, using: "1")
                },
            ])
        }
    }

    // MARK: Others at the same time

    @Test func `a transaction whose statement was compiled for a column of before runs again`()
        async throws
    {
        try await fill()
        let schema = schema
        let runs = Guarded(0)
        try await schema.withStore { store in
            // Known to each connection.
            try await store.transaction { transaction in
                _ = try transaction.lookup(Before.Person.self, identifier: "a")
            }.value
            let name = try await store.transaction { transaction in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                if run == 1 {
                    try schema.server.connect().execute(
                        "ALTER TABLE \(schema.space).\"Person\" ALTER \"fullName\" TYPE text COLLATE \"POSIX\""
                    )
                }
                return try transaction.lookup(Before.Person.self, identifier: "a").fullName.value
            }.value
            expect(name, equals: "Ada")
        }
        expect(runs.withLock { $0 }, equals: 2)
    }
}
