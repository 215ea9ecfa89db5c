import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// A query as SQL, and what of its filter is left for us.
struct PostgreSQLQuery: SQLQuery {
    let connection: PostgreSQLConnection
    let table: PostgreSQLTable
    let query: RecordQuery
    /// What the rows have to fulfil, as SQL.
    private(set) var condition: PostgreSQLCondition
    private(set) var terms: [String] = []
    /// The filters that PostgreSQL cannot answer exactly; each row is asked by them.
    private(set) var rest: [RecordFilter] = []
    /// The tables that foreign keys lead to.
    let partners: [ModelSchema: PostgreSQLTable]

    /// A query for the records of a type, with the tables that the closure gives.
    init(
        _ query: RecordQuery,
        of schema: ModelSchema,
        _ connection: PostgreSQLConnection,
        _ find: (ModelSchema) throws -> PostgreSQLTable
    ) throws {
        self.connection = connection
        self.query = query
        table = try find(schema)
        var partners: [ModelSchema: PostgreSQLTable] = [:]
        for partner in query.filter?.partners(of: schema) ?? [] {
            partners[partner] = try find(partner)
        }
        self.partners = partners
        condition = PostgreSQLCondition(PostgreSQLDialect(), table, partners)
        for filter in query.filter?.conjuncts ?? [] {
            if let term = condition.compile(filter) {
                terms.append("(\(term))")
            } else {
                rest.append(filter)
            }
        }
    }

    /// The answer; a row that is damaged is reported and left out, or, without a report, an error.
    func records(skippingDamaged report: ((StoreError) -> Void)? = nil) throws -> [Record] {
        if let limit = query.limit, limit <= 0 { return [] }
        if rest.isEmpty {
            do {
                return try table.records(
                    statement(isCut: true),
                    ofAtMost: query.limit,
                    connection
                )
            } catch StoreError.corrupt where report != nil {
                // Of damaged rows nobody knows how many there are.
            }
        }
        return try scan(skippingDamaged: report)
    }

    /// How PostgreSQL finds the rows, line by line, as it explains it itself.
    func explanation() throws -> [String] {
        let rows = try statement(isCut: rest.isEmpty)
        let explanation = PostgreSQLStatement(
            "EXPLAIN (COSTS OFF) \(rows.sql)",
            rows.parameters,
            isPrepared: false
        )
        let lines = try connection.run(explanation)
        return try (0..<lines.rowCount).map { try lines.bytes($0, 0).text }
    }

    // MARK: Statements

    /// What asks for the rows.
    ///
    /// - Parameter isCut: Whether for those of the page alone, and not for all of which some are in it.
    /// - Returns: The statement.
    /// - Throws: `.unsupported` for a cursor with what no column can have.
    func statement(isCut: Bool) throws -> PostgreSQLStatement {
        var condition = condition
        let sql =
            isCut && query.limit != nil
            ? pages(&condition) : select(&condition, terms, query.order[...], query.after)
        let limit = isCut ? limit(&condition) : ""
        return try Self.statement(sql + limit, condition)
    }

    static func statement(
        _ sql: String,
        _ condition: PostgreSQLCondition
    ) throws -> PostgreSQLStatement {
        var parameters = PostgreSQLParameters()
        for parameter in condition.parameters { try parameter.append(to: &parameters) }
        return PostgreSQLStatement(sql, parameters)
    }

    private func select(
        _ condition: inout PostgreSQLCondition,
        _ terms: [String],
        _ order: ArraySlice<RecordQuery.Order>,
        _ after: PageCursor?
    ) -> String {
        var terms = terms
        let sorted = query.order.isEmpty ? table.place : table.order(by: order)
        if query.order.isEmpty {
            if let after {
                let place = condition.bindAlways(.int(Int(after.place)))
                terms.append("\(table.place) > \(place)")
            }
        } else if let after {
            terms.append("(\(condition.follow(after, order)))")
        }
        return table.selectAll + Self.clause(terms) + " ORDER BY " + sorted
    }

    static func clause(_ terms: [String]) -> String {
        terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
    }

    private func limit(_ condition: inout PostgreSQLCondition) -> String {
        let offset = query.offset > 0 ? query.offset : nil
        return [("LIMIT", query.limit), ("OFFSET", offset)].map { word, number in
            number.map { " \(word) \(condition.bindAlways(.int($0)))" } ?? ""
        }
        .joined()
    }

    /// A page, in the order of an index if there is one: those with a value, and then those without, as PostgreSQL would
    /// sort for an order that has null at the end both ways.
    private func pages(_ condition: inout PostgreSQLCondition) -> String {
        let all = query.order[...]
        guard let first = query.order.first, let column = table.column(first.key),
            column === table.identifierColumn && column.stored != .any || column.entry.isIndexed,
            column.comparable == column.sortable
        else { return select(&condition, terms, all, query.after) }
        let isIdentity = column === table.identifierColumn
        let bound = query.after?.values.first.map(\.isNull)
        let others = all.dropFirst()
        var parts: [String] = []
        func add(_ terms: [String], _ direction: String) {
            // As the index has them, also where all are null.
            let sorted = "\(column.sortable) \(direction), \(table.order(by: others))"
            parts.append("\(table.selectAll)\(Self.clause(terms)) ORDER BY \(sorted)")
        }
        if bound != true {
            var terms = terms
            if let after = query.after, let value = after.values.first,
                let operand = PostgreSQLDialect().sortOperand(value, for: column)
            {
                let parameter = condition.bindAlways(operand)
                // Of which an index knows where it begins.
                let comparison = first.isDescending ? "<=" : ">="
                terms.append("\(column.comparable) \(comparison) \(parameter)")
                terms.append("(\(condition.follow(after, all)))")
            }
            terms.append("\(column.comparable) IS NOT NULL")
            add(terms, first.isDescending ? "DESC" : "ASC")
        }
        if !isIdentity {
            var terms = terms + ["\(column.comparable) IS NULL"]
            if bound == true, let after = query.after {
                terms.append("(\(condition.follow(after, others)))")
            }
            add(terms, "ASC")
        }
        if parts.count == 1 { return parts[0] }
        let (sum, isBeyond) = query.offset.addingReportingOverflow(query.limit ?? 0)
        let most = condition.bindAlways(.int(isBeyond ? .max : sum))
        let union = parts.map { "(\($0) LIMIT \(most))" }.joined(separator: " UNION ALL ")
        return """
            \(table.selection) FROM (\(union)) AS \(table.quotedName) \
            ORDER BY \(table.order(by: all))
            """
    }
}
