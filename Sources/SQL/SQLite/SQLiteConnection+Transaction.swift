extension SQLiteConnection {
    /// Runs the body in a transaction, commits it, and rolls back if the body or the commit throws.
    ///
    /// The lock for writing is taken at once, so that no later statement meets `busy`.
    /// If SQLite itself gives the transaction up, at a full disk for example, every statement after
    /// that throws the same error until the body has ended. Transactions do not nest: a second one
    /// inside throws and leaves the first alone.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN IMMEDIATE")
        handle.isInTransaction = true
        do {
            let result = try body()
            try run("COMMIT")
            handle.transactionEnded()
            return result
        } catch {
            handle.transactionEnded()
            // What failed first is what the caller has to know.
            if !handle.isAutocommit { try? run("ROLLBACK") }
            throw error
        }
    }

    /// The same, but that it is `busy` at once where others write.
    func transactionWithoutWaiting<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("PRAGMA busy_timeout = 0")
        defer {
            try? execute("PRAGMA busy_timeout = \(configuration.busyMilliseconds)")
        }
        return try transaction(body)
    }

    /// Runs the body inside of a transaction, and rolls back what it has written if it throws.
    ///
    /// They may be nested. If it cannot be taken back, as after SQLite gave the whole transaction up,
    /// every statement after that throws until the transaction has ended.
    package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        guard handle.isInTransaction else {
            throw handle.refusal("there is no transaction")
        }
        try run("SAVEPOINT modelkit")
        do {
            let result = try body()
            try run("RELEASE modelkit")
            return result
        } catch {
            if handle.abortion == nil {
                do {
                    try run("ROLLBACK TO modelkit")
                    try run("RELEASE modelkit")
                } catch let failure {
                    handle.abortion = failure
                }
            }
            throw error
        }
    }

    /// Throws if SQLite has given the open transaction up.
    func checkTransaction() throws { if let abortion = handle.abortion { throw abortion } }

    /// Runs the body in a transaction, or in a part of the one that is open.
    package func atomically<Result>(_ body: () throws -> Result) throws -> Result {
        handle.isInTransaction ? try savepoint(body) : try transaction(body)
    }

    private func run(_ sql: String) throws {
        try withStatement(sql) { try $0.execute() }
    }
}
