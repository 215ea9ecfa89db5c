import Foundation
import ModelKit
import ModelKitSQL
import Testing

@Suite struct SQLiteAndMigrations {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
        let age = Field<Int>()

        convenience init(_ name: String, age: Int) {
            self.init()
            self.name.value = name
            self.age.value = age
        }
    }

    final class Account: Model {
        let id = Field<String>()
        let entries = ModelField<Entry>(inverse: \.account)*

        init() { linkFields() }
    }

    final class Entry: Model {
        let id = Field<String>()
        let amount = Field<Int>()
        let account = ModelField<Account>(foreignKey: true)

        init() { linkFields() }
    }

    /// As a later program keeps them.
    enum After {
        final class Person: Model {
            let id = Field<String>()
            let name = Field<String>()
            let key = Field<String>()
        }
    }

    /// As a program of before has kept them.
    enum Before {
        final class Account: Model {
            let id = Field<String>()
            let entries = ModelField<Entry>()*
        }

        final class Entry: Model {
            let id = Field<String>()
            let amount = Field<Int>()
        }

        final class Person: Model {
            let id = Field<String>()
            let fullName = Field<String>()
            let age = Field<String>()
        }
    }

    @Test func `the examples of the article run`() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("modelkit-article-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/people.db"
        let oldPath = directory + "/old.db"

        let store = try SQLiteModelStore(path: path)
        try await store.create([Person("Ada", age: 36), Person("Bob", age: 17)])
        let adults = try await store.list(Person.self, where: \.age >= 18)
        print(adults.compactMap(\.name.value))  // ["Ada"]
        #expect(adults.compactMap(\.name.value) == ["Ada"])

        let records = store.records as? SQLiteRecordStore
        let query = RecordQuery(filter: .compare("age", .greaterOrEqual, 18))
        let plan = try await records?.explanation(of: query, of: Person.schema).value
        print(plan ?? [])  // ["SCAN Person"]
        #expect(plan?.count == 1 && plan?[0].hasPrefix("SCAN Person") == true)

        let readable = try await store.skippingDamaged { error in print(error) }.list(Person.self)
            .value
        #expect(readable == adults + readable.filter { $0.name.value == "Bob" })

        let old = try SQLiteModelStore(path: oldPath)
        for (name, age) in [("Cy", "35"), ("Di", "")] {
            let person = Before.Person()
            person.fullName.value = name
            person.age.value = age
            try await old.create(person)
        }
        try await old.close()

        let migrations = [
            SQLiteMigration("2026-10 full names") { migration in
                try migration.rename("fullName", to: "name", in: "Person")
            },
            SQLiteMigration("2026-11 ages are numbers") { migration in
                try migration.change("age", in: "Person", to: .int) { age in
                    guard case .string(let text) = age else { return .null }
                    return Int64(text).map { .int($0) } ?? .null
                }
            },
        ]
        let people = try SQLiteModelStore(path: oldPath, migrations: migrations)
        #expect(try await people.list(Person.self).map(\.name.value) == ["Cy", "Di"])

        let capitals = SQLiteMigration("2026-12 capitals") { migration in
            guard try migration.columns(of: "Person").contains("name") else { return }
            try migration.execute("UPDATE Person SET name = upper(name) WHERE age > ?1", [30])
            try migration.transform("Person") { row in
                if row["age"] == .null { row["age"] = 0 }
            }
        }

        let keys = SQLiteMigration("2026-12 keys") { migration in
            try migration.add("key", to: "Person", as: .string)
            try migration.transform("Person") { row in row["key"] = row["name"] }
        }

        let names = try SQLiteModelStore.pendingMigrations(
            path: oldPath,
            migrations: migrations + [capitals]
        )
        print(names)  // ["2026-12 capitals"]
        #expect(names == ["2026-12 capitals"])

        try await people.close()
        let latest = try SQLiteModelStore(
            path: oldPath,
            migrations: migrations + [capitals],
            backupBeforeMigrating: directory + "/people before.db"
        )
        let flags = SQLiteMigration("2027-01 flags") { migration in
            try migration.transform("Person") { row in
                if row["name"] == "Di" { row["age"] = 1 }
            }
        }
        let found = try await latest.list(Person.self)
        #expect(found.map(\.name.value) == ["CY", "Di"])
        #expect(found.map(\.age.value) == [35, 0])
        let before = try SQLiteModelStore(
            path: directory + "/people before.db",
            migrations: migrations
        )
        #expect(try await before.list(Person.self).map(\.name.value) == ["Cy", "Di"])

        try await latest.close()
        let opened = try await SQLiteModelStore.open(
            path: oldPath,
            migrations: migrations + [capitals, flags]
        ) { progress in
            print(progress)  // 1 of 1: "2027-01 flags", 2 of 2 rows
        }

        try await opened.backup(to: directory + "/people backup.db")
        let backup = try SQLiteModelStore(
            path: directory + "/people backup.db",
            migrations: migrations + [capitals, flags]
        )
        #expect(try await backup.list(Person.self).count == 2)

        try await opened.close()
        let keyed = try SQLiteModelStore(
            path: oldPath,
            migrations: migrations + [capitals, flags, keys]
        )
        let after = try await keyed.list(After.Person.self)
        #expect(after.map(\.key.value) == ["CY", "Di"])
    }

    @Test func `models that were kept with their owner get rows`() async throws {
        let path = TemporaryDatabase.path()
        defer { TemporaryDatabase.remove(path) }
        let old = try SQLiteModelStore(path: path)
        let before = Before.Account()
        before.id.value = "a"
        let entry = Before.Entry()
        (entry.id.value, entry.amount.value) = ("e", 12)
        before.entries.append(entry)
        try await old.create(before)
        try await old.close()

        let store = try SQLiteModelStore(
            path: path,
            migrations: [.moveChildren(of: \Account.entries)]
        )
        let account = try await store.lookup(Account.self, identifier: "a")
        let entries = try await store.load(account, \.entries)
        #expect(entries.map(\.amount.value) == [12])
        try await store.close()
    }
}

extension SQLiteAndMigrations {
    private enum Later {
        final class Person: Model {
            let id = Field<String>()
            let age = Field<Int>()
            let nick = Field<String>()
        }

        final class Contact: Model {
            let id = Field<String>()
            let age = Field<String>()
        }

        final class Draft: Model {
            let id = Field<String>()
        }
    }

    @Test func `types and columns are renamed and removed`() async throws {
        let tidyUp = SQLiteMigration("2027-02 contacts") { migration in
            try migration.rename(type: "Person", to: "Contact")
            try migration.remove("nick", from: "Contact")
            try migration.change("age", in: "Contact", to: .string, using: "CAST(age AS TEXT)")
            try migration.remove(type: "Draft")
        }

        let path = TemporaryDatabase.path()
        defer { TemporaryDatabase.remove(path) }
        let old = try SQLiteModelStore(path: path)
        let person = Later.Person()
        person.age.value = 36
        try await old.create(person)
        try await old.create(Later.Draft())
        try await old.close()
        let store = try SQLiteModelStore(path: path, migrations: [tidyUp])
        #expect(try await store.list(Later.Contact.self).map(\.age.value) == ["36"])
        #expect(try await store.list(Later.Draft.self).isEmpty)
        try await store.close()
    }
}
