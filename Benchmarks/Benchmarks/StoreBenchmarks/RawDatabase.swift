import GRDBSQLite

// SQLite by its C functions, with compiled statements that are used again: what everything else
// stands on. Errors end the benchmark.

// Safe: one task after the other uses it.
final class RawDatabase: @unchecked Sendable {
    private var handle: OpaquePointer?
    private var insert: OpaquePointer?
    private var find: OpaquePointer?
    private var all: OpaquePointer?

    /// The table of contacts, for all who bring their own.
    static let table = """
        CREATE TABLE contact (id INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, email TEXT, \
        city TEXT, notes TEXT, age INTEGER, visits INTEGER, weight REAL, isActive INTEGER)
        """

    /// The table that `SQLiteModelStore` makes of it.
    static let tableOfStore = """
        CREATE TABLE contact (_order INTEGER PRIMARY KEY AUTOINCREMENT, \
        _revision INTEGER NOT NULL DEFAULT 1, id INTEGER NOT NULL UNIQUE, firstName TEXT, \
        lastName TEXT, email TEXT, city TEXT, notes TEXT, age INTEGER, visits INTEGER, \
        weight REAL, isActive INTEGER)
        """

    init(path: String, table: String = RawDatabase.table) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        check(sqlite3_open_v2(path, &handle, flags, nil))
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run(table)
        let columns = "id, firstName, lastName, email, city, notes, age, visits, weight, isActive"
        insert = statement("INSERT INTO contact (\(columns)) VALUES (?,?,?,?,?,?,?,?,?,?)")
        find = statement("SELECT \(columns) FROM contact WHERE id = ?")
        all = statement("SELECT \(columns) FROM contact")
    }

    deinit {
        for statement in [insert, find, all] { sqlite3_finalize(statement) }
        sqlite3_close(handle)
    }

    func insert(_ contacts: [PlainContact]) {
        run("BEGIN IMMEDIATE")
        for contact in contacts {
            sqlite3_bind_int64(insert, 1, contact.id)
            bind(contact.firstName, 2)
            bind(contact.lastName, 3)
            bind(contact.email, 4)
            bind(contact.city, 5)
            bind(contact.notes, 6)
            sqlite3_bind_int64(insert, 7, contact.age)
            sqlite3_bind_int64(insert, 8, contact.visits)
            sqlite3_bind_double(insert, 9, contact.weight)
            sqlite3_bind_int64(insert, 10, contact.isActive ? 1 : 0)
            check(sqlite3_step(insert))
            check(sqlite3_reset(insert))
        }
        run("COMMIT")
    }

    func find(_ id: Int) -> PlainContact? {
        sqlite3_bind_int64(find, 1, Int64(id))
        defer { sqlite3_reset(find) }
        return sqlite3_step(find) == SQLITE_ROW ? row(find) : nil
    }

    func list() -> [PlainContact] {
        var contacts: [PlainContact] = []
        while sqlite3_step(all) == SQLITE_ROW { contacts.append(row(all)) }
        sqlite3_reset(all)
        return contacts
    }

    private func row(_ statement: OpaquePointer?) -> PlainContact {
        PlainContact(
            id: sqlite3_column_int64(statement, 0),
            firstName: text(statement, 1),
            lastName: text(statement, 2),
            email: text(statement, 3),
            city: text(statement, 4),
            notes: text(statement, 5),
            age: sqlite3_column_int64(statement, 6),
            visits: sqlite3_column_int64(statement, 7),
            weight: sqlite3_column_double(statement, 8),
            isActive: sqlite3_column_int64(statement, 9) != 0
        )
    }

    private func text(_ statement: OpaquePointer?, _ column: Int32) -> String {
        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
    }

    private func bind(_ text: String, _ index: Int32) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                // As sqlite3.h defines SQLITE_TRANSIENT: SQLite copies the bytes.
                let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                let count = Int32(bytes.count)
                check(sqlite3_bind_text(insert, index, bytes.baseAddress, count, transient))
            }
        }
    }

    private func statement(_ sql: String) -> OpaquePointer? {
        var statement: OpaquePointer?
        check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        return statement
    }

    private func run(_ sql: String) { check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    private func check(_ code: Int32) {
        precondition([SQLITE_OK, SQLITE_ROW, SQLITE_DONE].contains(code), "SQLite says \(code)")
    }
}
