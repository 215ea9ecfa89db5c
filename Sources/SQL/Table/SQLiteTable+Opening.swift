import ModelKitModels
import ModelKitStores

extension SQLiteTable {
    /// Where the last number made for an identifier is kept, by the name of the type.
    static let numbers = "_modelkit_numbers"

    /// Makes the table, adds the columns, indexes and link tables that it lacks, all or none of them, and
    /// removes the indexes and link tables that no field asks for any more.
    ///
    /// Indexes of others are left alone. Throws `.schema` where a field is to be unique whose values are
    /// not.
    func open(_ connection: SQLiteConnection) throws {
        let hasColumns = try missingColumns(connection).map(\.isEmpty) ?? false
        if try !(hasColumns && hasRightIndexes(connection) && areLinksThere(connection)) {
            try complete(connection, hasColumns: hasColumns)
        }
        try sweepLinks(connection)
    }

    private func hasRightIndexes(_ connection: SQLiteConnection) throws -> Bool {
        let indexes = try wrongIndexes(connection)
        return indexes.missing.isEmpty && indexes.needless.isEmpty
    }

    private func complete(_ connection: SQLiteConnection, hasColumns: Bool) throws {
        do {
            try connection.atomically {
                try makeColumns(connection)
                try makeIndexes(connection)
                try makeLinks(connection)
            }
        } catch let error as SQLiteError where error.kind == .readOnly && hasColumns {
            // Indexes are needed for speed, and where something is written.
        }
    }

    private func makeColumns(_ connection: SQLiteConnection) throws {
        // Another process may have made them meanwhile.
        if let missing = try missingColumns(connection) {
            // Each row is written then, and none was changed by anybody.
            if !missing.isEmpty { try connection.dropLogTriggers(ofTable: schema.name) }
            for column in missing { try add(column, connection) }
        } else {
            try create(columns, connection)
        }
    }

    /// Makes the table with some of its columns, of which one is that of the identifier.
    func create(_ columns: [SQLiteColumn], _ connection: SQLiteConnection) throws {
        let definitions = columns.map { column in
            let definition = "\(column.quotedName) \(column.kind.declaredType)"
            return column === identifierColumn ? "\(definition) NOT NULL UNIQUE" : definition
        }
        try connection.execute(
            """
            CREATE TABLE \(name) ("_order" INTEGER PRIMARY KEY AUTOINCREMENT, \
            "_revision" INTEGER NOT NULL, \(definitions.joined(separator: ", ")))
            """
        )
        if makesNumbers { try Self.createCounter(Self.numbers, connection) }
    }

    /// Whether the store makes identifiers for the type.
    var makesNumbers: Bool { identifierColumn.kind.makesNumbers }

    /// Adds a column and gives its field's default value to the rows that are there.
    private func add(_ column: SQLiteColumn, _ connection: SQLiteConnection) throws {
        try connection.execute(
            "ALTER TABLE \(name) ADD COLUMN \(column.quotedName) \(column.kind.declaredType)"
        )
        let value = try defaultValue(of: column)
        if value.isNull { return }
        try connection.withStatement("UPDATE \(name) SET \(column.quotedName) = ?1") { update in
            try update.bind(value, as: column.kind, at: 1)
            try update.execute()
        }
    }

    /// The columns that an existing table lacks; nil if there is no table.
    ///
    /// Throws for a column of another type than its field's.
    func missingColumns(_ connection: SQLiteConnection) throws -> [SQLiteColumn]? {
        let found = try connection.columns(ofTable: schema.name)
        if found.isEmpty { return nil }
        let types = Dictionary(
            found.map { (SQLiteName($0.name), $0.type) },
            uniquingKeysWith: { $1 }
        )
        for needed in ["_order", "_revision"] where types[SQLiteName(needed)] == nil {
            throw StoreError.schema(
                "the table \(schema.name) has no column \(needed): it was not made by this store"
            )
        }
        let missing = try columns.filter { column in
            guard let type = types[SQLiteName(column.name)] else { return true }
            if type.uppercased() != column.kind.declaredType {
                throw StoreError.schema(
                    "the column \(schema.name).\(column.name) has the type "
                        + "\(type.isEmpty ? "none" : type), but the field needs "
                        + (column.kind.declaredType.isEmpty ? "none" : column.kind.declaredType)
                )
            }
            return false
        }
        guard try isUnique(identifierColumn, connection) else {
            throw StoreError.schema(
                "the table \(schema.name) has no unique column \(identifierColumn.name), "
                    + "which is the identifier"
            )
        }
        return missing
    }

    /// Whether the table itself has a column be unique: an index of a field is removed when that is the identifier.
    private func isUnique(
        _ column: SQLiteColumn,
        _ connection: SQLiteConnection
    ) throws -> Bool {
        try connection.number(
            """
            SELECT 1 FROM pragma_index_list(?1) AS list WHERE list."unique" AND NOT list.partial \
            AND instr(list.name, '\(SQLiteIndex.prefix)') != 1 \
            AND (SELECT group_concat(info.name, '.') FROM pragma_index_info(list.name) AS info) \
            = ?2 COLLATE NOCASE
            """,
            [.string(schema.name), .string(column.name)]
        ) == 1
    }
}
