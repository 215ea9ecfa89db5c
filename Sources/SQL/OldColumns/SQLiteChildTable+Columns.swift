import ModelKitModels
import ModelKitStores

extension SQLiteChildTable {
    /// The columns of a model's values, which type they have, and these; relations that are derived have none.
    func values(
        of model: AttributeDictionary
    ) -> [(name: String, type: String, value: AttributeValue)] {
        var rest = model
        for entry in schema.fields + schema.derivedFields {
            rest[entry.key.names[0]] = nil
        }
        let known = schema.fields.compactMap { entry -> (String, String, AttributeValue)? in
            guard entry !== schema.identifier, let value = model.value(atKey: entry.key),
                !value.isNull
            else { return nil }
            return (entry.key.columnName, entry.kind.declaredType, value)
        }
        // Of fields that have another name by now, which a later migration may give them.
        let others = rest.sorted { $0.key < $1.key }.compactMap { name, value in
            value.isNull || SQLiteTableColumn.isOfStore(name)
                ? nil : (name, SQLiteTableColumn.declaredType(for: value), value)
        }
        return known + others
    }

    func makeTable() throws {
        if isMade { return }
        if table.makesNumbers { try SQLiteTable.createCounter(SQLiteTable.numbers, connection) }
        if !isThere {
            try table.create([table.identifierColumn], connection)
            columns = try connection.columns(ofTable: schema.name)
        }
        isMade = true
    }

    func column(of entry: ModelSchema.Entry) throws -> SQLiteTableColumn {
        try column(entry.key.columnName, entry.kind.declaredType)
    }

    /// The column of a name, which is added if there is none.
    func column(_ name: String, _ type: String) throws -> SQLiteTableColumn {
        if let column = columns.first(where: { $0.isNamed(name) }) { return column }
        try connection.execute(
            "ALTER TABLE \(table.name) ADD COLUMN \(try quoted(identifier: name)) \(type)"
        )
        let column = SQLiteTableColumn(name: name, type: type)
        columns.append(column)
        return column
    }
}
