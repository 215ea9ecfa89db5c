import ModelKitFields

/// The texts of the updates of a table by the columns that they set, so that few are put together.
final class SQLiteUpdates: Sendable {
    /// So many are kept.
    private static let limit = 100

    private let statements = Guarded<[UInt64: String]>([:])

    /// The text for some columns, by their places; what the closure makes is kept.
    func statement(
        of columns: some Collection<Int>,
        _ make: ([Int]) -> String
    ) -> String {
        var key: UInt64 = 0
        for column in columns {
            if column >= UInt64.bitWidth { return make(Array(columns)) }
            key |= 1 << UInt64(column)
        }
        if let known = statements.withLock({ $0[key] }) { return known }
        let made = make(Array(columns))
        statements.withLock { statements in
            if statements.count < Self.limit { statements[key] = made }
        }
        return made
    }
}
