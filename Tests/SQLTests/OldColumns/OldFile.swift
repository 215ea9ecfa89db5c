import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores

// The types of the file that a program with commit 36486cc has written, as they are now: what was then in
// the columns of `entries`, `settings`, `receipts`, `players`, `files`, `cover` and `posts` is derived.

enum Kept {
    final class Account: Model {
        let id = Field<String>()
        let name = Field<String>()
        let entries = ModelField<Entry>(inverse: \.account)*
        let settings = ModelField<Settings>(inverse: \.account)
        let total: Computed<Int>

        init() {
            total = Computed { [entries] in
                entries.value?.reduce(0) { $0 + ($1.amount.value ?? 0) }
            }
            linkFields()
        }
    }

    final class Entry: Model {
        let id = Field<String>()
        let amount = Field<Int>()
        let price = Field<Decimal>()
        let isPaid = Field<Bool>()
        let bookedAt = Field<Date>()
        let memo = Field<String>(key: "text.memo")
        let place = ModelField<Place>()
        let account = ModelField<Account>(foreignKey: true)
        let receipts = ModelField<Receipt>(inverse: \.entry)*
        init() { linkFields() }
    }

    final class Place: Model {
        let city = Field<String>()
    }

    final class Receipt: Model {
        let id = Field<Int>()
        let text = Field<String>()
        let entry = ModelField<Entry>(foreignKey: true)
        init() { linkFields() }
    }

    final class Settings: Model {
        let id = Field<String>()
        let theme = Field<String>()
        let account = ModelField<Account>(foreignKey: true)
        init() { linkFields() }
    }

    final class Team: Model {
        let id = Field<Int>()
        let name = Field<String>()
        let players = ModelField<Player>(inverse: \.team)*
        init() { linkFields() }
    }

    final class Player: Model {
        let id = Field<Int>()
        let name = Field<String>()
        let team = ModelField<Team>(foreignKey: true)
        init() { linkFields() }
    }

    final class Folder: Model {
        let id = Field<String>()
        let files = ModelField<File>(inverse: \.folder, foreignKey: true)*
        let cover = ModelField<Cover>(inverse: \.folder, foreignKey: true)
        init() { linkFields() }
    }

    final class File: Model {
        let id = Field<String>()
        let folder = ModelField<Folder>(foreignKey: true)
        init() { linkFields() }
    }

    final class Cover: Model {
        let id = Field<Int>()
        let folder = ModelField<Folder>(foreignKey: true)
        init() { linkFields() }
    }

    final class Tag: Model {
        let id = Field<String>()
        let posts = ModelField<Post>(inverse: \.tags)*
        init() { linkFields() }
    }

    final class Post: Model {
        let id = Field<String>()
        let title = Field<String>()
        let tags = ModelField<Tag>(foreignKey: true)*
        init() { linkFields() }
    }

    static let migrations: [SQLiteMigration] = [
        .moveChildren(of: \Account.entries), .moveChildren(of: \Account.settings),
        .moveChildren(of: \Team.players), .moveChildren(of: \Folder.files),
        .moveChildren(of: \Folder.cover), .moveChildren(of: \Tag.posts),
    ]

    /// Uses each type once.
    static func useAll(_ store: SQLiteModelStore) async throws {
        _ = try await store.list(Account.self).value
        _ = try await store.list(Team.self).value
        _ = try await store.list(Folder.self).value
        _ = try await store.list(Tag.self).value
        _ = try await store.list(Entry.self).value
    }
}

/// The same with another name of a field.
enum Later {
    final class Account: Model {
        let id = Field<String>()
        let entries = ModelField<Entry>(inverse: \.account)*
        init() { linkFields() }
    }

    final class Entry: Model {
        let id = Field<String>()
        let sum = Field<Int>()
        let account = ModelField<Account>(foreignKey: true)
        init() { linkFields() }
    }
}

extension MigratedFile {
    /// A copy of the file that a program with commit 36486cc has written.
    static func ofBefore() throws -> MigratedFile {
        let file = try MigratedFile()
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        try FileManager.default.copyItem(
            atPath: tests.appending(path: "Data/relations/36486cc.sqlite").path,
            toPath: file.path
        )
        return file
    }

    /// All rows of some tables, as literals of SQL.
    func rows(_ tables: [String]) throws -> [String] {
        try tables.flatMap { table in
            let values = try column(
                "SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('\(table)')"
            )
            let row = (["'\(table)'"] + values).joined(separator: " || ' ' || ")
            return try column("SELECT \(row) FROM \(table) ORDER BY 1")
        }
    }
}
