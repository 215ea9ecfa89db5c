extension SQLiteConnection {
    /// Runs the body in a transaction, commits it, and rolls back if the body or the commit throws.
    ///
    /// The lock for writing is taken at once, so that no later statement meets `busy`.
    /// If SQLite itself gives the transaction up, at a full disk for example, every statement after
    /// that throws the same error until the body has ended. If a trigger has refused a write and left it there by half,
    /// the end of the transaction throws that error. Transactions do not nest: a second one inside throws and leaves the
    /// first alone.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN IMMEDIATE")
        handle.isInTransaction = true
        do {
            let result = try body()
            if let leftover = handle.leftover { throw leftover }
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
        let leftover = handle.leftover
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
                    handle.leftover = leftover
                } catch let failure {
                    handle.abortion = failure
                }
            }
            throw error
        }
    }

    /// Throws if SQLite has given the open transaction up, or it cannot be committed.
    func checkTransaction() throws {
        if let error = handle.abortion ?? handle.leftover { throw error }
    }

    /// Runs the body in a transaction, or in a part of the one that is open.
    package func atomically<Result>(_ body: () throws -> Result) throws -> Result {
        handle.isInTransaction ? try savepoint(body) : try transaction(body)
    }

    private func run(_ sql: String) throws {
        try withStatement(sql) { try $0.execute() }
    }
}
