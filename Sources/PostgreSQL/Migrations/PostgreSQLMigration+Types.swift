import ModelKitModels
import ModelKitSQL
public import ModelKitStores

/// A column as the database knows it.
struct PostgreSQLTableColumn {
    let name: String
    /// As `format_type` says it.
    let type: String

    /// The kind whose columns have the type, that of arrays for dictionaries, too; nil for a type that no field has.
    var kind: AttributeKind? {
        [.bool, .int, .double, .string, .decimal, .uuid, .data, .date, .array].first {
            $0.typeName == type
        }
    }

    /// Whether a name is that of a column of the store itself.
    static func isOfStore(_ name: String) -> Bool { ["_order", "_revision"].contains(name) }
}

extension PostgreSQLMigration.Context {
    /// The names of the columns of a type's table, those of the store itself included; empty if there is no table.
    public func columns(of type: String) throws -> [String] {
        try tableColumns(of: type).map(\.name)
    }

    func tableColumns(of type: String) throws -> [PostgreSQLTableColumn] {
        let result = try send(
            """
            SELECT a.attname::text, format_type(a.atttypid, a.atttypmod) \
            FROM pg_catalog.pg_attribute AS a \
            JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid \
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
            WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped \
            ORDER BY a.attnum
            """,
            .init(texts: space, type)
        )
        return try (0..<result.rowCount).map { row in
            PostgreSQLTableColumn(
                name: try result.bytes(row, 0).text,
                type: try result.bytes(row, 1).text
            )
        }
    }

    /// The name of something of the schema as it is written in SQL.
    func name(of part: String) throws -> String {
        "\(try space.checkedName()).\(try part.checkedName())"
    }

    /// Gives the table of a type another name; false if there is none.
    @discardableResult
    public func rename(type: String, to newName: String) throws -> Bool {
        if try columns(of: type).isEmpty { return false }
        if type == newName { return true }
        if try !columns(of: newName).isEmpty {
            throw StoreError.isTaken(newName, for: type)
        }
        try dropOwnIndexes(of: type)
        let (old, new) = (PostgreSQLTable.ownNames(of: type), PostgreSQLTable.ownNames(of: newName))
        try send("ALTER TABLE \(try name(of: type)) RENAME TO \(try newName.checkedName())")
        for (old, new) in zip(old.sequences, new.sequences) {
            try send(
                "ALTER SEQUENCE IF EXISTS \(try name(of: old)) RENAME TO \(quoted(name: new))"
            )
        }
        let constraint =
            "SELECT FROM pg_catalog.pg_constraint WHERE conrelid = to_regclass($1) AND conname = $2"
        let renamed = try name(of: newName)
        if try send(constraint, .init(texts: renamed, old.key)).rowCount > 0 {
            try send(
                "ALTER TABLE \(renamed) RENAME CONSTRAINT \(quoted(name: old.key)) TO \(quoted(name: new.key))"
            )
        }
        changed.names.formUnion([type, newName])
        return true
    }

    /// Removes the table of a type, with its models; false if there is none.
    @discardableResult
    public func remove(type: String) throws -> Bool {
        if try columns(of: type).isEmpty { return false }
        try send("DROP TABLE \(try name(of: type))")
        for sequence in PostgreSQLTable.ownNames(of: type).sequences {
            try send("DROP SEQUENCE IF EXISTS \(try name(of: sequence))")
        }
        changed.names.insert(type)
        return true
    }

    /// Drops the indexes of a table that the store has made by declaration, and makes again when it opens the table.
    func dropOwnIndexes(of type: String) throws {
        let result = try send(
            """
            SELECT x.relname::text FROM pg_catalog.pg_index AS i \
            JOIN pg_catalog.pg_class AS x ON x.oid = i.indexrelid \
            WHERE i.indrelid = to_regclass($1) AND starts_with(x.relname::text, $2) \
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint WHERE conindid = i.indexrelid)
            """,
            .init(texts: try name(of: type), PostgreSQLIndex.prefix)
        )
        for row in 0..<result.rowCount {
            try send("DROP INDEX \(try name(of: try result.bytes(row, 0).text))")
        }
    }
}

// MARK: Fields

extension PostgreSQLMigration.Context {
    /// Adds the column of a field, which has a value in the rows that are there; false if it is there, or there is no
    /// table.
    ///
    /// For a migration that goes on to fill it: columns that are lacking are added anyway when the type is first used,
    /// after all migrations. No row is written.
    @discardableResult
    public func add(
        _ field: FieldKey,
        to type: String,
        as kind: AttributeKind,
        value: AttributeValue = .null
    ) throws -> Bool {
        let columns = try tableColumns(of: type)
        guard !columns.isEmpty, !columns.contains(where: { $0.name == field.columnName }) else {
            return false
        }
        guard columns.count(where: { PostgreSQLTableColumn.isOfStore($0.name) }) == 2 else {
            throw StoreError.isNoField(field, of: type)
        }
        try SQLMigrationRows.check(value, is: kind, "\(type).\(field)")
        let (table, column) = (try name(of: type), try field.columnName.checkedName())
        let addition = "ALTER TABLE \(table) ADD COLUMN \(column) \(kind.declaredType)"
        if value.isNull {
            try send(addition)
        } else {
            var bytes: [UInt8] = []
            do throws(ValueRefusal) {
                try (kind.isJSON(value) ? .dictionary : kind).write(value, to: &bytes)
            } catch {
                throw StoreError.unsupported("\(type).\(field) \(error.reason)")
            }
            try send("\(addition) DEFAULT \(kind.literal(value, bytes))")
            try send("ALTER TABLE \(table) ALTER COLUMN \(column) DROP DEFAULT")
        }
        changed.names.insert(type)
        return true
    }

    /// Gives the column of a field another name; false if there is none.
    @discardableResult
    public func rename(_ field: FieldKey, to newKey: FieldKey, in type: String) throws -> Bool {
        let (name, newName) = (field.columnName, newKey.columnName)
        let columns = try columns(of: type)
        guard columns.contains(name) else { return false }
        if name == newName { return true }
        if columns.contains(newName) {
            throw StoreError.isTaken(column: newName, for: field, of: type)
        }
        try dropOwnIndexes(of: type)
        try send(
            """
            ALTER TABLE \(try self.name(of: type)) RENAME COLUMN \(try name.checkedName()) \
            TO \(try newName.checkedName())
            """
        )
        changed.names.insert(type)
        return true
    }

    /// Removes the column of a field, with its values and the indexes that have it; false if there is none.
    ///
    /// Columns that no field has are left alone, so that older versions of the program go on.
    @discardableResult
    public func remove(_ field: FieldKey, from type: String) throws -> Bool {
        guard let column = try column(field, of: type) else { return false }
        try send("ALTER TABLE \(try name(of: type)) DROP COLUMN \(try column.name.checkedName())")
        changed.names.insert(type)
        return true
    }

    /// Changes what kind of values a field's column holds; false if there is none.
    ///
    /// `value` makes the new value of the old one, which comes as in `rows`. Nobody else writes to the table meanwhile, and at
    /// the end it is written anew, when nobody reads it either.
    @discardableResult
    public func change(
        _ field: FieldKey,
        in type: String,
        to kind: AttributeKind,
        _ value: (AttributeValue) throws -> AttributeValue
    ) throws -> Bool {
        guard let column = try column(field, of: type) else { return false }
        // In the transaction alone; what is made anew is looked up there row by row. No temporary table, which not all
        // servers have, and a pooler may not.
        let (values, lookup) =
            (try self.name(of: "_modelkit_values"), try self.name(of: "_modelkit_value"))
        try send("CREATE TABLE \(values) (o bigint PRIMARY KEY, v \(kind.declaredType))")
        let (table, name) = (try self.name(of: type), try column.name.checkedName())
        // What others write meanwhile would be lost. Where there is no such statement, the table is changed for it, which
        // keeps readers out as well.
        let lock = "\"_modelkit_lock\""
        let canLock = connection.mode != .portable
        try send(
            canLock
                ? "LOCK TABLE \(table) IN SHARE ROW EXCLUSIVE MODE"
                : "ALTER TABLE \(table) ADD COLUMN \(lock) bigint"
        )
        let all = try allRows(of: type, "\"_order\", \(name)")
        try all.forEachPart(run) { part in
            let made = try part.map { order, row in
                let made = try value(row[column.name] ?? .null)
                try SQLMigrationRows.check(made, is: kind, "\(type).\(field)")
                return made
            }
            var parameters = PostgreSQLParameters()
            parameters.append(part.map(\.order))
            try parameters.append(made, of: kind, "\(type).\(field)")
            try send("INSERT INTO \(values) SELECT * FROM unnest($1, $2)", parameters)
        }
        try send(
            """
            CREATE FUNCTION \(lookup)(bigint) RETURNS \(kind.typeName) LANGUAGE sql STABLE AS \
            \("SELECT v FROM \(values) WHERE o = $1".literal)
            """
        )
        try change(field, in: type, to: kind, using: "\(lookup)(\"_order\")")
        try send("DROP FUNCTION \(lookup)(bigint)")
        try send("DROP TABLE \(values)")
        if !canLock { try send("ALTER TABLE \(table) DROP COLUMN \(lock)") }
        return true
    }

    /// Changes what kind of values a field's column holds; false if there is none.
    ///
    /// `expression` is SQL that makes the new value of the row, such as `CAST(age AS text)`. The table is written anew, and
    /// nobody uses it meanwhile.
    @discardableResult
    public func change(
        _ field: FieldKey,
        in type: String,
        to kind: AttributeKind,
        using expression: String
    ) throws -> Bool {
        guard let column = try column(field, of: type) else { return false }
        try dropOwnIndexes(of: type)
        try send(
            """
            ALTER TABLE \(try name(of: type)) ALTER COLUMN \(try column.name.checkedName()) \
            TYPE \(kind.declaredType) USING (\(expression))
            """
        )
        // An identifier may have become one that the store makes.
        if kind.makesNumbers {
            let numbers = PostgreSQLTable.ownNames(of: type).sequences[1]
            try send("CREATE SEQUENCE IF NOT EXISTS \(try name(of: numbers))")
        }
        changed.names.insert(type)
        return true
    }

    /// The column of a field, which is not one of the store itself; nil if there is none.
    private func column(_ field: FieldKey, of type: String) throws -> PostgreSQLTableColumn? {
        let columns = try tableColumns(of: type)
        guard let column = columns.first(where: { $0.name == field.columnName }) else { return nil }
        let own = columns.filter { PostgreSQLTableColumn.isOfStore($0.name) }
        guard own.count == 2, !PostgreSQLTableColumn.isOfStore(column.name) else {
            throw StoreError.isNoField(field, of: type)
        }
        return column
    }
}
