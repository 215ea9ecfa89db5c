import ModelKit
import ModelKitPostgreSQL

/// Books of a program of before in a PostgreSQL database, and how one of now opens it.
enum ServedBooks {
    final class Book: Model {
        let id = Field<String>()
        let name = Field<String>().indexed()
        let pages = Field<Int>().indexed()
        let limit = Field<Int>(value: 7).indexed()
    }

    private static let count = 2_000

    /// What is made by half, or twice, is found by the values.
    private static let migrations = [
        PostgreSQLMigration("names") { migration in
            try migration.rename("title", to: "name", in: "Book")
            try migration.transform("Book") { book in
                if case .string(let name)? = book["name"] { book["name"] = .string("The \(name)") }
            }
        },
        PostgreSQLMigration("pages") { migration in
            try migration.change("pages", in: "Book", to: .int) { pages in
                guard case .string(let text) = pages else { return .null }
                return Int64(text).map { .int($0) } ?? .null
            }
        },
    ]

    static func make(_ place: ServedPlace) async throws {
        let store = try place.open()
        try await store.create(Books.ofBefore(count))
        try await store.close()
    }

    /// Says when it begins, and when all is there, indexes as well.
    static func migrate(_ place: ServedPlace) async throws {
        say("opening")
        let store = try place.open(migrations)
        _ = try await store.list(Book.self, limit: 1)
        try await store.close()
        say("migrated")
    }

    /// Opens it, and looks at every book.
    static func check(_ place: ServedPlace) async throws {
        let store = try place.open(migrations)
        let books = try await store.list(Book.self)
        let wrong = books.filter { book in
            guard let id = book.id.value, let number = Int(id) else { return true }
            return book.name.value != "The Book \(id)" || book.pages.value != number * 3
                || book.limit.value != 7
        }
        guard books.count == count, wrong.isEmpty else {
            throw Damage("\(wrong.count) of \(books.count) books are wrong")
        }
        try await store.close()
    }
}
