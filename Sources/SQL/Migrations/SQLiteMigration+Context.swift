public import ModelKitStores

extension SQLiteMigration {
    /// What a migration works with: the database, in the migration's transaction.
    ///
    /// A type's table has its name, a field's column that of its key; the names of a nested key are
    /// joined by `_`. As a table is made when its type is first used, and a column when it is first
    /// missed, a file need not have them; where there is nothing to change, nothing is changed and the
    /// answer is false. SQL of your own asks `columns(of:)` before.
    ///
    /// Every function may throw `SQLiteError` and `StoreError`.
    ///
    /// ```swift
    /// SQLiteMigration("2026-12 ages") { migration in
    ///     try migration.change("age", in: "Person", to: .int) { age in
    ///         guard case .string(let text) = age, let number = Int64(text) else { return .null }
    ///         return .int(number)
    ///     }
    /// }
    /// ```
    public struct Context {
        let connection: SQLiteConnection
        let run: SQLMigrationRun
    }
}

// MARK: SQL

extension SQLiteMigration.Context {
    /// Runs a statement with values, which `?1`, `?2` and so on stand for, and returns how many rows it
    /// changed, by triggers and foreign keys, too.
    ///
    /// Values are kept as the store keeps them: booleans as 0 and 1, dates as microseconds since 1970 in
    /// UTC, arrays and dictionaries as JSON. Without values, the text may have several statements. One that
    /// is about transactions or other files (`BEGIN`, `COMMIT`, `END`, `ROLLBACK`, `SAVEPOINT`, `RELEASE`,
    /// `ATTACH`, `DETACH`) is refused with `.unsupported` before it runs.
    @discardableResult
    public func execute(_ sql: String, _ values: [AttributeValue] = []) throws -> Int {
        try run.check()
        let before = try connection.number("SELECT total_changes()")
        if values.isEmpty {
            try connection.execute(sql, check: prepare)
        } else {
            try connection.withStatement(sql) { statement in
                try prepare(statement)
                try bind(values, to: statement)
                try statement.execute()
            }
        }
        try checkTransaction()
        return Int(try connection.number("SELECT total_changes()") - before)
    }

    /// The rows that a statement answers with, each by the names of its columns.
    ///
    /// Values come as SQLite holds them: integers, numbers, texts, data and null.
    public func rows(
        _ sql: String,
        _ values: [AttributeValue] = []
    ) throws -> [[String: AttributeValue]] {
        try connection.withStatement(sql) { statement in
            try prepare(statement)
            try bind(values, to: statement)
            var rows: [[String: AttributeValue]] = []
            while try statement.step() {
                var row: [String: AttributeValue] = [:]
                for index in 0..<statement.columnCount {
                    let name = statement.columnName(at: index) ?? ""
                    guard row.updateValue(try statement.value(at: index), forKey: name) == nil
                    else { throw StoreError.isNamedTwice(name, in: sql) }
                }
                rows.append(row)
            }
            return rows
        }
    }

    private func bind(_ values: [AttributeValue], to statement: SQLiteStatement) throws {
        guard values.count == statement.parameterCount else {
            throw StoreError.unsupported(
                "\(values.count) values were given for \(statement.parameterCount) parameters: "
                    + statement.sql
            )
        }
        for (index, value) in values.enumerated() {
            try statement.bind(value, as: .string, at: index + 1)
        }
    }

    /// Makes way for a statement; throws for one that would end the migration's transaction, or is not of this file.
    private func prepare(_ statement: SQLiteStatement) throws {
        let (text, verb) = (statement.sql, SQLVerb(of: statement.sql))
        try verb.checkMigration(text)
        // SQLite drops no column that a trigger names. They are made again with the link tables.
        if verb.text == "ALTER", text.uppercased().contains("DROP") { try connection.dropLinks() }
    }

    func checkTransaction() throws {
        guard connection.isInTransaction else {
            throw StoreError.unsupported("it has ended its transaction itself")
        }
    }
}

// MARK: Types

extension SQLiteMigration.Context {
    /// The names of the columns of a type's table, those of the store itself included; empty if there
    /// is no table.
    public func columns(of type: String) throws -> [String] {
        try connection.columns(ofTable: type).map(\.name)
    }

    /// Gives the table of a type another name; false if there is none.
    @discardableResult
    public func rename(type: String, to newName: String) throws -> Bool {
        if try columns(of: type).isEmpty { return false }
        let isSame = SQLiteName(type) == SQLiteName(newName)
        if try !isSame && !columns(of: newName).isEmpty {
            throw StoreError.isTaken(newName, for: type)
        }
        try connection.dropOwnIndexes(ofTable: type)
        try connection.dropLinks(ofTable: type)
        // SQLite refuses a name that differs in case alone.
        var name = type
        for next in isSame ? [SQLiteTableDefinition.rebuilt, newName] : [newName] {
            try connection.execute(
                "ALTER TABLE \(quoted(identifier: name)) RENAME TO \(quoted(identifier: next))"
            )
            name = next
        }
        for table in SQLiteTable.counters where try !columns(of: table).isEmpty {
            // There may be one for each way in which the name was written.
            for sql in [
                """
                INSERT OR REPLACE INTO \(table) ("type", "last") SELECT ?2, max("last") \
                FROM \(table) WHERE "type" = ?1 COLLATE NOCASE GROUP BY 1
                """,
                "DELETE FROM \(table) WHERE \"type\" = ?1 COLLATE NOCASE AND \"type\" <> ?2",
            ] {
                try execute(sql, [.string(type), .string(newName)])
            }
        }
        try moveNotes(of: type, to: newName)
        return true
    }

    /// Removes the table of a type, with its models; false if there is none.
    @discardableResult
    public func remove(type: String) throws -> Bool {
        if try columns(of: type).isEmpty { return false }
        try connection.dropLinks(ofTable: type)
        try connection.execute("DROP TABLE \(quoted(identifier: type))")
        for table in SQLiteTable.counters + [SQLiteOldNotes.table]
        where try !columns(of: table).isEmpty {
            try execute("DELETE FROM \(table) WHERE \"type\" = ?1 COLLATE NOCASE", [.string(type)])
        }
        return true
    }
}
