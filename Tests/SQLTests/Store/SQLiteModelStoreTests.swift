import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import Testing

private enum First {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
    }
}

private enum Second {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
        let age = Field<Int>()
        let isActive = Field<Bool>(value: true)
        let tags = Field<String>()*
        let city = Field<String>(value: "it's \"Rome\"", key: ["address", "city"])
    }
}

private enum Third {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<Int>()
    }
}

private enum Fourth {
    final class Person: Model {
        let name = Field<String>().identifier()
    }

    final class Numbered: Model {
        let id = Field<Int>()
        static var modelName: String { "person" }
    }
}

private final class Everything: Model {
    let id = Field<Int>()
    let flag = Field<Bool>()
    let count = Field<Int>()
    let weight = Field<Double>()
    let name = Field<String>()
    let photo = Field<Data>()
    let born = Field<Date>()
    let tags = Field<String>()*
    let owner = ModelField<First.Person>()
    let extra = Field<AttributeValue>()
    let street = Field<String>(key: ["address", "street"])
}

private final class Colliding: Model {
    let id = Field<String>()
    let flat = Field<String>(key: "a_B")
    let nested = Field<String>(key: ["a", "b"])
}

private final class Reserved: Model {
    let id = Field<String>()
    let revision = Field<Int>(key: "_Revision")
}

private final class Nameless: Model {
    let name = Field<String>()
}

private final class Wrong: Model {
    let id = Field<String>()
    let color = Field<Int>()
        .transform(
            with: FieldTransformer(
                kind: .int,
                export: { .string("\($0)") },
                import: { value throws(ModelKitFields.Issue) in try Int(attributeValue: value) }
            )
        )
}

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
        #expect(
            try column(
                "SELECT name || ' ' || type || iif(\"notnull\", ' NOT NULL', '') "
                    + "FROM pragma_table_info('Everything')"
            ) == [
                "_order INTEGER", "_revision INTEGER NOT NULL", "id INTEGER NOT NULL",
                "flag INTEGER", "count INTEGER", "weight REAL", "name TEXT", "photo BLOB",
                "born INTEGER", "tags TEXT", "owner TEXT", "extra ", "address_street TEXT",
            ]
        )
        #expect(
            try column(
                "SELECT sql LIKE '%\"id\" INTEGER NOT NULL UNIQUE%' FROM sqlite_master "
                    + "WHERE name = 'Everything'"
            ) == ["1"]
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
        #expect(
            try column(
                "SELECT quote(id) || quote(flag) || quote(count) || quote(weight) || quote(name) "
                    + "|| quote(photo) || quote(born) || tags || quote(extra) FROM Everything"
            ) == ["11-71.5'Ada'NULL1250000[\"a\",\"it's \\\"b\\\"\"]3"]
        )
        #expect(try column("SELECT value FROM Everything, json_each(tags)") == ["a", "it's \"b\""])
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
        #expect(person.name.value == "Ada")
        #expect(person.age.value == nil)
        #expect(person.isActive.value == true)
        #expect(person.tags.value == [])
        #expect(person.city.value == "it's \"Rome\"")
        person.age.value = 36
        person.isActive.value = nil
        _ = try await store.update(person).value
        try await store.close().value

        // The older version of the program leaves the columns that it does not know alone.
        let again = try SQLiteModelStore(path: path)
        let older = try await again.lookup(First.Person.self, identifier: "p1").value
        older.name.value = "Ada L."
        _ = try await again.update(older).value
        #expect(
            try column("SELECT quote(age) || quote(isActive) || name FROM Person")
                == ["36NULLAda L."]
        )
    }

    @Test func `a column of another type is named`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.list(First.Person.self).value
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
        await #expect(
            throws: StoreError.schema(
                "the table Person has no unique column name, which is the identifier"
            )
        ) {
            try await SQLiteModelStore(path: path).list(Fourth.Person.self).value
        }
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
        #expect(try column("SELECT name FROM pragma_table_info('Person')") == ["id", "name"])
    }

    @Test func `two types of one name are told apart, whatever its case`() async throws {
        for store: any ModelStore in [try SQLiteModelStore(path: path), MemoryModelStore()] {
            _ = try await store.create(First.Person()).value
            let error = await #expect(throws: StoreError.self) {
                try await store.list(Second.Person.self).value
            }
            guard case .schema(let text)? = error else {
                Issue.record("not a schema error: \(String(describing: error))")
                continue
            }
            #expect(text.contains("First.Person") && text.contains("Second.Person"))
        }
        let store = try SQLiteModelStore(path: path)
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
        #expect(people.map(\.id.value) == ["b", "a"])
        let next = try await again.create(Everything()).value
        #expect(next.id.value == 2, "the number of a deleted model is not given again")
    }

    @Test func `a number that another program has added is not given again`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create(Everything()).value
        try SQLiteConnection(path: path).execute(
            "INSERT INTO Everything (_revision, id) VALUES (1, 70)"
        )
        let next = try await store.create(Everything()).value
        #expect(next.id.value == 71)
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
        let creation = store.create(person("p1"))
        let closing = store.close()
        _ = try await creation.value
        try await closing.value
        let again = try SQLiteModelStore(path: path)
        #expect(try await again.lookup(First.Person.self, identifier: "p1").value.id.value == "p1")
    }

    @Test func `a file that another connection has locked is unavailable`() async throws {
        let store = try SQLiteModelStore(path: path, busyTimeout: .milliseconds(1))
        let model = try await store.create(person("p1")).value
        let other = try SQLiteQueue(path: path)
        try await other.run { try $0.execute("BEGIN IMMEDIATE") }
        let locked = StoreError.unavailable(
            "\(path) is locked by another process or connection",
            .notApplied
        )
        await #expect(throws: locked) { try await store.create(person("p2")).value }
        model.name.value = "Bob"
        await #expect(throws: locked) { try await store.update(model).value }
        #expect(try await store.list(First.Person.self).value.count == 1, "reading goes on")
        try await other.run { try $0.execute("ROLLBACK") }
        _ = try await store.update(model).value
        #expect(try await store.list(First.Person.self).value.map(\.name.value) == ["Bob"])
    }

    @Test func `two stores write to one file at once`() async throws {
        let stores = [try SQLiteModelStore(path: path), try SQLiteModelStore(path: path)]
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
            #expect(try await store.list(First.Person.self).value.count == 80)
            let numbers = try await store.list(Everything.self, orderBy: .ascending(\.id)).value
            #expect(numbers.map(\.id.value) == (1...80).map { $0 })
        }
    }

    @Test func `a file that is no database is told, and stays as it is`() async throws {
        let text = Data(repeating: 0x41, count: 5000)
        try text.write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: StoreError.self) { try SQLiteModelStore(path: path) }
        guard case .corrupt(let message)? = error else {
            Issue.record("not corrupt: \(String(describing: error))")
            return
        }
        #expect(message.hasPrefix("\(path) is not a database or is damaged"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
    }

    @Test func `pages that are overwritten are told when they are read`() async throws {
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
        #expect(message.hasPrefix("\(path) is damaged"))
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
    func `a value that no field can have is told with its place`(
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

    @Test func `JSON of another program is read`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create(Everything()).value
        try SQLiteConnection(path: path).execute(
            #"""
            UPDATE Everything SET tags = ' [ "a\/\u00e9\ud83d\ude00\n" , "b" ] ',
            owner = '{"name" : "Ada", "id": null}'
            """#
        )
        let other = try SQLiteModelStore(path: path)
        let thing = try await other.lookup(Everything.self, identifier: 1).value
        #expect(thing.tags.value == ["a/é😀\n", "b"])
        #expect(thing.owner.value?.name.value == "Ada")
    }

    @Test func `a rule of the table that is not ours is told`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create(person("p1")).value
        try SQLiteConnection(path: path).execute("CREATE UNIQUE INDEX names ON Person (name)")
        let error = await #expect(throws: StoreError.self) {
            try await store.create(person("p2")).value
        }
        #expect(
            error == .schema("\(path) refused the change: UNIQUE constraint failed: Person.name")
        )
    }

    @Test func `the store needs nothing that waits for its own queue`() throws {
        let store = try SQLiteModelStore(path: path)
        let chain = store.create(person("p1")).then { person in
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
        let first = store.create(person("p1")).tap { _ in gate.wait() }
        let write = RecordWrite(.create("p2", [:]), of: First.Person.schema)
        let second = store.records.perform([write])
        second.cancel()
        gate.signal()
        _ = try await first.value
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try await store.list(First.Person.self).value.map(\.id.value) == ["p1"])
    }
}
