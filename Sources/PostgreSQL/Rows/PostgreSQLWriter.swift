import ModelKitEssentials
import ModelKitModels
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
    /// The number of the next row in the log: 0 is that of a statement which is a transaction by itself, or of the mark of
    /// several.
    private var number: Int32
    /// What is to be sent with the next statement, such as a BEGIN.
    var prefix: [PostgreSQLStatement] = []
    /// How often something was sent.
    private(set) var sends = 0
    /// How long each round trip may take, where what all of them take does not matter.
    var limit: Duration?
    /// What was added by COPY, which is logged at the end.
    var copied = PostgreSQLCopiedRecords()
    /// Whether the tables take a COPY, as far as that is known.
    var canCopy = true

    init(
        _ connection: PostgreSQLConnection,
        _ log: PostgreSQLLog,
        _ token: UUID,
        _ table: @escaping (ModelSchema) throws -> PostgreSQLTable
    ) {
        (self.connection, self.log, self.token, self.table) = (connection, log, token, table)
        number = log.hasUniqueTokens ? 0 : 1
    }

    /// Has what is written be one transaction, which begins with the first statement.
    mutating func begin(_ isolation: String = "SERIALIZABLE") {
        prefix = [PostgreSQLStatement("BEGIN ISOLATION LEVEL \(isolation)")]
        number = 1
    }

    /// A statement whose last parameters are those of the log.
    mutating func logging(
        _ sql: String,
        _ parameters: PostgreSQLParameters,
        count: Int
    ) -> PostgreSQLStatement {
        var parameters = parameters
        parameters.append(token)
        parameters.append(number)
        number += PostgreSQLLog.rowCount(of: count)
        return PostgreSQLStatement(sql, parameters)
    }

    /// What commits it: after what was copied is logged, and its numbers are those of no later records.
    mutating func ending() throws -> [PostgreSQLStatement] {
        renewDeadline()
        // Savepoints end with the transaction.
        prefix = []
        for (table, rows) in copied.tables {
            let (sql, parameters) = table.logging(rows, log)
            prefix.append(logging(sql, parameters, count: rows.count))
            if let greatest = rows.greatestRevision {
                prefix.append(table.skip(table.sequences.revisions, to: greatest))
            }
            if let greatest = rows.greatestNumber, table.makesNumbers {
                prefix.append(table.skip(table.sequences.numbers, to: greatest))
            }
        }
        if log.hasUniqueTokens, number > 1 {
            prefix.append(log.taking(token, PostgreSQLLog.mark))
        }
        return prefix + [PostgreSQLStatement("COMMIT")]
    }

    /// Gives the next round trip its time.
    func renewDeadline() { if let limit { connection.deadline = .now + limit } }

    /// Runs a statement, after what is to be sent before it in the same round trip.
    mutating func run(
        _ statement: PostgreSQLStatement
    ) throws(PostgreSQLError) -> PostgreSQLResult {
        let results = try send([statement])
        return results[results.count - 1]
    }

    /// Sends what is to be sent before the next statement.
    mutating func sendPrefix() throws(PostgreSQLError) {
        if !prefix.isEmpty { try send([]) }
    }

    @discardableResult
    private mutating func send(
        _ statements: [PostgreSQLStatement]
    ) throws(PostgreSQLError) -> [PostgreSQLResult] {
        renewDeadline()
        do throws(PostgreSQLError) {
            let results = try connection.run(prefix + statements)
            noteSend()
            return results
        } catch {
            if error.wasSent { noteSend() }
            throw error
        }
    }

    private mutating func noteSend() {
        prefix = []
        sends += 1
    }

    /// The name of a savepoint inside of so many others.
    static func savepoint(_ depth: Int) -> String { "\"_modelkit_\(depth)\"" }

    /// Takes back what was done since a savepoint.
    ///
    /// - Parameters:
    ///   - savepoint: Its name.
    ///   - before: What was to be sent before it.
    ///   - sends: How often something was sent then.
    /// - Throws: What the connection throws; then the transaction has failed.
    mutating func takeBack(
        to savepoint: String,
        _ before: [PostgreSQLStatement],
        _ sends: Int
    ) throws {
        if self.sends == sends {
            // Nothing of it has arrived.
            prefix = before
        } else if !connection.isBroken {
            prefix = []
            try connection.execute("ROLLBACK TO \(savepoint); RELEASE \(savepoint)")
        }
    }
}
