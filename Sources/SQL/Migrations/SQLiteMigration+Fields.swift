public import ModelKitFields
import ModelKitStores

extension SQLiteMigration.Context {
    /// Gives the column of a field another name; false if there is none.
    @discardableResult
    public func rename(_ field: FieldKey, to newKey: FieldKey, in type: String) throws -> Bool {
        let (name, newName) = (field.columnName, newKey.columnName)
        let columns = try connection.columns(ofTable: type)
        guard columns.contains(where: { $0.isNamed(name) }) else { return false }
        if SQLiteName(name) != SQLiteName(newName), columns.contains(where: { $0.isNamed(newName) })
        {
            throw StoreError.schema(
                "\(type).\(field) cannot be renamed: there is a column \(newName) already"
            )
        }
        for index in try connection.ownIndexes(ofTable: type) { try connection.drop(index: index) }
        try connection.execute(
            """
            ALTER TABLE \(quoted(identifier: type)) RENAME COLUMN \(quoted(identifier: name)) \
            TO \(quoted(identifier: newName))
            """
        )
        try moveNotes(of: name, in: type, to: newName)
        return true
    }

    /// Removes the column of a field, with its values and the indexes that have it; false if there is
    /// none.
    ///
    /// Only to get the space back: columns that no field has are left alone. The table is written anew.
    @discardableResult
    public func remove(_ field: FieldKey, from type: String) throws -> Bool {
        guard let column = try column(field, of: type) else { return false }
        var definition = try SQLiteTableDefinition(of: type, connection)
        try definition.remove(column)
        try definition.rebuild(type, connection)
        try moveNotes(of: column.name, in: type, to: nil)
        return true
    }

    /// Changes what kind of values a field's column holds; false if there is none.
    ///
    /// `value` makes the new value of the old one, which comes as SQLite holds it: an integer, a number, a
    /// text, data or null. The table is written anew.
    @discardableResult
    public func change(
        _ field: FieldKey,
        in type: String,
        to kind: AttributeKind,
        _ value: (AttributeValue) throws -> AttributeValue
    ) throws -> Bool {
        try change(field, in: type, to: kind) { column, definition, source in
            let name = try quoted(identifier: column.name)
            let insert = try definition.copy(from: source, with: (column, "?2"))
            try run.beginRows(of: type, connection)
            defer { run.endRows() }
            var seen = 0
            try connection.withStatement("\(insert) WHERE \"_order\" = ?1") { insert in
                try connection.withStatement(
                    "SELECT \"_order\", \(source).\(name) FROM \(source) ORDER BY 1"
                ) { old in
                    while try old.step() {
                        let new = try value(old.value(at: 1))
                        guard new.isOfKind(kind) else {
                            throw StoreError.schema(
                                "\(type).\(field) is to be \(kind), but a value is \(new.kind)"
                            )
                        }
                        if kind.holdsNumberTexts, !new.isStorable(as: kind) {
                            throw StoreError.schema(
                                "\(type).\(field) is to be \(kind), but a value is no such number in its "
                                    + "shortest form"
                            )
                        }
                        if let reason = new.obstacle() {
                            throw StoreError.unsupported(
                                "\(type).\(field) \(reason), which cannot be stored"
                            )
                        }
                        try insert.bind(old.int64(at: 0), at: 1)
                        try SQLiteColumn.bind(new, as: kind, to: insert, at: 2)
                        try insert.execute()
                        seen += 1
                        if seen.isMultiple(of: SQLiteMigrationRun.step) {
                            try run.add(SQLiteMigrationRun.step)
                        }
                    }
                }
            }
            try run.add(seen % SQLiteMigrationRun.step)
        }
    }

    /// Changes what kind of values a field's column holds; false if there is none.
    ///
    /// `expression` is SQL that makes the new value of the row, such as `CAST(age AS TEXT)`. The table is
    /// written anew.
    @discardableResult
    public func change(
        _ field: FieldKey,
        in type: String,
        to kind: AttributeKind,
        using expression: String
    ) throws -> Bool {
        try change(field, in: type, to: kind) { column, definition, source in
            try connection.execute(
                definition.copy(from: source, with: (column, "(\(expression))"))
            )
        }
    }

    private func change(
        _ field: FieldKey,
        in type: String,
        to kind: AttributeKind,
        _ copy: (SQLiteTableColumn, SQLiteTableDefinition, String) throws -> Void
    ) throws -> Bool {
        guard let column = try column(field, of: type) else { return false }
        var definition = try SQLiteTableDefinition(of: type, connection)
        try definition.change(column, to: SQLiteColumn.declaredType(of: kind))
        try definition.rebuild(type, connection) { source in try copy(column, definition, source) }
        // An identifier may have become one that the store makes.
        if [.int, .unsigned, .any].contains(kind) { try SQLiteTable.createNumbers(connection) }
        return true
    }

    /// The column of a field, which is not one of the store itself; nil if there is none.
    private func column(_ field: FieldKey, of type: String) throws -> SQLiteTableColumn? {
        let columns = try connection.columns(ofTable: type)
        let column = columns.first { $0.isNamed(field.columnName) }
        guard let column else { return nil }
        let own = columns.filter { SQLiteTableColumn.isOfStore($0.name) }
        guard own.count == 2, !SQLiteTableColumn.isOfStore(column.name) else {
            throw StoreError.unsupported(
                "\(type).\(field) is no field of a table that this store made"
            )
        }
        return column
    }
}
