import Dispatch
import ModelKitModels
import ModelKitEssentials
import ModelKitSQL
import ModelKitStores

/// Makes what a database lacks of tables, on a connection of its own, for one table at a time.
///
/// Of several servers that begin at once one does it, and the others wait. Tables and columns are made in a transaction,
/// which waits for no other one for long, as everybody who comes later would wait behind it; indexes of a table that is
/// there are made beside those who write.
final class PostgreSQLOpener: Sendable {
    private let pool: PostgreSQLPool
    private let space: String
    private let log: PostgreSQLLog
    private let isReadOnly: Bool
    /// One table after the other; whoever needs one waits.
    private let queue = DispatchQueue(label: "ModelKitPostgreSQL tables")
    // Safe: only touched in blocks of `queue`, which is serial.
    nonisolated(unsafe) private var isPrepared = false
    private let migrator: SQLMigrator<PostgreSQLMigration>
    /// By what migrations are stopped.
    private let cancellation: PostgreSQLCancellation

    /// The number of an advisory lock that is this library's, and the next one.
    private static let lock = 7_810_236_340

    /// So often it is tried to get a lock that another transaction has, for two seconds each time.
    private static let mostAttempts = 10

    init(
        _ pool: PostgreSQLPool,
        _ space: String,
        _ log: PostgreSQLLog,
        _ migrator: SQLMigrator<PostgreSQLMigration> = SQLMigrator([]),
        _ cancellation: PostgreSQLCancellation = PostgreSQLCancellation()
    ) {
        (self.pool, self.space, self.log) = (pool, space, log)
        (self.migrator, self.cancellation) = (migrator, cancellation)
        isReadOnly = pool.options.isReadOnly
    }

    /// Makes what the database lacks of a table; the thread waits.
    ///
    /// - Throws: `.schema` for a table of another form, and where a field is to be unique whose values are not.
    func open(_ table: PostgreSQLTable) throws {
        try queue.sync {
            let connection = try pool.connectBeside()
            defer { connection.close() }
            try prepare(connection)
            if isReadOnly {
                if try !table.lack(connection.run(table.inspection)).isReadable {
                    throw StoreError.unsupported(
                        "the database lacks a part of the table \(table.schema.name), and is not to be written"
                    )
                }
                return
            }
            let lack = try table.lack(connection.run(table.inspection))
            if lack.isEmpty { return }
            if lack.isWhole || !lack.columns.isEmpty {
                try locking(connection) { try complete(table, connection) }
            }
            try makeIndexes(of: table, connection)
        }
    }

    /// Does what comes before every use; the thread waits.
    func prepare() throws {
        try queue.sync {
            let connection = try pool.connectBeside()
            defer { connection.close() }
            try prepare(connection)
        }
    }

    // MARK: Steps

    /// Makes the log and runs migrations, once.
    private func prepare(_ connection: PostgreSQLConnection) throws {
        if isPrepared { return }
        let schema = PostgreSQLMigratedSchema(connection: connection, space: space, log: log) {
            try self.locking(connection, $0)
        }
        if isReadOnly {
            try migrator.check(schema)
        } else {
            try makeLog(connection)
            connection.cancellation = cancellation
            try migrator.migrate(schema)
            connection.cancellation = nil
        }
        isPrepared = true
    }

    private func makeLog(_ connection: PostgreSQLConnection) throws {
        var parameters = PostgreSQLParameters()
        parameters.append(log.name)
        let find = PostgreSQLStatement("SELECT to_regclass($1) IS NULL", parameters)
        guard try connection.run(find).isTrue else { return }
        var name = PostgreSQLParameters()
        name.append(space)
        let isThere = "SELECT to_regnamespace(quote_ident($1)) IS NOT NULL"
        let hasSchema = try connection.run(PostgreSQLStatement(isThere, name)).isTrue
        try locking(connection) {
            if !hasSchema {
                try connection.execute("CREATE SCHEMA IF NOT EXISTS \(space.checkedName())")
            }
            try connection.execute(log.definition)
        }
    }

    /// Makes the table, or adds what columns it lacks.
    private func complete(_ table: PostgreSQLTable, _ connection: PostgreSQLConnection) throws {
        // Another server may have made them meanwhile.
        let lack = try table.lack(connection.run(table.inspection))
        if lack.isWhole {
            for sql in table.definitions { try connection.execute(sql) }
            for index in table.indexes { try connection.execute(index.definition()) }
        }
        for column in lack.columns {
            for sql in try table.addition(of: column) { try connection.execute(sql) }
        }
    }

    /// Makes indexes of a table that is there, and removes those that were not made to their end.
    private func makeIndexes(
        of table: PostgreSQLTable,
        _ connection: PostgreSQLConnection
    ) throws {
        // It takes as long as it takes.
        connection.deadline = nil
        // Not by a lock that is waited for, as that would be a transaction for whose end the making of an index waits.
        if connection.mode == .direct {
            let lock = PostgreSQLStatement("SELECT pg_try_advisory_lock(\(Self.lock) + 1)")
            while try !connection.run(lock).isTrue {
                sleep(forSeconds: 0.05)
            }
        }
        let lack = try table.lack(connection.run(table.inspection))
        for name in lack.needlessIndexes {
            try connection.execute(table.removal(ofIndex: name, isConcurrent: true))
        }
        for index in lack.indexes {
            try make(index, of: table, connection)
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
        // Another server has made it.
        if refusal.sqlState == "42P07" { return }
        if refusal.kind == .uniqueViolation {
            try connection.execute(table.removal(ofIndex: index.name, isConcurrent: true))
            if let error = try duplicate(of: index.column, in: table, connection) { throw error }
        }
        throw refusal
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

    /// Runs the body in a transaction, alone among those that make tables.
    private func locking(
        _ connection: PostgreSQLConnection,
        _ body: () throws -> Void
    ) throws {
        var attempt = 1
        while true {
            do {
                try connection.execute(
                    """
                    BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '2s'; \
                    SELECT pg_advisory_xact_lock(\(Self.lock))
                    """
                )
                try body()
                return try connection.execute("COMMIT")
            } catch {
                try? connection.execute("ROLLBACK")
                guard let error = error as? PostgreSQLError,
                    error.kind == .lockTimeout || error.isOfConcurrency,
                    attempt < Self.mostAttempts
                else { throw error }
                attempt += 1
            }
        }
    }
}

extension PostgreSQLLack {
    /// Whether what is there can be read.
    fileprivate var isReadable: Bool { !isWhole && columns.isEmpty }
}
