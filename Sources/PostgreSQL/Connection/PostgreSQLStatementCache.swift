import ModelKitSQL

/// The compiled statements of a connection by their text and the types of their parameters, of which the least
/// recently used gives way.
struct PostgreSQLStatementCache {
    struct Key: Hashable {
        let sql: SQLText
        let types: [UInt32]
        private let length: Int

        init(_ statement: PostgreSQLStatement) {
            (sql, types) = (SQLText(text: statement.sql), statement.parameters.types)
            length = statement.sql.utf8.count
        }

        /// Without the text, which is long: few are as long as another one.
        func hash(into hasher: inout Hasher) {
            hasher.combine(length)
            hasher.combine(types)
        }
    }

    private struct Entry {
        let name: String
        var lastUse: UInt64
    }

    /// Longer ones are seldom asked for again.
    static let longestText = 8192

    let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var clock: UInt64 = 0
    /// The names of those that the server still has.
    private var dropped: [String] = []

    /// Behind a pooler that gives a connection for each transaction a name may meet another client's.
    private let prefix = "m\(String(UInt32.random(in: 1 << 28 ... .max), radix: 16))_"

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The name of a statement, and whether it has to be compiled under that first.
    mutating func use(_ key: Key) -> (name: String, isNew: Bool) {
        clock += 1
        if let place = entries.index(forKey: key) {
            entries.values[place].lastUse = clock
            return (entries.values[place].name, false)
        }
        if entries.count >= capacity,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            drop(oldest.key)
        }
        // No name is used again, so one that was forgotten is in nobody's way.
        let name = "\(prefix)\(clock)"
        entries[key] = Entry(name: name, lastUse: clock)
        return (name, true)
    }

    /// Removes what the server does not have.
    mutating func remove(_ key: Key) { entries[key] = nil }
    mutating func removeAll() { entries = [:] }

    /// Removes a statement that the server has to remove as well.
    mutating func drop(_ key: Key) {
        if let entry = entries.removeValue(forKey: key) { dropped.append(entry.name) }
    }

    mutating func drop(named name: String) { dropped.append(name) }

    /// The names of those that the server has to remove; each is given once.
    mutating func takeDropped() -> [String] {
        defer { dropped = [] }
        return dropped
    }
}
