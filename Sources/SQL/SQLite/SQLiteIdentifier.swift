/// The name of a table, a column or an index as it is written in SQL, whatever it contains.
///
/// Names are all that is ever pasted into SQL; values are bound. Throws `SQLiteError` for a name
/// with U+0000, at which SQLite would stop reading.
///
/// In a query write columns as `table.column`, both quoted: SQLite takes a quoted name alone that
/// does not exist for a text.
package func quoted(identifier: String) throws -> String {
    guard !identifier.utf8.contains(0) else {
        throw SQLiteError(
            extendedCode: SQLiteError.Code.error,
            message: "the name \(identifier.debugDescription) contains U+0000",
            path: nil
        )
    }
    return quoted(name: identifier)
}
