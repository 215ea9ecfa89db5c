import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@Suite struct SQLiteSchemaTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    @Test func `each field has a column of its type`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.list(Everything.self).value
        try expect(
            column(
                "SELECT name || ' ' || type || iif(\"notnull\", ' NOT NULL', '') "
                    + "FROM pragma_table_info('Everything')"
            ),
            equals: [
                "_order INTEGER", "_revision INTEGER NOT NULL", "id INTEGER NOT NULL",
                "flag INTEGER", "count INTEGER", "weight REAL", "name TEXT", "photo BLOB",
                "born INTEGER", "tags TEXT", "owner TEXT", "extra ", "address_street TEXT",
            ]
        )
        try expect(
            column(
                "SELECT sql LIKE '%\"id\" INTEGER NOT NULL UNIQUE%' FROM sqlite_master "
                    + "WHERE name = 'Everything'"
            ),
            equals: ["1"]
        )
    }

    @Test func `values stand in their columns as SQL reads them`() async throws {
        let store = try SQLiteModelStore(path: path)
        let thing = Everything()
        thing.flag.value = true
        thing.count.value = -7
        thing.weight.value = 1.5
        thing.name.value = "Ada"
        thing.born.value = Date(timeIntervalSince1970: 1.25)
        thing.tags.value = ["a", "it's \"b\""]
        thing.extra.value = 3
        _ = try await store.create(thing).value
        try expect(
            column(
                "SELECT quote(id) || quote(flag) || quote(count) || quote(weight) || quote(name) "
                    + "|| quote(photo) || quote(born) || tags || quote(extra) FROM Everything"
            ),
            equals: ["11-71.5'Ada'NULL1250000[\"a\",\"it's \\\"b\\\"\"]3"]
        )
        try expect(
            column("SELECT value FROM Everything, json_each(tags)"),
            equals: ["a", "it's \"b\""]
        )
    }

    @Test func `columns of new fields are added, with their default values`() async throws {
        let old = First.Person()
        old.id.value = "p1"
        old.name.value = "Ada"
        let before = try SQLiteModelStore(path: path)
        _ = try await before.create(old).value
        try await before.close().value

        let store = try SQLiteModelStore(path: path)
        let person = try await store.lookup(Second.Person.self, identifier: "p1").value
        expect(person.name.value, equals: "Ada")
        expect(person.age.value, equals: nil)
        expect(person.isActive.value, equals: true)
        expect(person.tags.value, equals: [])
        expect(person.city.value, equals: "it's \"Rome\"")
        person.age.value = 36
        person.isActive.value = nil
        _ = try await store.update(person).value
        try await store.close().value

        // The older version of the program leaves the columns that it does not know alone.
        let again = try SQLiteModelStore(path: path)
        let older = try await again.lookup(First.Person.self, identifier: "p1").value
        older.name.value = "Ada L."
        _ = try await again.update(older).value
        try expect(
            column("SELECT quote(age) || quote(isActive) || name FROM Person"),
            equals: ["36NULLAda L."]
        )
    }

    @Test func `a column of another type is named`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.list(First.Person.self).value
        try await store.close().value
        await #expect(
            throws: StoreError.schema(
                "the column Person.name has the type TEXT, but the field needs INTEGER"
            )
        ) {
            try await SQLiteModelStore(path: path).list(Third.Person.self).value
        }
    }

    @Test func `a column that is not unique cannot be the identifier`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.list(First.Person.self).value
        try await store.close().value
        await #expect(
            throws: StoreError.schema(
                "the table Person has no unique column name, which is the identifier"
            )
        ) {
            try await SQLiteModelStore(path: path).list(Fourth.Person.self).value
        }
    }

    @Test func `a column that only a field had be unique cannot be the identifier either`()
        async throws
    {
        final class Numbered: Model {
            static var modelName: String { "Person" }
            let id = Field<Int>()
            let code = Field<String>().unique()
        }
        final class Coded: Model {
            static var modelName: String { "Person" }
            let code = Field<String>().identifier()
        }
        let store = try SQLiteModelStore(path: path)
        let person = Numbered()
        person.code.value = "a"
        _ = try await store.create(person).value
        try await store.close().value
        let refusal = StoreError.schema(
            "the table Person has no unique column code, which is the identifier"
        )
        for _ in 0..<2 {
            await #expect(throws: refusal) {
                try await SQLiteModelStore(path: path).list(Coded.self).value
            }
        }
        let again = try SQLiteModelStore(path: path)
        let twin = Numbered()
        twin.code.value = "a"
        await #expect(throws: StoreError.self) { try await again.create(twin).value }
    }

    @Test func `a table of somebody else is left alone`() async throws {
        try SQLiteConnection(path: path).execute("CREATE TABLE Person (id TEXT UNIQUE, name TEXT)")
        await #expect(
            throws: StoreError.schema(
                "the table Person has no column _order: it was not made by this store"
            )
        ) {
            try await SQLiteModelStore(path: path).list(First.Person.self).value
        }
        try expect(column("SELECT name FROM pragma_table_info('Person')"), equals: ["id", "name"])
    }

    @Test func `two types of one name are distinguished, whatever its case`() async throws {
        for store: any ModelStore in [try SQLiteModelStore(path: path), MemoryModelStore()] {
            _ = try await store.create(First.Person()).value
            let error = await #expect(throws: StoreError.self) {
                try await store.list(Second.Person.self).value
            }
            guard case .schema(let text)? = error else {
                Issue.record("not a schema error: \(String(describing: error))")
                continue
            }
            expect(text.contains("First.Person") && text.contains("Second.Person"))
        }
        let store = try SQLiteModelStore(path: ":memory:")
        _ = try await store.list(First.Person.self).value
        await #expect(throws: StoreError.self) {
            try await store.list(Fourth.Numbered.self).value
        }
    }

    @Test func `two fields of one column are both named`() async throws {
        let store = try SQLiteModelStore(path: path)
        await #expect(
            throws: StoreError.schema("Colliding.a.b needs the column a_b, which a_B needs too")
        ) {
            try await store.list(Colliding.self).value
        }
        await #expect(
            throws: StoreError.schema(
                "Reserved._Revision needs the column _Revision, which the store itself needs too"
            )
        ) {
            try await store.list(Reserved.self).value
        }
        await #expect(throws: StoreError.schema("Nameless has no identifier field")) {
            try await store.list(Nameless.self).value
        }
    }

    @Test func `a name that no table or column can have is refused as such`() async throws {
        let store = try SQLiteModelStore(path: path)
        let refusal = StoreError.schema("SQLite: the name \"a\\0b\" contains U+0000")
        await #expect(throws: refusal) { try await store.create(Zeroed()).value }
        await #expect(throws: refusal) { try await store.list(ZeroNamed.self).value }
    }

    @Test func `a value of another kind than the field says is refused`() async throws {
        for store: any ModelStore in [try SQLiteModelStore(path: path), MemoryModelStore()] {
            let model = Wrong()
            model.id.value = "1"
            model.color.value = 5
            await #expect(
                throws: StoreError.schema(
                    "Wrong.color is declared as int, but its value is a string"
                )
            ) {
                try await store.create(model).value
            }
        }
    }

    /// The first column of every row, as texts.
    private func column(_ sql: String) throws -> [String] {
        try SQLiteConnection(path: path).withStatement(sql) { statement in
            var result: [String] = []
            while try statement.step() { result.append(try statement.string(at: 0)) }
            return result
        }
    }
}
