/// A column as the database knows it.
struct SQLiteTableColumn {
    let name: String
    let type: String

    func isNamed(_ other: String) -> Bool { SQLiteName(name) == SQLiteName(other) }

    /// Whether a name is that of a column of the store itself.
    static func isOfStore(_ name: String) -> Bool {
        ["_order", "_revision"].contains { SQLiteName($0) == SQLiteName(name) }
    }
}
