import ModelKitFields
import ModelKitModels

/// The records of a group: tables of the types that are in use, and of others what the file holds.
struct ArchiveState: Sendable {
    private var tables = RecordTables()
    private var others: ArchiveContents

    init(_ contents: ArchiveContents) { others = contents }

    /// What the file is to hold.
    var contents: ArchiveContents {
        var contents = others
        for (name, table) in tables.tables { contents.tables[name] = table.archived }
        return contents
    }

    /// The records of a type.
    mutating func table(of schema: ModelSchema) throws(StoreError) -> MemoryTable {
        try open(schema)
        return try tables.table(of: schema)
    }

    /// The answer to a query.
    mutating func answer(
        _ query: RecordQuery,
        of schema: ModelSchema
    ) throws(StoreError) -> [Record] {
        try query.check(of: schema)
        for schema in [schema] + (query.filter?.partners(of: schema) ?? []) { try open(schema) }
        return try tables.answer(query, of: schema)
    }

    /// Makes all writes, or none of them.
    mutating func apply(_ writes: [RecordWrite]) throws(StoreError) -> [RecordReceipt] {
        for write in writes { try open(write.schema) }
        return try tables.apply(writes)
    }

    /// Puts a table in the place of that of its type.
    mutating func put(_ table: MemoryTable) throws(StoreError) {
        try open(table.schema)
        tables.put(table)
    }

    /// Forgets all records of a type, or of all types; the numbers that were used stay used.
    mutating func removeAll(_ schema: ModelSchema? = nil) throws(StoreError) {
        if let schema {
            var table = try table(of: schema)
            table.removeAll()
            tables.put(table)
            return
        }
        for (_, table) in tables.tables {
            var table = table
            table.removeAll()
            tables.put(table)
        }
        for name in others.tables.keys {
            others.tables[name]?.records = []
            others.tables[name]?.dictionaries = []
        }
    }

    /// Makes a table of what the file holds of a type.
    private mutating func open(_ schema: ModelSchema) throws(StoreError) {
        guard let archived = others.tables[schema.name] else { return }
        let table = try MemoryTable(of: schema, archived)
        others.tables[schema.name] = nil
        tables.put(table)
    }
}
