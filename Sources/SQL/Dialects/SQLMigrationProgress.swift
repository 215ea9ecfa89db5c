/// How far the migrations of a database are.
///
/// ```swift
/// let store = try await SQLiteModelStore.open(path: "people.db", migrations: migrations) { progress in
///     print(progress)  // 2 of 3: "2026-11 ages", 1500 of 100000 rows
/// }
/// ```
public struct SQLMigrationProgress: Sendable, Hashable {
    /// The migration that runs.
    public let name: String
    /// Its place among those that run at this opening, the first at 1.
    public let number: Int
    /// How many run at this opening; more, if another process adds some meanwhile.
    public let count: Int
    /// How many rows of the table that `transform` or `change` with a closure goes through were seen, or how
    /// many of the models and identifiers that `moveChildren` goes through; 0 at the beginning, and where a
    /// migration is SQL alone.
    public internal(set) var rows = 0
    /// How many there are of these; nil where it is not known.
    public internal(set) var rowCount: Int?
}

extension SQLMigrationProgress: CustomStringConvertible {
    public var description: String {
        let text = "\(number) of \(count): \"\(name)\""
        return rowCount.map { "\(text), \(rows) of \($0) rows" } ?? text
    }
}
