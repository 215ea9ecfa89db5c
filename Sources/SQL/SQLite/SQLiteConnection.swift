import ModelKitEssentials

/// One connection to a database, for one thread at a time: it is not `Sendable`, and `SQLiteQueue`
/// keeps it on its queue.
///
/// ```swift
/// let connection = try SQLiteConnection(path: "people.db")
/// try connection.execute("CREATE TABLE IF NOT EXISTS people (id INTEGER PRIMARY KEY, name TEXT)")
/// try connection.transaction {
///     try connection.withStatement("INSERT INTO people (name) VALUES (?1)") { insert in
///         try insert.bind("Ada", at: 1)
///         try insert.execute()
///     }
/// }
/// ```
package final class SQLiteConnection {
    /// The path as it was given.
    package let path: String

    let handle: SQLiteHandle
    let configuration: SQLiteConfiguration
    private var cache: SQLiteStatementCache
    /// What who uses the connection keeps with it.
    var companion: AnyObject?

    /// Opens the file and checks that it is a database.
    ///
    /// `:memory:` is a database of its own that ends with the connection. Errors name the path; the
    /// file says where it is, if the path may lead elsewhere by now. The check is made before anything
    /// is changed in the file, as its journal may be. Throws `SQLiteError`, `SQLiteLibraryError` if there
    /// is no library, and what the check throws.
    package init(
        path: String,
        file: String? = nil,
        configuration: SQLiteConfiguration = SQLiteConfiguration(),
        library: SQLiteLibrary? = nil,
        check: (SQLiteConnection) throws -> Void = { _ in }
    ) throws {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw SQLiteError(
                extendedCode: SQLiteError.Code.cantOpen,
                message: path.isEmpty ? "the path is empty" : "the path contains U+0000",
                path: path.debugDescription
            )
        }
        self.path = path
        self.configuration = configuration
        handle = try SQLiteHandle(
            opening: file ?? path,
            path: path,
            configuration,
            library: library ?? .system
        )
        cache = SQLiteStatementCache(capacity: configuration.cachedStatements)
        try configure(check)
    }

    deinit { close() }

    /// Frees every statement and closes the file; every later use throws.
    ///
    /// Closing again does nothing.
    package func close() {
        cache.removeAll()
        handle.close()
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { handle.changes }

    package var isInTransaction: Bool { !handle.isAutocommit }

    var library: SQLiteLibrary { handle.library }

    private func configure(_ check: (SQLiteConnection) throws -> Void) throws {
        let functions = handle.functions
        _ = functions.extendedResultCodes(handle.pointer, 1)
        _ = functions.busyTimeout(handle.pointer, configuration.busyMilliseconds)
        if configuration.access == .readAlone { try execute("PRAGMA locking_mode=EXCLUSIVE") }
        // Reads the header, which opening alone does not.
        try execute("PRAGMA schema_version")
        try check(self)
        if configuration.isReadOnly {
            try execute("PRAGMA query_only=ON; PRAGMA wal_autocheckpoint=0")
        } else {
            // SQLite falls back to reading without a word.
            guard functions.dbReadonly(handle.pointer, "main") == 0 else {
                throw handle.refusal("the file may not be written", SQLiteError.Code.readOnly)
            }
            if let journal = configuration.journal {
                try waiting(configuration.busyTimeout) {
                    try execute("PRAGMA journal_mode=\(journal.rawValue)")
                }
            }
            try execute("PRAGMA synchronous=\(configuration.synchronous.rawValue)")
            // Without it Apple's disks keep what they were to write in their own memory.
            if configuration.synchronous == .full { try execute("PRAGMA fullfsync=ON") }
        }
        // How much of the file is kept in memory, in KiB. Other pages are copied from the system each time, which takes
        // up to half of the time of a query whose rows are all over the file. SQLite itself would keep 2 MB.
        try execute("PRAGMA cache_size=-\(Self.cacheSize)")
        try execute("PRAGMA foreign_keys=ON")
    }

    private static let cacheSize = 16 << 10

    /// Runs what may go through many pages of the file once, which are not worth to be kept in memory.
    ///
    /// What the connection has kept goes, too, so one that writes stays as it is.
    func withSmallCache<Result>(_ body: () throws -> Result) throws -> Result {
        if !configuration.isReadOnly { return try body() }
        try execute("PRAGMA cache_size=-\(2 << 10)")
        defer { try? execute("PRAGMA cache_size=-\(Self.cacheSize)") }
        return try body()
    }

    /// Tries again while others hold the file: of two connections that change the journal at once
    /// SQLite refuses one without waiting, lest they wait for each other.
    private func waiting(_ timeout: Duration, _ body: () throws -> Void) throws {
        let end = ContinuousClock().now + timeout
        while true {
            do {
                return try body()
            } catch let error as SQLiteError
                where (error.kind == .busy || error.kind == .locked) && ContinuousClock().now < end
            {
                usleep(2_000)
            }
        }
    }
}

// MARK: Statements

extension SQLiteConnection {
    /// Runs every statement of the text, without values; rows are ignored and nothing is cached.
    ///
    /// The check is called with each statement before it runs.
    package func execute(
        _ sql: String,
        check: (SQLiteStatement) throws -> Void = { _ in }
    ) throws {
        try checked(sql).withCString { start in
            var rest = start
            while let (statement, end) = try compile(rest) {
                guard statement.parameterCount == 0 else {
                    let reason = "the statement has parameters, but there are no values"
                    throw handle.refusal(reason, sql: statement.sql)
                }
                try check(statement)
                try statement.execute()
                rest = end
            }
        }
    }

    /// Gives the one statement of the text, compiled or taken from the cache, for the duration of the
    /// call, and resets it after it whatever happens.
    ///
    /// The same text may be used again inside; it is then compiled once more. Throws `SQLiteError`
    /// also for a text of more than one statement, whose second would be ignored.
    package func withStatement<Result>(
        _ sql: String,
        _ body: (SQLiteStatement) throws -> Result
    ) throws -> Result {
        let statement = try takeStatement(sql)
        statement.isInUse = true
        defer {
            statement.reset()
            statement.isInUse = false
        }
        return try body(statement)
    }

    private func takeStatement(_ sql: String) throws -> SQLiteStatement {
        let cached = cache.find(sql)
        if let cached, !cached.isInUse { return cached }
        let isKept = cached == nil && sql.utf8.count <= SQLiteStatementCache.longestText
        let statement = try checked(sql).withCString { start in
            guard let (statement, rest) = try compile(start, keptAs: isKept ? sql : nil) else {
                throw handle.refusal("there is no statement", sql: sql)
            }
            guard try rest.pointee == 0 || compile(rest) == nil else {
                throw handle.refusal("there is a second statement", sql: sql)
            }
            return statement
        }
        if isKept { cache.insert(statement) }
        return statement
    }

    private func checked(_ sql: String) throws -> String {
        guard !sql.utf8.contains(0) else {
            throw handle.refusal("the statement contains U+0000", sql: sql)
        }
        return sql
    }

    /// Compiles the first statement of a text and says where it ends; nil if there are only blanks
    /// and comments.
    ///
    /// One that is kept is called by the whole text, by which the cache finds it.
    private func compile(
        _ start: UnsafePointer<CChar>,
        keptAs text: String? = nil
    ) throws -> (statement: SQLiteStatement, end: UnsafePointer<CChar>)? {
        guard let database = handle.pointer else {
            throw handle.closed(sql: String(cString: start))
        }
        let persistent: UInt32 = text == nil ? 0 : 1
        var pointer: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        let code = handle.functions.prepareV3(database, start, -1, persistent, &pointer, &tail)
        guard code == SQLiteError.Code.ok else {
            throw handle.error(code, sql: String(cString: start))
        }
        guard let pointer, let end = tail else { return nil }
        let sql =
            text
            ?? String(
                decoding: UnsafeRawBufferPointer(start: start, count: end - start),
                as: UTF8.self
            )
        return (SQLiteStatement(pointer: pointer, sql: sql, handle: handle), end)
    }
}
