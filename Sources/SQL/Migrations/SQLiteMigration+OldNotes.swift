import ModelKitFields

/// The table of what is noted of old columns.
///
/// It has a row for each child that has none of its own or no key, and for each column one without an owner
/// that says it was looked through. `owner` is the owner's `_order`, `child` the dictionary, or NULL where there
/// was an identifier alone.
enum SQLiteOldNotes {
    static let name = "_modelkit_children"
    static let table = "\"\(name)\""
}

extension SQLiteMigration.Context {
    /// Lets what is noted of old columns follow a type to its new name, or go with it.
    func moveNotes(of type: String, to newName: String?) throws {
        if try columns(of: SQLiteOldNotes.name).isEmpty { return }
        let isOfType = "WHERE \"type\" = ?1 COLLATE NOCASE"
        if let newName {
            try execute(
                "UPDATE \(SQLiteOldNotes.table) SET \"type\" = ?2 \(isOfType)",
                [.string(type), .string(newName)]
            )
        } else {
            try execute("DELETE FROM \(SQLiteOldNotes.table) \(isOfType)", [.string(type)])
        }
    }

    /// The same of a field.
    func moveNotes(of column: String, in type: String, to newName: String?) throws {
        if try columns(of: SQLiteOldNotes.name).isEmpty { return }
        let isOfField = "WHERE \"type\" = ?1 COLLATE NOCASE AND \"field\" = ?2 COLLATE NOCASE"
        if let newName {
            try execute(
                "UPDATE \(SQLiteOldNotes.table) SET \"field\" = ?3 \(isOfField)",
                [.string(type), .string(column), .string(newName)]
            )
        } else {
            try execute(
                "DELETE FROM \(SQLiteOldNotes.table) \(isOfField)",
                [.string(type), .string(column)]
            )
        }
    }
}
