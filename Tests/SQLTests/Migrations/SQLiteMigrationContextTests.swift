import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@Suite struct SQLiteMigrationContextTests {
    let file: MigratedFile

    init() throws { file = try MigratedFile() }

    /// Runs the body as a migration.
    private func migrate(
        _ body: @escaping @Sendable (SQLiteMigration.Context) throws -> Void
    ) async throws {
        try await file.migrate([SQLiteMigration("m", body)])
    }

    // MARK: SQL

    @Test func `values are bound, and rows come by the names of their columns`() async throws {
        try await file.fill()
        try await migrate { migration in
            let name = "'; DROP TABLE Person; --"
            let count = try migration.execute(
                "UPDATE Person SET fullName = ?1 WHERE id = ?2",
                [.string(name), "a"]
            )
            expect(count, equals: 1)
            let rows = try migration.rows(
                "SELECT id, fullName, _order AS place FROM Person WHERE id = ?1",
                ["a"]
            )
            expect(rows, equals: [["id": "a", "fullName": .string(name), "place": 2]])
            try expect(migration.execute("DELETE FROM Person WHERE id = 'x'"), equals: 0)
            let date = Date(timeIntervalSince1970: 1.5)
            let data = Data([0, 1])
            try expect(
                migration.rows(
                    "SELECT ?1 AS a, ?2 AS b, ?3 AS c, ?4 AS d, ?5 AS e, ?6 AS f",
                    [true, .date(date), ["x", 1], .data(data), 1.5, .null]
                ),
                equals: [
                    [
                        "a": 1, "b": 1_500_000, "c": "[\"x\",1]", "d": .data(data), "e": 1.5,
                        "f": .null,
                    ]
                ]
            )
        }
    }

    @Test func `values that do not fit their statement are refused`() async throws {
        try await file.fill()
        try await migrate { migration in
            #expect(
                throws: StoreError.unsupported(
                    "1 values were given for 2 parameters: SELECT ?1, ?2"
                )
            ) {
                try migration.rows("SELECT ?1, ?2", [1])
            }
            #expect(throws: StoreError.self) { try migration.execute("DELETE FROM Person", [1]) }
            #expect(
                throws: StoreError.unsupported("two columns are called a: SELECT 1 AS a, 2 AS a")
            ) {
                try migration.rows("SELECT 1 AS a, 2 AS a")
            }
            #expect(throws: SQLiteError.self) {
                try migration.execute("SELECT ?1", [.double(.nan)])
            }
            #expect(throws: SQLiteError.self) {
                try migration.execute("DELETE FROM Person WHERE id <> ?1")
            }
        }
        try expect(file.column("SELECT count(*) FROM Person"), equals: ["2"])
    }

    @Test func `what changes no rows does not report the count of the statement before`()
        async throws
    {
        try await file.fill()
        try await migrate { migration in
            let update = "UPDATE Person SET fullName = 'x'"
            let counts = [
                try migration.execute(update),
                try migration.execute("CREATE INDEX mine ON Person (fullName)"),
                try migration.execute("SELECT ?1", [1]),
                try migration.execute(update + "; DROP INDEX mine; " + update),
            ]
            expect(counts, equals: [2, 0, 0, 4])
        }
    }

    @Test func `a column is added with a value and filled`() async throws {
        try await file.fill()
        try await migrate { migration in
            let added = [
                try migration.add("nick", to: "Person", as: .string, value: "none"),
                try migration.add("born", to: "Person", as: .date),
                try migration.add("tags", to: "Person", as: .array, value: ["a"]),
                try migration.add("nick", to: "Person", as: .string),
                try migration.add("nick", to: "Book", as: .string),
            ]
            expect(added, equals: [true, true, true, false, false])
            try migration.transform("Person") { row in
                if row["id"] == "a" { row["nick"] = "Ada" }
            }
            expect(
                try migration.rows("SELECT nick, born, tags FROM Person ORDER BY id"),
                equals: [
                    ["nick": "Ada", "born": .null, "tags": "[\"a\"]"],
                    ["nick": "none", "born": .null, "tags": "[\"a\"]"],
                ]
            )
            #expect(
                throws: StoreError.schema("Person.x is to be int, but a value is a string")
            ) {
                try migration.add("x", to: "Person", as: .int, value: "1")
            }
            try migration.execute("CREATE TABLE Other (id)")
            #expect(
                throws: StoreError.unsupported(
                    "Other.x is no field of a table that this store made"
                )
            ) {
                try migration.add("x", to: "Other", as: .int)
            }
        }
    }

    // MARK: Names

    @Test func `a field that has no column yet is nothing to rename`() async throws {
        try await file.fill()
        try await migrate { migration in
            let found = [
                try migration.rename("nick", to: "name", in: "Person"),
                try migration.rename("name", to: "title", in: "Book"),
                try migration.remove("nick", from: "Person"),
                try migration.change("nick", in: "Person", to: .int, using: "1"),
                try migration.transform("Book") { _ in },
                try migration.rename(type: "Book", to: "Volume"),
                try migration.remove(type: "Book"),
            ]
            expect(found, equals: Array(repeating: false, count: 7))
            let columns = [try migration.columns(of: "Book"), try migration.columns(of: "Person")]
            expect(columns, equals: [[], ["_order", "_revision", "id", "fullName", "age"]])
        }
    }

    @Test func `a name that is taken is refused`() async throws {
        try await file.fill()
        try await migrate { migration in
            #expect(
                throws: StoreError.schema(
                    "Person.fullName cannot be renamed: there is a column AGE already"
                )
            ) {
                try migration.rename("fullName", to: "AGE", in: "Person")
            }
            try migration.execute("CREATE TABLE other (x)")
            #expect(
                throws: StoreError.schema("Person cannot be renamed: there is a Other already")
            ) {
                try migration.rename(type: "Person", to: "Other")
            }
            try expect(migration.rename("fullName", to: "FULLNAME", in: "Person"))
            try expect(migration.rename(type: "Person", to: "PERSON"))
        }
        try expect(file.column("SELECT FULLNAME FROM PERSON"), equals: ["Bob", "Ada"])
    }

    @Test func `a type keeps its models and numbers by another name`() async throws {
        try await file.withStore { store in
            let things = try await store.create([Before.Thing(), Before.Thing()]).value
            things[0].weight.value = 2.5
            _ = try await store.update(things[0]).value
            _ = try await store.delete(things[1]).value
        }
        try await file.withStore([
            SQLiteMigration("m") { try $0.rename(type: "Thing", to: "Item") }
        ]) { store in
            let items = try await store.list(After.Item.self).value
            expect(items.map(\.weight.value), equals: [2.5])
            try await expect(store.create(After.Item()).value.id.value, equals: 3)
        }
    }

    @Test func `a type keeps its numbers, however its name is written`() async throws {
        try await file.withStore { store in
            let things = try await store.create([Before.Thing(), Before.Thing()]).value
            _ = try await store.delete(things[1]).value
        }
        try await file.withStore { store in
            let thing = try await store.create(After.Small()).value
            expect(thing.id.value, equals: 3)
            _ = try await store.delete(thing).value
        }
        try await file.withStore([
            SQLiteMigration("m") { try $0.rename(type: "THING", to: "Item") }
        ]) { store in
            let item = try await store.create(After.Item()).value
            expect(item.id.value, equals: 4)
        }
        try expect(file.column("SELECT type || last FROM _modelkit_numbers"), equals: ["Item4"])
    }

    @Test(arguments: ["Thing", "thing"])
    func `a type goes with its models`(_ name: String) async throws {
        try await file.withStore { store in
            _ = try await store.create([Before.Thing(), Before.Thing()]).value
        }
        try await file.withStore([
            SQLiteMigration("m") { try $0.remove(type: name) }
        ]) { store in
            let thing = try await store.create(Before.Thing()).value
            expect(thing.id.value, equals: 1)
        }
    }

    // MARK: Columns

    @Test func `a column goes, and all else stays`() async throws {
        try await file.withStore { store in
            let things = try await store.create([Before.Thing(), Before.Thing()]).value
            things[0].weight.value = -0.0
            _ = try await store.update(things[0]).value
            _ = try await store.delete(things[1]).value
        }
        try file.execute(
            """
            ALTER TABLE Thing ADD COLUMN "a,b" TEXT DEFAULT 'x),(y' CHECK ("a,b" <> 'no''t');
            ALTER TABLE Thing ADD COLUMN old TEXT;
            CREATE INDEX mine ON Thing (weight, id) WHERE weight > 1;
            CREATE INDEX gone ON Thing (id, old);
            CREATE UNIQUE INDEX "_modelkit_index:Thing.weight" ON Thing (iif(weight, weight, old));
            CREATE TRIGGER counted AFTER INSERT ON Thing BEGIN UPDATE Thing SET "a,b" = 'new'
            WHERE id = new.id; END;
            CREATE VIEW seen AS SELECT id, "a,b" FROM Thing;
            CREATE TABLE part (thing INTEGER REFERENCES Thing(id));
            INSERT INTO part VALUES (1)
            """
        )
        try await file.withStore([
            SQLiteMigration("m") { try $0.remove("old", from: "thing") }
        ]) { store in
            let things = try await store.list(Before.Thing.self).value
            expect(things.map(\.id.value), equals: [1])
            expect(things[0].weight.value?.sign, equals: .minus)
            try await expect(store.create(Before.Thing()).value.id.value, equals: 3)
            try expect(file.column("SELECT \"a,b\" FROM seen"), equals: ["x),(y", "new"])
            await #expect(throws: StoreError.self) { try await store.delete(things[0]).value }
            await #expect(throws: StoreError.alreadyExists(type: "Thing", identifier: 3)) {
                let other = Before.Thing()
                other.id.value = 3
                _ = try await store.create(other).value
            }
        }
        try expect(
            file.column("SELECT name FROM pragma_table_info('Thing')"),
            equals: ["_order", "_revision", "id", "weight", "a,b"]
        )
        try expect(file.column("SELECT _order FROM Thing"), equals: ["1", "3"])
        try expect(
            file.column("SELECT name FROM sqlite_master WHERE type = 'index' AND sql <> ''"),
            equals: ["mine"]
        )
        #expect(throws: SQLiteError.self) { try file.execute("UPDATE Thing SET \"a,b\" = 'no''t'") }
    }

    @Test func `a column of another kind has the values that a closure makes`() async throws {
        try await file.fill()
        try await file.withStore([
            SQLiteMigration("m") { migration in
                try migration.rename("fullName", to: "name", in: "Person")
                try migration.change("age", in: "Person", to: .int) { age in
                    guard case .string(let text) = age else { return .null }
                    return Int64(text).map { .int($0) } ?? .null
                }
            }
        ]) { store in
            let people = try await store.list(After.Person.self).value
            expect(people.map(\.age.value), equals: [30, nil])
        }
    }

    @Test func `values of every kind are read as the field reads them`() async throws {
        try await file.withStore { store in
            for id in ["1", "2"] {
                let model = After.Strange()
                model.id.value = id
                _ = try await store.create(model).value
            }
        }
        let date = Date(timeIntervalSince1970: -12.25)
        try await file.withStore([
            SQLiteMigration("m") { migration in
                try migration.transform("Strange") { row in
                    guard row["id"] == "1" else { return }
                    row["born"] = .date(date)
                    row["tags"] = ["a\u{0}", "b"]
                    row["isOld"] = true
                    row["extra"] = .date(date)
                    row["weight"] = -0.0
                }
                try migration.change("extra", in: "Strange", to: .string, using: "id || 'x'")
                try migration.change("extra", in: "Strange", to: .any) { text in
                    text == "1x" ? ["k": .date(date)] : true
                }
            }
        ]) { store in
            let models = try await store.list(After.Strange.self).value
            expect(models[0].born.value, equals: date)
            expect(models[0].tags.value, equals: ["a\u{0}", "b"])
            expect(models[0].isOld.value, equals: true)
            expect(models[0].extra.value, equals: ["k": .date(date)])
            expect(models[0].weight.value?.sign, equals: .minus)
            expect(models[1].extra.value, equals: true)
            expect(models[1].born.value, equals: nil)
        }
    }

    @Test func `a value of another kind than the new one is refused`() async throws {
        try await file.fill()
        await #expect(
            throws: StoreError.schema(
                "the migration \"m\" failed: Person.age is to be int, but a value is a string"
            )
        ) {
            try await migrate { try $0.change("age", in: "Person", to: .int) { $0 } }
        }
        await #expect(
            throws: StoreError.unsupported(
                "the migration \"m\" failed: Person._order is no field of a table that this store made"
            )
        ) {
            try await migrate { try $0.remove("_order", from: "Person") }
        }
    }

    @Test func `identifiers may become numbers, which the store makes from then on`() async throws {
        try await file.withStore { store in
            _ = try await store.create([person("7", "Bob"), person("5", "Ada")]).value
        }
        try await file.withStore([
            SQLiteMigration("m") { migration in
                try migration.change("id", in: "Person", to: .int, using: "CAST(id AS INTEGER)")
            }
        ]) { store in
            let models = try await store.list(After.Numbered.self).value
            expect(models.map(\.id.value), equals: [7, 5])
            try await expect(store.create(After.Numbered()).value.id.value, equals: 8)
        }
        await #expect(throws: StoreError.self) {
            try await file.migrate([
                SQLiteMigration("m") { _ in },
                SQLiteMigration("n") { try $0.change("id", in: "Person", to: .int, using: "1") },
            ])
        }
    }

    @Test func `names that SQL reads otherwise are names`() async throws {
        try await file.withStore { store in
            let model = After.Quoted()
            (model.id.value, model.text.value, model.other.value) = ("1", "t", "o")
            _ = try await store.create(model).value
        }
        let type = After.Quoted.modelName
        try await migrate { migration in
            try migration.rename(["some", "or.other"], to: "x'); --", in: type)
            try migration.change("x'); --", in: type, to: .data, using: "x'00'")
            try migration.remove("a \"text\" -- of ) it", from: type)
            try migration.rename(type: type, to: "it's")
            try migration.transform("it's") { $0["x'); --"] = .data(Data([1])) }
        }
        try expect(
            file.column(
                "SELECT hex(\"x'); --\") || \"the id, (it's \"\"id\"\")\" FROM \"it's\""
            ),
            equals: ["011"]
        )
    }

    // MARK: Rows

    @Test func `every row is changed, in the order of creation, and has a new revision`()
        async throws
    {
        try await file.withStore { store in
            _ = try await store.create((0..<1_203).map { person("\($0)", "n\($0)") }).value
        }
        let log = Log()
        try await migrate { migration in
            try migration.transform("Person") { row in
                guard case .string(let id)? = row["id"] else { return }
                log.add(id)
                if id != "5" { row["age"] = .string("a\(id)") }
            }
        }
        expect(log.entries, equals: (0..<1_203).map { "\($0)" })
        try expect(
            file.column("SELECT count(*) FROM Person WHERE age = 'a' || id AND _revision = 2"),
            equals: ["1202"]
        )
        try expect(
            file.column("SELECT id FROM Person WHERE age IS NULL AND _revision = 1"),
            equals: ["5"]
        )
    }

    @Test(
        arguments: [
            ("nick", "x", "the table Person has no column nick"),
            ("age", 5, "the column Person.age has the type TEXT, but a value is an integer"),
        ] as [(String, AttributeValue, String)]
    )
    func `what a row cannot hold is refused`(
        _ column: String,
        _ value: AttributeValue,
        _ reason: String
    ) async throws {
        try await file.fill()
        await #expect(throws: StoreError.schema("the migration \"m\" failed: \(reason)")) {
            try await migrate { try $0.transform("Person") { $0[column] = value } }
        }
        await #expect(throws: StoreError.self) {
            try await migrate { try $0.transform("Person") { $0["_order"] = 9 } }
        }
    }
}

private final class Log: Sendable {
    private let lock = Lock()
    // Safe: only touched under the lock.
    nonisolated(unsafe) private var lines: [String] = []

    var entries: [String] { lock.withLock { lines } }
    func add(_ line: String) { lock.withLock { lines.append(line) } }
}
