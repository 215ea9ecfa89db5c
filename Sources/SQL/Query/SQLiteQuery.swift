import ModelKitFields
import ModelKitStores

/// A query as SQL, and what of its filter is left for us.
struct SQLiteQuery {
    private let table: SQLiteTable
    private let sql: String
    private let parameters: [AttributeValue]
    /// The filters that SQLite cannot answer exactly; each row is asked by them.
    private let rest: [RecordFilter]
    private let limit: Int

    init(_ query: RecordQuery, of table: SQLiteTable) {
        self.table = table
        limit = max(0, query.limit ?? .max)
        var condition = SQLiteCondition(table)
        var terms: [String] = []
        var rest: [RecordFilter] = []
        if let filter = query.filter {
            if let term = condition.compile(filter) {
                terms = ["(\(term))"]
            } else {
                for filter in filter.conjuncts {
                    if let term = condition.compile(filter) {
                        terms.append("(\(term))")
                    } else {
                        rest.append(filter)
                    }
                }
            }
        }
        // A longer chain than SQLite takes.
        if terms.count > 500 {
            condition = SQLiteCondition(table)
            rest = query.filter.map { [$0] } ?? []
            terms = []
        }
        if let after = query.after { terms.append("(\(condition.follow(after, query.order)))") }
        var sql = table.selectAll
        if !terms.isEmpty { sql += " WHERE " + terms.joined(separator: " AND ") }
        sql += " ORDER BY " + SQLiteQuery.order(query.order, of: table)
        var parameters = condition.parameters
        if rest.isEmpty, query.limit != nil {
            parameters.append(.int(Int64(limit)))
            sql += " LIMIT ?\(parameters.count)"
        }
        self.sql = sql
        self.parameters = parameters
        self.rest = rest
    }

    private static func order(_ order: [RecordQuery.Order], of table: SQLiteTable) -> String {
        if order.isEmpty { return "\(table.name).\"_order\"" }
        let terms = order.compactMap { order in
            table.column(order.key).map { column in
                "\(column.sortable) \(order.isDescending ? "DESC" : "ASC") NULLS LAST"
            }
        }
        return (terms + [table.identifierColumn.sql]).joined(separator: ", ")
    }

    func records(_ connection: SQLiteConnection) throws -> [Record] {
        var records: [Record] = []
        if limit == 0 { return records }
        try connection.withStatement(sql) { select in
            for (index, parameter) in parameters.enumerated() {
                try select.bind(parameter, at: index + 1)
            }
            while try select.step() {
                let record = try table.read(select)
                guard rest.allSatisfy({ $0.matches(record.values) }) else { continue }
                records.append(record)
                if records.count == limit { break }
            }
        }
        return records
    }
}
