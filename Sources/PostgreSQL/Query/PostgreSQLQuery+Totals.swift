import ModelKitModels
import ModelKitSQL
import ModelKitStores

extension PostgreSQLQuery {
    /// What the rows make together: by PostgreSQL where that is exact, or of the columns that are asked for, unless the
    /// whole filter cannot be judged there.
    func totals(_ aggregate: RecordAggregate) throws -> RecordTotals {
        if rest.isEmpty {
            do {
                return try columnTotals(aggregate)
            } catch is ColumnDamage {
                // The error of a row that is read whole says which it is.
            }
        }
        var totals = RecordTotals(aggregate, of: table.schema)
        for record in try records() { totals.add(record) }
        return totals
    }

    /// How many records there are.
    func count() throws -> Int {
        guard rest.isEmpty else { return try records().count }
        let result = try run("SELECT count(*) FROM \(table.name)" + Self.clause(terms))
        return Int(result.bytes(0, 0).int64)
    }

    /// Whether there is one.
    func exists() throws -> Bool {
        guard rest.isEmpty else { return try !records().isEmpty }
        return try run("SELECT FROM \(table.name)\(Self.clause(terms)) LIMIT 1").rowCount > 0
    }

    private func run(_ sql: String) throws -> PostgreSQLResult {
        try connection.run(Self.statement(sql, condition))
    }

    private func columnTotals(_ aggregate: RecordAggregate) throws -> RecordTotals {
        let totals = RecordTotals(aggregate, of: table.schema)
        let group = aggregate.groupKey.flatMap(table.column)
        let column = aggregate.key.flatMap(table.column)
        // The type json has no equality; equal values have the same text mostly, and are put together here.
        let groupSQL = group.map { $0.stored.typeName == "json" ? "\($0.sql)::text" : $0.sql }
        let source = "FROM \(table.name)" + Self.clause(terms)
        let sql: String
        switch (aggregate.function, column) {
        case (.minimum, let column?), (.maximum, let column?):
            let isLeast = aggregate.function == .minimum(column.key)
            let order = "\(column.sortable) \(isLeast ? "ASC" : "DESC") NULLS LAST"
            sql =
                groupSQL.map { group in
                    """
                    SELECT DISTINCT ON (\(group)) \(column.sql), 1::bigint, \(group) \(source) \
                    ORDER BY \(group), \(order)
                    """
                }
                    ?? """
                    SELECT \(column.sql), 1::bigint FROM \(table.name)\
                    \(Self.clause(terms + ["\(column.comparable) IS NOT NULL"])) \
                    ORDER BY \(column.sortable)\(isLeast ? "" : " DESC") LIMIT 1
                    """
        case (_, let column?) where column.stored == .double:
            // A sum of doubles in the order of rows has an error that nobody knows.
            sql = "SELECT \(column.sql), 1::bigint\(groupSQL.map { ", \($0)" } ?? "") \(source)"
        default:
            let sum = column.map { "sum(\($0.sql))" } ?? "NULL::numeric"
            let count = column.map { "count(\($0.sql))" } ?? "count(*)"
            sql =
                "SELECT \(sum), \(count)"
                + (groupSQL.map { ", \($0) \(source) GROUP BY \($0)" } ?? " \(source)")
        }
        let kind =
            switch aggregate.function {
            case .sum, .average: column?.stored == .double ? AttributeKind.double : .decimal
            case .count, .minimum, .maximum: column?.stored ?? .decimal
            }
        return try connection.reduce(Self.statement(sql, condition), into: totals) { totals, rows in
            for row in 0..<rows.rowCount {
                let value: AttributeValue =
                    rows.isNull(row, 0) ? .null : try kind.value(of: rows.bytes(row, 0))
                let count = Int(rows.bytes(row, 1).int64)
                totals.add(value, of: count, to: try group?.value(rows, row, 2))
            }
        }
    }
}
