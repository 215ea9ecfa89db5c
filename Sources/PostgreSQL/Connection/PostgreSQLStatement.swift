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

    /// Whether what was done before it may be committed by it.
    var endsTransaction: Bool {
        let word = sql.prefix { $0.isLetter }.uppercased()
        return ["COMMIT", "END", "PREPARE", "ROLLBACK"].contains(word)
    }
}
