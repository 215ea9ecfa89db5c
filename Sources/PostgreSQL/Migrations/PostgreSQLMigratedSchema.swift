import ModelKitEssentials
import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// A schema of a database in which migrations run.
struct PostgreSQLMigratedSchema: SQLMigratedDatabase {
    let connection: PostgreSQLConnection
    let space: String
    let log: PostgreSQLLog
    /// Runs the body in a transaction, alone among those that change tables.
    let locking: (_ body: () throws -> Void) throws -> Void

    private static let savepoint = "\"_modelkit_migration\""

    var place: String { "the schema \(space)" }

    private var table: String {
        get throws {
            "\(try space.checkedName()).\(quoted(name: SQLMigrationLedger.table))"
        }
    }

    func ledger() throws -> SQLMigrationLedger? {
        // Not by to_regclass, which may not know yet what others have made.
        let find = """
            SELECT EXISTS (SELECT FROM pg_catalog.pg_class AS c \
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
            WHERE n.nspname = $1 AND c.relname = \(SQLMigrationLedger.table.literal))
            """
        if try !isTrue(find, space) { return nil }
        let result = try run(SQLMigrationLedger.selection(table))
        return SQLMigrationLedger(
            try (0..<result.rowCount).map { row in
                (try result.bytes(row, 0).text, result.bytes(row, 1).isTrue)
            }
        )
    }

    func isNew() throws -> Bool {
        try isTrue(
            """
            SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_class AS c \
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND 2 = (SELECT count(*) \
            FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = c.oid \
            AND a.attname IN ('_order', '_revision') AND NOT a.attisdropped))
            """,
            space
        )
    }

    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        var value: Value?
        do {
            try locking {
                value = nil
                value = try body()
            }
        } catch let error as PostgreSQLError where error.isLost && value != nil {
            // Whether it was committed is found in the ledger by the next one.
            throw StoreError(error, .unknown)
        }
        guard let value else { throw StoreError.unavailable(place, .notApplied) }
        return value
    }

    func run(_ migration: PostgreSQLMigration, _ run: SQLMigrationRun) throws {
        let path = "SELECT set_config('search_path', quote_ident($1) || ', public', true)"
        try self.run(path, .init(texts: space))
        try connection.execute("SAVEPOINT \(Self.savepoint)")
        let changed = PostgreSQLMigration.Context.ChangedTypes()
        try migration.body(
            PostgreSQLMigration.Context(
                connection: connection,
                space: space,
                run: run,
                changed: changed
            )
        )
        let released = Result { () throws(PostgreSQLError) in
            try connection.execute("RELEASE \(Self.savepoint)")
        }
        if case .failure(let error) = released, ["3B001", "25P01"].contains(error.sqlState) {
            throw StoreError.unsupported("it has ended its transaction itself")
        }
        try released.get()
        // Whoever follows the log has to look at all of them. The migration may have logged something itself, from 1 on.
        let (token, first) = (UUID(), 1 << 20)
        for (number, type) in changed.names.sorted().enumerated() {
            var parameters = PostgreSQLParameters()
            parameters.append(token)
            parameters.append(Int32(first + number))
            try self.run(log.insertion(ofManyIn: type.literal, .update, token: 1), parameters)
        }
    }

    func note(_ names: [String], at position: Int, of count: Int) throws {
        let table = try table
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS \(table) ("position" integer PRIMARY KEY, \
            "name" text COLLATE "C" NOT NULL UNIQUE, "of" integer NOT NULL, \
            "at" timestamptz NOT NULL DEFAULT clock_timestamp())
            """
        )
        for (index, name) in names.enumerated() {
            var parameters = PostgreSQLParameters(texts: name)
            parameters.append(Int32(clamping: position + index))
            parameters.append(Int32(clamping: count))
            try run(
                "INSERT INTO \(table) (\"name\", \"position\", \"of\") VALUES ($1, $2, $3)",
                parameters
            )
        }
    }

    func meaning(of error: any Error) -> any Error {
        error is PostgreSQLError ? StoreError(beforeCommit: error) : error
    }

    @discardableResult
    private func run(
        _ sql: String,
        _ parameters: PostgreSQLParameters = PostgreSQLParameters()
    ) throws -> PostgreSQLResult {
        let statement = PostgreSQLStatement(sql, parameters, isPrepared: false)
        // A transaction runs again as a whole.
        if connection.isInTransaction { return try connection.run(statement) }
        return try connection.repeating { try connection.run(statement) }
    }

    private func isTrue(_ sql: String, _ text: String) throws -> Bool {
        try run(sql, .init(texts: text)).isTrue
    }
}
