import ModelKitEssentials
import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// What writes rows of tables on a connection, and logs that: in a transaction, or each statement as one.
///
/// Statements of a transaction share a token and count their rows in the log.
struct PostgreSQLWriter {
    let connection: PostgreSQLConnection
    let log: PostgreSQLLog
    /// What the transaction is found by in the log.
    let token: UUID
    /// The table of a type.
    let table: (ModelSchema) throws -> PostgreSQLTable
    /// The number of the next row in the log.
    private(set) var number: Int32 = 0
    /// What is to be sent with the next statement, such as a BEGIN.
    var prefix: [PostgreSQLStatement] = []

    init(
        _ connection: PostgreSQLConnection,
        _ log: PostgreSQLLog,
        _ token: UUID,
        _ table: @escaping (ModelSchema) throws -> PostgreSQLTable
    ) {
        (self.connection, self.log, self.token, self.table) = (connection, log, token, table)
    }

    /// Runs a statement whose last parameters are those of the log.
    mutating func run(
        _ sql: String,
        _ parameters: PostgreSQLParameters,
        count: Int
    ) throws -> PostgreSQLResult {
        var parameters = parameters
        parameters.append(token)
        parameters.append(number)
        number += PostgreSQLLog.rowCount(of: count)
        return try run(PostgreSQLStatement(sql, parameters))
    }

    /// Runs a statement, after what is to be sent before it in the same round trip.
    mutating func run(_ statement: PostgreSQLStatement) throws -> PostgreSQLResult {
        if prefix.isEmpty { return try connection.run(statement) }
        let statements = prefix + [statement]
        prefix = []
        let results = try connection.run(statements)
        return results[results.count - 1]
    }
}
