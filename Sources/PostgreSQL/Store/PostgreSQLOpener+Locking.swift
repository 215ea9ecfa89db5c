import Dispatch
import ModelKitEssentials

extension PostgreSQLOpener {
    /// The number of the advisory lock of the schema; the next one is the turn to make indexes.
    ///
    /// Advisory locks are the database's, of which other schemas have locks of their own.
    private var number: Int64 { Int64(bitPattern: "ModelKit \(space)".stableHash & ~1) }

    /// So often it is tried to get a lock of a table that another transaction has, for two seconds each time.
    private static let mostAttempts = 10

    /// Runs the body in a transaction, alone among those that make tables.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - isOfOthers: After which errors it runs again.
    ///   - body: What is done.
    /// - Throws: What the body and the connection throw.
    func locking(
        _ connection: PostgreSQLConnection,
        againAfter isOfOthers: (PostgreSQLError) -> Bool = \.isOfOthers,
        _ body: () throws -> Void
    ) throws {
        try retrying(connection, after: isOfOthers) {
            try begin(connection)
            try body()
            do throws(PostgreSQLError) {
                try connection.execute("COMMIT")
            } catch {
                var error = error
                // What was cancelled without an answer may be committed all the same.
                if error.kind == .cancelled, error.wasSent, !error.isRefusal {
                    error.kind = .connectionLost
                }
                throw error
            }
        }
    }

    /// Begins a transaction once no other one of these is open, for however long that is.
    private func begin(_ connection: PostgreSQLConnection) throws {
        let isolation = "BEGIN ISOLATION LEVEL READ COMMITTED"
        if connection.mode == .portable {
            return try connection.execute("\(isolation); \(lock.locking)")
        }
        // One that waits for the lock would be ended by the limit of the other locks.
        let attempt = PostgreSQLStatement(
            "SELECT pg_try_advisory_xact_lock(\(number))",
            isPrepared: false
        )
        while true {
            try connection.execute("\(isolation); SET LOCAL lock_timeout = '2s'")
            if try connection.run(attempt).isTrue { return }
            try connection.execute("ROLLBACK")
            try checkIsOpen()
            sleep(forSeconds: 0.05)
        }
    }

    /// Does something, and again where others were in its way; what is open is rolled back then.
    func retrying(
        _ connection: PostgreSQLConnection,
        after isOfOthers: (PostgreSQLError) -> Bool = \.isOfOthers,
        _ body: () throws -> Void
    ) throws {
        var attempt = 1
        while true {
            do {
                return try body()
            } catch {
                connection.endTransaction()
                guard let error = error as? PostgreSQLError, isOfOthers(error),
                    attempt < Self.mostAttempts
                else { throw error }
                try checkIsOpen()
                sleep(forSeconds: .random(in: 0...0.05))
                attempt += 1
            }
        }
    }

    /// Takes the turn to make indexes, for as long as the connection is open, or for some seconds.
    ///
    /// Not by something that waits, as that would be a transaction for whose end the making of an index waits.
    ///
    /// - Returns: False if another one has it.
    func takeTurn(_ holder: UUID, _ connection: PostgreSQLConnection) throws -> Bool {
        if connection.mode != .direct {
            return try connection.run(lock.taking(holder)).affectedRows > 0
        }
        let sql = "SELECT pg_try_advisory_lock(\(number + 1))"
        return try connection.run(PostgreSQLStatement(sql)).isTrue
    }

    /// Does what may take longer than a turn lasts, which another connection takes again and again meanwhile.
    func keepingTurn(
        _ holder: UUID,
        _ mode: PostgreSQLMode,
        _ body: () throws -> Void
    ) throws {
        if mode == .direct { return try body() }
        let queue = DispatchQueue(label: "ModelKitPostgreSQL turn")
        let end = DispatchSemaphore(value: 0)
        queue.async { [pool, lock] in
            var other: PostgreSQLConnection?
            while end.wait(timeout: .now() + 3) == .timedOut {
                other = other ?? (try? pool.connectBeside())
                other?.deadline = .now + .seconds(3)
                do { try other?.run(lock.taking(holder)) } catch { other = nil }
            }
        }
        defer {
            end.signal()
            // So that it is not taken after its end.
            queue.sync {}
        }
        try body()
    }

    func leaveTurn(_ holder: UUID, _ connection: PostgreSQLConnection) {
        if connection.mode != .direct { _ = try? connection.run(lock.leaving(holder)) }
    }
}

extension PostgreSQLError {
    /// Whether another one was in the way that has a lock, or has to be given up or this.
    var isOfLocks: Bool { isOfConcurrency || kind == .lockTimeout }

    /// Whether another one was in the way that has made the same, or has a lock.
    var isOfOthers: Bool {
        if isOfLocks { return true }
        // Something has that name; of what is made at once, the catalog says so.
        return ["42P06", "42P07", "42710"].contains(sqlState)
            || kind == .uniqueViolation && schema == "pg_catalog"
    }
}
