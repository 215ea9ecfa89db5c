/// A statement with the values of its parameters.
package struct PostgreSQLStatement: Sendable {
    /// One statement, without a semicolon at its end.
    package let sql: String
    package var parameters: PostgreSQLParameters
    /// Whether it is compiled once for a connection: of no use to what is run once, or differs each time.
    package var isPrepared: Bool

    package init(
        _ sql: String,
        _ parameters: PostgreSQLParameters = PostgreSQLParameters(),
        isPrepared: Bool = true
    ) {
        (self.sql, self.parameters, self.isPrepared) = (sql, parameters, isPrepared)
    }

    /// Begins a transaction that only reads, all of one moment: that of its first statement.
    static let snapshot = PostgreSQLStatement(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        isPrepared: false
    )

    /// Has the transaction see the activity of who is connected, whatever role the settings of that one say.
    static let ownRole = PostgreSQLStatement(
        "SELECT set_config('role', 'none', true)",
        isPrepared: false
    )

    /// Has the statements of the transaction that come after it wait for locks only a moment.
    static let lockLimit = PostgreSQLStatement("SET LOCAL lock_timeout = 100", isPrepared: false)

    var beginsTransaction: Bool { ["BEGIN", "START"].contains(verb) }

    /// Whether what was done before it may be committed by it.
    var endsTransaction: Bool { ["COMMIT", "END", "PREPARE", "ROLLBACK"].contains(verb) }

    /// The word with which it begins, in capitals.
    private var verb: String {
        sql.drop(while: \.isWhitespace).prefix(while: \.isLetter).uppercased()
    }
}
