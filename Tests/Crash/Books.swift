import ModelKit
import ModelKitSQL

/// Books as a program of before and one of now keep them.
enum Books {
    enum Before {
        final class Book: Model {
            let id = Field<String>()
            let title = Field<String>()
            let pages = Field<String>()
        }
    }

    enum Now {
        final class Book: Model {
            let id = Field<String>()
            let name = Field<String>()
            let pages = Field<Int>()
        }
    }

    private static let count = 2_000

    private static let migrations = [
        SQLiteMigration("names") { migration in
            try migration.rename("title", to: "name", in: "Book")
            try migration.transform("Book") { book in
                if case .string(let name)? = book["name"] { book["name"] = .string("The \(name)") }
            }
        },
        SQLiteMigration("pages") { migration in
            try migration.change("pages", in: "Book", to: .int) { pages in
                guard case .string(let text) = pages else { return .null }
                return Int64(text).map { .int($0) } ?? .null
            }
        },
    ]

    static func ofBefore(_ count: Int) -> [Before.Book] {
        (0..<count).map { number in
            let book = Before.Book()
            book.id.value = "\(number)"
            book.title.value = "Book \(number)"
            book.pages.value = "\(number * 3)"
            return book
        }
    }

    static func make(_ path: String) async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create(ofBefore(count)).value
        try await store.close().value
    }

    static func migrate(_ path: String) throws {
        say("opening")
        _ = try SQLiteModelStore(path: path, migrations: migrations)
        say("migrated")
    }

    /// Says what is there, then opens it and looks at every book.
    static func check(_ path: String) async throws {
        try Numbers.checkIntegrity(path)
        let columns = try rows("SELECT name FROM pragma_table_info('Book')", of: path)
        let types = try rows("SELECT type FROM pragma_table_info('Book')", of: path)
        let isRenamed = columns.contains("name")
        let isChanged = types.last == "INTEGER"
        let ran =
            try rows("SELECT name FROM sqlite_master WHERE name LIKE '%migrations'", of: path)
            .isEmpty
            ? [] : try rows("SELECT name FROM _modelkit_migrations ORDER BY position", of: path)
        guard columns.contains("title") != isRenamed,
            ran == (isRenamed ? ["names"] : []) + (isChanged ? ["pages"] : []),
            isRenamed || !isChanged
        else { throw Damage("\(ran) ran, but there are \(columns) of \(types)") }
        let title = isRenamed ? "name <> 'The Book ' || id" : "title <> 'Book ' || id"
        let wrong = try rows(
            "SELECT count(*) FROM Book WHERE \(title) OR pages <> id * 3 OR typeof(pages) <> "
                + (isChanged ? "'integer'" : "'text'"),
            of: path
        )
        if wrong != ["0"] { throw Damage("\(wrong) books are changed by half") }
        say(["old", "between", "new"][ran.count])

        let store = try SQLiteModelStore(path: path, migrations: migrations)
        let books = try await store.list(Now.Book.self).value
        guard books.count == count,
            books.enumerated().allSatisfy({ number, book in
                book.id.value == "\(number)" && book.name.value == "The Book \(number)"
                    && book.pages.value == number * 3
            })
        else { throw Damage("the books are not all migrated") }
        try await store.close().value
        try Numbers.checkIntegrity(path)
    }
}
