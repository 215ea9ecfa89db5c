/// A failure that SQLite reported, or a value that it could not have stored as it is.
///
/// The description is one line for a person and names the file:
///
/// ```swift
/// func explain(_ error: any Error) -> String {
///     if let error = error as? SQLiteError, error.kind == .busy {
///         return "Try again: \(error)"  // people.db is locked by another process or connection
///     }
///     return "\(error)"
/// }
/// ```
public struct SQLiteError: Error, Hashable, Sendable {
    /// SQLite's extended result code, such as 2067 for a unique column.
    public let extendedCode: Int32

    /// What SQLite said, in English.
    public let message: String

    /// The statement that failed, if it was one; values are never part of it.
    public let sql: String?

    /// The file as it was named when it was opened.
    public let path: String?

    /// The `errno` of the call that failed inside SQLite; 0 if it was none.
    public let systemCode: Int32

    package init(
        extendedCode: Int32,
        message: String,
        sql: String? = nil,
        path: String?,
        systemCode: Int32 = 0
    ) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.path = path
        self.systemCode = systemCode
    }

    /// The lower byte of the extended code, such as 19 for any constraint.
    public var primaryCode: Int32 { extendedCode & 0xFF }
}

extension SQLiteError {
    /// What went wrong, by SQLite's primary result codes.
    ///
    /// ```swift
    /// func mayBeTriedAgain(_ error: SQLiteError) -> Bool {
    ///     switch error.kind {
    ///     case .busy, .locked, .full: true
    ///     default: false
    ///     }
    /// }
    /// ```
    public enum Kind: Hashable, Sendable {
        /// Another process or connection kept the file locked for the whole busy timeout.
        case busy
        /// Another statement of the same connection uses the table.
        case locked
        case corrupt
        /// The file is something else, is encrypted or has a damaged header.
        case notADatabase
        case full
        case ioError
        case constraint(Constraint)
        case readOnly
        case cantOpen
        case permissionDenied
        case outOfMemory
        case interrupted
        /// A text, a blob, a row or a statement exceeds SQLite's limit.
        case tooBig
        case schemaChanged
        /// The value cannot be stored as it is, such as NaN.
        case mismatch
        /// There is no parameter of that number.
        case range
        case misuse
        /// Everything else, mostly an error in the SQL.
        case other
    }

    /// Which rule of the schema was broken.
    ///
    /// ```swift
    /// func isDuplicate(_ error: SQLiteError) -> Bool {
    ///     error.kind == .constraint(.unique) || error.kind == .constraint(.primaryKey)
    /// }
    /// ```
    public enum Constraint: Hashable, Sendable {
        case unique
        case primaryKey
        case rowID
        case notNull
        case foreignKey
        case check
        case trigger
        case dataType
        case other
    }

    public var kind: Kind {
        switch primaryCode {
        case 3, 23: .permissionDenied
        case 5: .busy
        case 6: .locked
        case 7: .outOfMemory
        case 8: .readOnly
        case 9: .interrupted
        case 10: .ioError
        case 11: .corrupt
        case 13: .full
        case 14: .cantOpen
        case 17: .schemaChanged
        case 18: .tooBig
        case 19: .constraint(constraint)
        case 20: .mismatch
        case 21: .misuse
        case 25: .range
        case 26: .notADatabase
        default: .other
        }
    }

    private var constraint: Constraint {
        switch extendedCode >> 8 {
        case 1: .check
        case 3: .foreignKey
        case 5: .notNull
        case 6: .primaryKey
        case 7: .trigger
        case 8: .unique
        case 10: .rowID
        case 12: .dataType
        default: .other
        }
    }
}

extension SQLiteError {
    /// The result codes of sqlite3.h that are asked for by name.
    enum Code {
        static let ok: Int32 = 0
        static let error: Int32 = 1
        static let outOfMemory: Int32 = 7
        static let readOnly: Int32 = 8
        /// SQLITE_READONLY_ROLLBACK.
        static let unfinished: Int32 = 776
        static let ioError: Int32 = 10
        static let cantOpen: Int32 = 14
        static let mismatch: Int32 = 20
        static let misuse: Int32 = 21
        static let row: Int32 = 100
        static let done: Int32 = 101
    }
}
