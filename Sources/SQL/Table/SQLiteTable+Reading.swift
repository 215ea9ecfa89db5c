import ModelKitModels
import ModelKitStores

extension SQLiteTable {
    /// Whether there is a row of an identifier.
    func contains(_ identifier: Identifier, _ connection: SQLiteConnection) throws -> Bool {
        try withRow(find, identifier, connection) { _ in true } ?? false
    }

    /// The record of an identifier; nil if there is none, as for one of another kind.
    func record(_ identifier: Identifier, _ connection: SQLiteConnection) throws -> Record? {
        try withRow(select, identifier, connection, read)
    }

    func withRow<Result>(
        _ sql: String,
        _ identifier: Identifier,
        _ connection: SQLiteConnection,
        _ body: (SQLiteStatement) throws -> Result
    ) throws -> Result? {
        guard identifierColumn.canHold(identifier) else { return nil }
        return try connection.withStatement(sql) { statement in
            switch identifier {
            case .int(let number): try statement.bind(number, at: 1)
            case .string(let text): try statement.bind(text, at: 1)
            }
            return try statement.step() ? body(statement) : nil
        }
    }
}
