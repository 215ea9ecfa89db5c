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
        let statement = try insertion(of: rows, &writer)
        let made = Result { () throws(PostgreSQLError) in try writer.run(statement) }
        // Fewer rows were made than were given, by which the statement divides then.
        if case .failure(let error) = made, error.sqlState == "22012" { throw ignored }
        return try receipts(ofInsertion: made.get(), count: rows.count)
    }

    /// What adds rows.
    func insertion(
        of rows: [PostgreSQLNewRow],
        _ writer: inout PostgreSQLWriter
    ) throws -> PostgreSQLStatement {
        var parameters = PostgreSQLParameters()
        for (index, column) in columns.enumerated() {
            func value(_ row: PostgreSQLNewRow) -> AttributeValue {
                if index != identity { return row.values[index] ?? .null }
                return row.identifier?.attributeValue ?? noIdentifier
            }
            if rows.count == 1 {
                try column.append(value(rows[0]), to: &parameters)
            } else {
                try column.appendArray(to: &parameters, count: rows.count) { value(rows[$0]) }
            }
        }
        let sql = insertionText(writer.log, isOne: rows.count == 1)
        return writer.logging(sql, parameters, count: rows.count)
    }

    /// The receipts of so many rows that were added.
    func receipts(
        ofInsertion result: PostgreSQLResult,
        count: Int
    ) throws -> [RecordReceipt] {
        guard result.rowCount == 1 else { throw ignored }
        if count == 1 { return [try receipt(result.bytes(0, 0), result.bytes(0, 1))] }
        let (keys, revisions) = (result.elements(0, 0), result.elements(0, 1))
        guard keys.count == count else { throw ignored }
        return try zip(keys, revisions).map(receipt)
    }

    private func receipt(
        _ key: PostgreSQLBytes,
        _ revision: PostgreSQLBytes
    ) throws -> RecordReceipt {
        RecordReceipt(identifier: try identifier(of: key), revision: revision.int64, isNew: true)
    }

    /// In place of an identifier that is to be made; a number in a column of texts is refused.
    var noIdentifier: AttributeValue { makesNumbers ? .null : .int(1) }

    /// Of rows fewer than were to be added.
    var ignored: StoreError {
        .schema("\(schema.name) was not added: a trigger of the table has ignored the write")
    }

    private func insertionText(_ log: PostgreSQLLog, isOne: Bool) -> String {
        text(.insert(isOne: isOne)) {
            let names = columns.map(\.quotedName).joined(separator: ", ")
            let values = columns.indices.map { index in
                let value = isOne ? "$\(index + 1)" : "c\(index)"
                return index == identity && makesNumbers
                    ? "coalesce(\(value), \(nextNumber))" : value
            }
            let arrays = columns.enumerated().map { index, column in
                "unnest($\(index + 1)::\(column.typeName)[]) AS c\(index)"
            }
            // Rows are made in the order of the arrays, without a sort.
            let source = isOne ? "" : " FROM (SELECT \(arrays.joined(separator: ", "))) AS given"
            let made = """
                WITH made AS (INSERT INTO \(name) (\(names), "_revision") \
                SELECT \(values.joined(separator: ", ")), nextval(\(revisions))\(source) \
                RETURNING \(identifierColumn.quotedName) AS key, "_revision" AS revision)
                """
            let (token, type) = (columns.count + 1, typeLiteral)
            if isOne {
                let logged = log.insertion(.creation, token: token, type: type, isOne: true)
                return "\(made), logged AS (\(logged)) SELECT key, revision FROM made"
            }
            let logged = log.insertion(.creation, token: token, type: type, of: "collected")
            return """
                \(made), collected AS \(PostgreSQLLog.collected), logged AS (\(logged)) \
                SELECT keys, revisions, 1 / (cardinality(keys) = cardinality($1))::integer \
                FROM collected
                """
        }
    }
}
