import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores

// The models of a program before and after migrations.

enum Before {
    final class Person: Model {
        let id = Field<String>()
        let fullName = Field<String>()
        let age = Field<String>()
    }

    final class Thing: Model {
        let id = Field<Int>()
        let weight = Field<Double>()
    }
}

enum After {
    final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()
        let age = Field<Int>()
    }

    final class Item: Model {
        let id = Field<Int>()
        let weight = Field<Double>()
    }

    final class Small: Model {
        let id = Field<Int>()
        let weight = Field<Double>()
        static var modelName: String { "thing" }
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
        let extra = Field<AttributeValue>()
        let weight = Field<Double>()
    }

    final class Quoted: Model {
        let id = Field<String>(key: "the id, (it's \"id\")")
        let text = Field<String>(key: "a \"text\" -- of ) it")
        let other = Field<String>(key: ["some", "or.other"])
        static var modelName: String { "we\"ird (name), or 'so'" }
    }
}

func person(_ id: String, _ name: String, age: String? = nil) -> Before.Person {
    let person = Before.Person()
    person.id.value = id
    person.fullName.value = name
    if let age { person.age.value = age }
    return person
}

/// A file in a directory of its own, and how a test looks into it.
struct MigratedFile {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    /// Opens the file, does something in it and closes it.
    @discardableResult
    func withStore<Result>(
        _ migrations: [SQLiteMigration] = [],
        backup: String? = nil,
        _ body: (SQLiteModelStore) async throws -> Result
    ) async throws -> Result {
        let store = try SQLiteModelStore(
            path: path,
            migrations: migrations,
            backupBeforeMigrating: backup
        )
        let result: Result
        do {
            result = try await body(store)
        } catch {
            try await store.close().value
            throw error
        }
        try await store.close().value
        return result
    }

    /// Runs migrations and nothing else.
    func migrate(_ migrations: [SQLiteMigration], backup: String? = nil) async throws {
        try await withStore(migrations, backup: backup) { _ in }
    }

    /// Two people, as the program of before has written them.
    func fill() async throws {
        try await withStore { store in
            _ = try await store.create([person("b", "Bob", age: "30"), person("a", "Ada")]).value
        }
    }

    /// The first column of every row, as texts.
    func column(_ sql: String, of file: String? = nil) throws -> [String] {
        let configuration = SQLiteConfiguration(access: .readOnly, journal: nil)
        let connection = try SQLiteConnection(path: file ?? path, configuration: configuration)
        return try connection.withStatement(sql) { statement in
            var result: [String] = []
            while try statement.step() { result.append(try statement.string(at: 0)) }
            return result
        }
    }

    func execute(_ sql: String) throws {
        try SQLiteConnection(path: path).execute("PRAGMA foreign_keys=OFF; \(sql)")
    }

    /// The migrations that are noted, in their order.
    func ledger() throws -> [String] {
        try column("SELECT name FROM _modelkit_migrations ORDER BY position")
    }
}
