import Dispatch
import ModelKitEssentials
import ModelKitModels
import ModelKitPromises
import ModelKitStores

extension PostgreSQLOpener {
    /// For how many seconds a use waits for indexes without which all is right, but slow.
    private static let patience = 2.0

    /// Makes indexes of a table that is there, and removes those that were not made to their end, one step after the
    /// other, until there is nothing to be done.
    ///
    /// One server does it, and others wait for their turn. But a turn may be over before its time, and stores of another
    /// mode have turns of their own. So nothing here relies on it: whatever others do meanwhile, a step has an error, or
    /// changes nothing that is whole, and the next step looks at what is there.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - lack: What it lacks.
    ///   - connection: What they are made by, without limits.
    ///   - opening: Is fulfilled soon after the table can be used.
    /// - Throws: What the server refuses, and where a field is to be unique whose values are not.
    func makeIndexes(
        of table: PostgreSQLTable,
        _ lack: PostgreSQLLack,
        _ connection: PostgreSQLConnection,
        _ opening: Resolver<Void>
    ) throws {
        let event = lack.indexes.isEmpty ? nil : events?.beginIndexes(of: table.schema.name)
        var isAwaited = true
        let result = Result {
            try removeLimits(of: connection)
            try makeIndexes(of: table, lack, connection) { lack in
                guard isAwaited, lack.canBeUsed else { return }
                isAwaited = false
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
                    opening.fulfill()
                }
            }
        }
        event?.end(result.mapError { StoreError($0) }.map { Int?.none })
        try result.get()
    }

    private func makeIndexes(
        of table: PostgreSQLTable,
        _ lack: PostgreSQLLack,
        _ connection: PostgreSQLConnection,
        _ note: (PostgreSQLLack) -> Void
    ) throws {
        note(lack)
        let holder = UUID()
        defer { leaveTurn(holder, connection) }
        var (isDone, isNeeded) = (false, true)
        while !isDone {
            // Somebody who has a lock for long may be making one.
            do {
                // What is in the way of nobody is tried once.
                try retrying(connection, after: { isNeeded ? $0.isOfOthers : false }) {
                    while try !takeTurn(holder, connection) {
                        try checkIsOpen()
                        sleep(forSeconds: 0.2)
                        note(try self.lack(of: table, connection))
                    }
                    let lack = try self.lack(of: table, connection)
                    note(lack)
                    isNeeded = !lack.indexes.isEmpty
                    if let name = lack.needlessIndexes.first {
                        try keepingTurn(holder, connection.mode) {
                            try remove(name, of: table, connection)
                        }
                    } else if let index = lack.nextIndex {
                        try keepingTurn(holder, connection.mode) {
                            try make(index, of: table, connection)
                        }
                    } else {
                        isDone = true
                    }
                }
            } catch let error as PostgreSQLError
                where error.kind == .lockTimeout || !isNeeded && error.isLeftToOthers
            {
                // It is left for another time, or for somebody whose table it is.
                isDone = !isNeeded
                if !isDone { try checkIsOpen() }
            }
        }
    }

    private func make(
        _ index: PostgreSQLIndex,
        of table: PostgreSQLTable,
        _ connection: PostgreSQLConnection
    ) throws {
        let refusal: PostgreSQLError
        do throws(PostgreSQLError) {
            return try connection.execute(index.definition(isConcurrent: true))
        } catch {
            refusal = error
        }
        if connection.mode == .portable, ["0A000", "42601"].contains(refusal.sqlState) {
            return try connection.execute(index.definition())
        }
        if refusal.kind == .uniqueViolation, !refusal.isOfOthers {
            try remove(index.name, of: table, connection)
            if let error = try duplicate(of: index.column, in: table, connection) { throw error }
        }
        throw refusal
    }

    /// Removes an index that was not made to its end, if it is so still.
    private func remove(
        _ name: String,
        of table: PostgreSQLTable,
        _ connection: PostgreSQLConnection
    ) throws {
        if connection.mode == .portable {
            // Nobody else has the turn.
            return try connection.execute(table.removal(ofIndex: name))
        }
        // Whoever makes one has this lock from the first moment in which it is to be seen until the end, so that one
        // which is not finished now never is. By its new name nobody expects it, and nobody makes it at the same time.
        let leftover = "\(PostgreSQLIndex.prefix)left_\(UUID().uuidString)"
        try connection.execute(
            """
            BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '2s'; \
            LOCK TABLE \(table.name) IN SHARE UPDATE EXCLUSIVE MODE
            """
        )
        let lack = try table.lack(connection.run(table.inspection))
        guard lack.needlessIndexes.contains(name) else {
            return try connection.execute("ROLLBACK")
        }
        try connection.execute(table.renaming(ofIndex: name, to: leftover))
        try connection.execute("COMMIT")
        try connection.execute(table.removal(ofIndex: leftover, isConcurrent: true))
    }

    private func duplicate(
        of column: PostgreSQLColumn,
        in table: PostgreSQLTable,
        _ connection: PostgreSQLConnection
    ) throws -> StoreError? {
        let result = try connection.run(table.duplicates(of: column))
        guard result.rowCount == 2 else { return nil }
        return table.schema.duplicate(
            of: column.key,
            try table.identifier(in: result, 0),
            try table.identifier(in: result, 1)
        )
    }
}

extension PostgreSQLLack {
    /// Whether the table can be used: without an index that is unique, values would not be kept apart.
    fileprivate var canBeUsed: Bool { !indexes.contains(where: \.isUnique) }

    /// What is made next: what uses wait for first.
    fileprivate var nextIndex: PostgreSQLIndex? {
        indexes.first(where: \.isUnique) ?? indexes.first
    }
}

extension PostgreSQLError {
    /// Whether another one has it in hand, or may alone.
    fileprivate var isLeftToOthers: Bool { isOfOthers || kind == .permissionDenied }
}
