import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// A record that is to be added.
struct PostgreSQLNewRow {
    let identifier: Identifier?
    /// The value of each column; nil and null are NULL.
    let values: ContiguousArray<AttributeValue?>
}

extension PostgreSQLTable {
    /// The values of a creation in the order of the columns; nil of another write.
    func newRow(_ write: RecordWrite) throws -> PostgreSQLNewRow? {
        if write.texts.isEmpty, let (identifier, row) = write.creation {
            return PostgreSQLNewRow(identifier: identifier, values: row)
        }
        guard case .create(let identifier, let values) = write.action else { return nil }
        return try newRow(identifier, values)
    }

    /// The same of values by their keys.
    func newRow(
        _ identifier: Identifier?,
        _ values: [FieldKey: AttributeValue]
    ) throws -> PostgreSQLNewRow {
        let row = ContiguousArray(columns.map { values[$0.key] })
        if row.count(where: { $0 != nil }) < values.count { try schema.check(keys: values.keys) }
        return PostgreSQLNewRow(identifier: identifier, values: row)
    }

    /// Adds rows by one statement, all or none.
    ///
    /// - Returns: The receipts in their order.
    /// - Throws: A `PostgreSQLError` of what the server refuses; see `causes`.
    func insert(
        _ rows: [PostgreSQLNewRow],
        _ writer: inout PostgreSQLWriter
    ) throws -> [RecordReceipt] {
        var parameters = PostgreSQLParameters()
        for (index, column) in columns.enumerated() {
            let isIdentity = index == identity
            try column.appendArray(to: &parameters, count: rows.count) { row in
                if !isIdentity { return rows[row].values[index] ?? .null }
                return rows[row].identifier?.attributeValue ?? noIdentifier
            }
        }
        let isOne = rows.count == 1
        let sql = insertion(writer.log, isOne: isOne)
        let made = Result { () throws(PostgreSQLError) in
            try writer.run(sql, parameters, count: rows.count)
        }
        // Fewer rows were made than were given, by which the statement divides then.
        if case .failure(let error) = made, error.sqlState == "22012" { throw ignored }
        let result = try made.get()
        guard result.rowCount == rows.count else { throw ignored }
        return try (0..<result.rowCount).map { row in
            RecordReceipt(
                identifier: try identifier(in: result, row),
                revision: result.bytes(row, 1).int64,
                isNew: true
            )
        }
    }

    /// In place of an identifier that is to be made; a number in a column of texts is refused.
    var noIdentifier: AttributeValue { makesNumbers ? .null : .int(1) }

    /// Of rows fewer than were to be added.
    var ignored: StoreError {
        .schema("\(schema.name) was not added: a trigger of the table has ignored the write")
    }

    private func insertion(_ log: PostgreSQLLog, isOne: Bool) -> String {
        text(.insert(isOne: isOne)) {
            let names = columns.map(\.quotedName).joined(separator: ", ")
            let aliases = columns.indices.map { "c\($0)" }
            let arrays = columns.enumerated().map { "$\($0 + 1)::\($1.typeName)[]" }
            let values = aliases.enumerated().map { index, alias in
                index == identity && makesNumbers
                    ? "coalesce(\(alias), \(nextNumber))" : alias
            }
            let logged = log.insertion(
                .creation,
                token: columns.count + 1,
                type: typeLiteral,
                isOne: isOne
            )
            return """
                WITH made AS (INSERT INTO \(name) (\(names), "_revision") \
                SELECT \(values.joined(separator: ", ")), nextval(\(revisions)) \
                FROM unnest(\(arrays.joined(separator: ", "))) \
                WITH ORDINALITY AS given (\(aliases.joined(separator: ", ")), o) ORDER BY o \
                RETURNING \(identifierColumn.quotedName) AS key, "_revision" AS revision), \
                logged AS (\(logged)) \
                SELECT key, revision / (count(*) OVER () = cardinality($1))::integer FROM made
                """
        }
    }
}
