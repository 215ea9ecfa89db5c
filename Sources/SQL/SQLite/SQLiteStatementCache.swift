/// Compiled statements by their text, of which the least recently used gives way.
struct SQLiteStatementCache {
    /// Longer ones, as of a list of a thousand values, are seldom asked for again.
    static let longestText = 8192

    let capacity: Int
    private var statements: [SQLText: SQLiteStatement] = [:]
    private var last: SQLiteStatement?
    private var clock: UInt64 = 0

    init(capacity: Int) {
        self.capacity = max(0, capacity)
    }

    mutating func find(_ sql: String) -> SQLiteStatement? {
        clock += 1
        let text = SQLText(text: sql)
        // A loop asks for the same one again and again; this is a comparison instead of a hash.
        if let last, SQLText(text: last.sql) == text {
            last.lastUse = clock
            return last
        }
        guard let statement = statements[text] else { return nil }
        statement.lastUse = clock
        last = statement
        return statement
    }

    /// Keeps the statement if there is room, or can be made by dropping one that is not in use.
    mutating func insert(_ statement: SQLiteStatement) {
        if statements.count >= capacity {
            let idle = statements.values.lazy.filter { !$0.isInUse }
            guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return }
            statements[SQLText(text: oldest.sql)] = nil
        }
        statement.lastUse = clock
        statements[SQLText(text: statement.sql)] = statement
        last = statement
    }

    /// Frees every statement, also one in use.
    mutating func removeAll() {
        for statement in statements.values { statement.finalize() }
        statements = [:]
        last = nil
    }
}
