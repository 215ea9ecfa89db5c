/// The table of what is noted of old columns.
///
/// It has a row for each child that has none of its own or no key, and for each column one without an owner
/// that says it was looked through. `owner` is the owner's `_order`, `child` the dictionary, or NULL where there
/// was an identifier alone.
enum SQLiteOldNotes {
    static let table = "_modelkit_children"
}

extension SQLiteMigration.Context {
    /// Lets what is noted of old columns of a type, or of one column, follow it to its new name, or go with it.
    func moveNotes(of type: String, column: String? = nil, to newName: String?) throws {
        if try columns(of: SQLiteOldNotes.table).isEmpty { return }
        let isOfColumn =
            "\"type\" = ?1 COLLATE NOCASE AND (?2 IS NULL OR \"field\" = ?2 COLLATE NOCASE)"
        let values = [.string(type), column.map { .string($0) } ?? AttributeValue.null]
        if let newName {
            try execute(
                """
                UPDATE \(SQLiteOldNotes.table) SET "\(column == nil ? "type" : "field")" = ?3 \
                WHERE \(isOfColumn)
                """,
                values + [.string(newName)]
            )
        } else {
            try execute("DELETE FROM \(SQLiteOldNotes.table) WHERE \(isOfColumn)", values)
        }
    }
}
