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
        case Code.busy: .busy
        case Code.locked: .locked
        case Code.corrupt: .corrupt
        case Code.notADatabase: .notADatabase
        case Code.full: .full
        case Code.ioError: .ioError
        case Code.constraint: .constraint(constraint)
        case Code.readOnly: .readOnly
        case Code.cantOpen: .cantOpen
        case Code.permission, Code.authorization: .permissionDenied
        case Code.outOfMemory: .outOfMemory
        case Code.interrupt: .interrupted
        case Code.tooBig: .tooBig
        case Code.schema: .schemaChanged
        case Code.mismatch: .mismatch
        case Code.range: .range
        case Code.misuse: .misuse
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
    /// The result codes of sqlite3.h.
    enum Code {
        static let ok: Int32 = 0
        static let error: Int32 = 1
        static let permission: Int32 = 3
        static let busy: Int32 = 5
        static let locked: Int32 = 6
        static let outOfMemory: Int32 = 7
        static let readOnly: Int32 = 8
        static let interrupt: Int32 = 9
        static let ioError: Int32 = 10
        static let corrupt: Int32 = 11
        static let full: Int32 = 13
        static let cantOpen: Int32 = 14
        static let schema: Int32 = 17
        static let tooBig: Int32 = 18
        static let constraint: Int32 = 19
        static let mismatch: Int32 = 20
        static let misuse: Int32 = 21
        static let authorization: Int32 = 23
        static let range: Int32 = 25
        static let notADatabase: Int32 = 26
        static let row: Int32 = 100
        static let done: Int32 = 101
    }
}
