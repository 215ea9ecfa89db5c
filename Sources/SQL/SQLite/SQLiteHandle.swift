/// An open `sqlite3`, shared by a connection and its statements, none of which points back.
final class SQLiteHandle {
    let library: SQLiteLibrary
    let path: String

    /// Nil once closed: most of SQLite's functions must not be given a null pointer.
    // Unchecked, as all of it: one thread at a time has the connection, and every row asks for it.
    @exclusivity(unchecked) private(set) var pointer: OpaquePointer?

    /// Whether there is the function of `SQLiteSum`.
    private(set) lazy var hasSums = SQLiteSum.add(to: self)

    /// Whether `SQLiteConnection.transaction` is running.
    var isInTransaction = false

    /// The error at which SQLite gave up the transaction on its own, or a part of it could not be taken
    /// back.
    ///
    /// Whatever ran after it would be committed by itself, so nothing does.
    @exclusivity(unchecked) var abortion: (any Error)?

    /// The error of a write that is there by half all the same, by `RAISE(FAIL)` of a trigger; nothing is committed with it.
    var leftover: SQLiteError?

    var functions: SQLiteLibrary.Functions {
        @inline(__always) _read { yield library.functions }
    }

    /// Opens a file, of which errors speak by the path.
    init(
        opening file: String,
        path: String,
        _ configuration: SQLiteConfiguration,
        library: SQLiteLibrary
    ) throws {
        self.library = library
        self.path = path
        let (name, flags) = (configuration.name(of: file), configuration.flags)
        let code = library.functions.openV2(name, &pointer, flags, configuration.systemInterface)
        // Also a failed open leaves a handle, which is asked here and closed by the deinitialiser.
        guard code == SQLiteError.Code.ok else { throw error(code) }
    }

    deinit { close() }

    func close() {
        guard let pointer else { return }
        _ = functions.closeV2(pointer)
        self.pointer = nil
    }

    /// Whether no transaction is open.
    var isAutocommit: Bool { pointer.map { functions.getAutocommit($0) != 0 } ?? true }

    var isOutOfMemory: Bool {
        pointer.map { functions.extendedErrcode($0) & 0xFF == SQLiteError.Code.outOfMemory }
            ?? false
    }

    var changes: Int { pointer.map { Int(functions.changes($0)) } ?? 0 }

    func transactionEnded() {
        isInTransaction = false
        (abortion, leftover) = (nil, nil)
    }

    /// What just failed on this handle, as an error.
    @inline(never)
    func error(_ code: Int32, sql: String? = nil) -> SQLiteError {
        guard let pointer else { return closed(sql: sql) }
        // After a misuse the handle still reports the failure before.
        let current = functions.extendedErrcode(pointer)
        let isCurrent = current & 0xFF == code & 0xFF
        let text = isCurrent ? functions.errmsg(pointer) : functions.errstr(code)
        let error = SQLiteError(
            extendedCode: isCurrent ? current : code,
            message: text.map { String(cString: $0) } ?? "error \(code)",
            sql: sql,
            path: path,
            systemCode: code & 0xFF == SQLiteError.Code.cantOpen
                || code & 0xFF == SQLiteError.Code.ioError
                ? functions.systemErrno(pointer) : 0
        )
        if isInTransaction, abortion == nil {
            if isAutocommit { abortion = error }
            if error.kind == .constraint(.trigger), changes > 0 { leftover = leftover ?? error }
        }
        return error
    }

    func closed(sql: String? = nil) -> SQLiteError {
        refusal("it is closed", sql: sql)
    }

    /// A refusal of our own, before SQLite is asked.
    func refusal(
        _ message: String,
        sql: String? = nil,
        _ code: Int32 = SQLiteError.Code.misuse
    ) -> SQLiteError {
        SQLiteError(extendedCode: code, message: message, sql: sql, path: path)
    }
}
