public import ModelKitStores

extension SQLiteMigration.Context {
    /// Adds the column of a field, which has a value in the rows that are there; false if it is there, or there is no
    /// table.
    ///
    /// For a migration that goes on to fill it: columns that are lacking are added anyway when the type is first used,
    /// after all migrations.
    @discardableResult
    public func add(
        _ field: FieldKey,
        to type: String,
        as kind: AttributeKind,
        value: AttributeValue = .null
    ) throws -> Bool {
        let (columns, name) = (try connection.columns(ofTable: type), field.columnName)
        guard !columns.isEmpty, !columns.contains(where: { $0.isNamed(name) }) else {
            return false
        }
        guard columns.count(where: { SQLiteTableColumn.isOfStore($0.name) }) == 2 else {
            throw StoreError.isNoField(field, of: type)
        }
        try SQLMigrationRows.check(value, is: kind, "\(type).\(field)")
        let (table, column) = (try quoted(identifier: type), try quoted(identifier: name))
        try connection.execute("ALTER TABLE \(table) ADD COLUMN \(column) \(kind.declaredType)")
        if value.isNull { return true }
        try connection.withStatement("UPDATE \(table) SET \(column) = ?1") { update in
            try update.bind(value, as: kind, at: 1)
            try update.execute()
        }
        return true
    }

    /// Gives the column of a field another name; false if there is none.
    @discardableResult
    public func rename(_ field: FieldKey, to newKey: FieldKey, in type: String) throws -> Bool {
        let (name, newName) = (field.columnName, newKey.columnName)
        let columns = try connection.columns(ofTable: type)
        guard columns.contains(where: { $0.isNamed(name) }) else { return false }
        if SQLiteName(name) != SQLiteName(newName), columns.contains(where: { $0.isNamed(newName) })
        {
            throw StoreError.isTaken(column: newName, for: field, of: type)
        }
        try connection.dropOwnIndexes(ofTable: type)
        try connection.execute(
            """
            ALTER TABLE \(quoted(identifier: type)) RENAME COLUMN \(quoted(identifier: name)) \
            TO \(quoted(identifier: newName))
            """
        )
        try moveNotes(of: type, column: name, to: newName)
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
        try definition.rebuild(type, connection) { source in
            try connection.execute(definition.copy(from: source))
        }
        try moveNotes(of: type, column: column.name, to: nil)
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
            let insert = try definition.copy(from: source, with: (column, "?2"))
            let select =
                "SELECT \"_order\", \(source).\(try quoted(identifier: column.name)) FROM \(source)"
            try run.countRows(of: connection.number("SELECT count(*) FROM \(source)")) { seen in
                try connection.withStatement("\(insert) WHERE \"_order\" = ?1") { insert in
                    try connection.withStatement("\(select) ORDER BY 1") { old in
                        while try old.step() {
                            let new = try value(old.value(at: 1))
                            try SQLMigrationRows.check(new, is: kind, "\(type).\(field)")
                            try insert.bind(old.int64(at: 0), at: 1)
                            try insert.bind(new, as: kind, at: 2)
                            try insert.execute()
                            try seen()
                        }
                    }
                }
            }
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
        try definition.change(column, to: kind.declaredType)
        try definition.rebuild(type, connection) { source in try copy(column, definition, source) }
        // An identifier may have become one that the store makes.
        if kind.makesNumbers { try SQLiteTable.createCounter(SQLiteTable.numbers, connection) }
        return true
    }

    /// The column of a field, which is not one of the store itself; nil if there is none.
    private func column(_ field: FieldKey, of type: String) throws -> SQLiteTableColumn? {
        let columns = try connection.columns(ofTable: type)
        let column = columns.first { $0.isNamed(field.columnName) }
        guard let column else { return nil }
        let own = columns.filter { SQLiteTableColumn.isOfStore($0.name) }
        guard own.count == 2, !SQLiteTableColumn.isOfStore(column.name) else {
            throw StoreError.isNoField(field, of: type)
        }
        return column
    }
}
