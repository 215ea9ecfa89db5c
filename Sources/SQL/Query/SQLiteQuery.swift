import ModelKitModels
import ModelKitStores

/// A query as SQL, and what of its filter is left for us.
struct SQLiteQuery: SQLQuery {
    let connection: SQLiteConnection
    private let dialect: SQLiteDialect
    let table: SQLiteTable
    let query: RecordQuery
    /// What the rows have to fulfil, as SQL.
    private(set) var condition: SQLiteCondition
    private(set) var terms: [String] = []
    /// The filters that SQLite cannot answer exactly; each row is asked by them.
    private(set) var rest: [RecordFilter] = []
    /// The conditions by which an index finds rows; how many parameters there were with each, or 0 if it has none
    /// itself.
    private var indexed: [(term: String, parameters: Int, column: SQLiteColumn)] = []
    /// The terms that a link table answers, which are there as tests, and their places.
    private var linked: [(term: Int, rows: SQLiteLinkedRows)] = []
    /// The tables that foreign keys lead to.
    let partners: [ModelSchema: SQLiteTable]

    /// A query for the records of a type, with the tables that the closure gives.
    init(
        _ query: RecordQuery,
        of schema: ModelSchema,
        _ connection: SQLiteConnection,
        _ find: (ModelSchema) throws -> SQLiteTable
    ) throws {
        self.connection = connection
        table = try find(schema)
        var partners: [ModelSchema: SQLiteTable] = [:]
        for partner in query.filter?.partners(of: schema) ?? [] {
            partners[partner] = try find(partner)
        }
        self.partners = partners
        self.query = query
        dialect = SQLiteDialect(links: try table.links(for: query.filter, partners, connection))
        condition = SQLiteCondition(dialect, table, partners)
        for filter in query.filter?.conjuncts ?? [] {
            let before = condition.parameters.count
            if let (key, values) = filter.contained, let column = table.column(key),
                let rows = dialect.linked(column, values, &condition)
            {
                linked.append((terms.count, rows))
                terms.append(rows.test)
            } else if let term = condition.compile(filter) {
                terms.append("(\(term))")
                if let column = table.indexedColumn(of: filter) {
                    let count = condition.parameters.count
                    indexed.append((term, count == before ? 0 : count, column))
                }
            } else {
                rest.append(filter)
            }
        }
        // A longer chain than SQLite takes.
        if terms.count > 500 {
            condition = SQLiteCondition(dialect, table, partners)
            rest = query.filter.map { [$0] } ?? []
            (terms, indexed, linked) = ([], [], [])
        }
    }

    private var order: [RecordQuery.Order] { query.order }
    private var after: PageCursor? { query.after }
    private var limit: Int? { query.limit }
    private var offset: Int { query.offset }

    /// The answer; a row that is damaged is reported and left out, or, without a report, an error.
    func records(skippingDamaged report: ((StoreError) -> Void)? = nil) throws -> [Record] {
        var answer = try self.answer(skippingDamaged: report)
        answer.trim()
        return answer.records
    }

    /// How SQLite finds the rows, statement by statement, as it explains it itself.
    func explanation() throws -> [String] { try answer(isExplained: true).explanation }

    private func answer(
        isExplained: Bool = false,
        skippingDamaged report: ((StoreError) -> Void)? = nil
    ) throws -> SQLiteAnswer {
        var answer = SQLiteAnswer(to: self, skippingDamaged: report)
        answer.isExplained = isExplained
        if answer.isFull { return answer }
        let plan = try plan()
        if let column = plan.sorting {
            try connection.withSnapshot { try pages(by: column, plan, into: &answer) }
            return answer
        }
        var (terms, condition) = (terms, condition)
        if order.isEmpty, after == nil, limit == nil, offset == 0, plan.searched.count == 1 {
            let (term, rows) = plan.searched[0]
            terms[term] = rows.match
            try run(terms, in: nil, condition, plan, from: rows.source, into: &answer)
            answer.sortByPlace()
            return answer
        }
        for (term, rows) in plan.searched { terms[term] = rows.search }
        if let after {
            let follow =
                order.isEmpty
                ? "\(table.name).\"_order\" > \(condition.bindAlways(.int(after.place)))"
                : condition.follow(after, order[...])
            terms.append("(\(follow))")
        }
        // With a sign SQLite does not go through all rows for the sake of their order, which those of a link
        // table have anyway.
        let sortedBy =
            (plan.isNarrow && !(order.isEmpty && indexed.isEmpty) ? "+" : "")
            + (order.isEmpty ? "\(table.name).\"_order\"" : table.order(by: order[...]))
        try run(terms, in: sortedBy, condition, plan, into: &answer)
        return answer
    }

    // MARK: Planning

    /// How the rows are found.
    struct Plan {
        /// Whether conditions leave so few rows that it is best to find them first and sort them.
        var isNarrow = false
        /// The terms by which rows are found in a link table.
        var searched: [(term: Int, rows: SQLiteLinkedRows)] = []
        /// What follows the name of the table.
        var hint = ""
        /// The column in whose order an index has the rows.
        var sorting: SQLiteColumn?
    }

    /// As many rows are found and sorted sooner than a page is by going through them in order.
    private static let few = 2_000

    func plan() throws -> Plan {
        var plan = Plan()
        if limit != nil, let first = order.first, let column = table.column(first.key),
            column.kind != .any
        {
            if column === table.identifierColumn || column.entry.isIndexed { plan.sorting = column }
        }
        let isWhole = limit == nil || !order.isEmpty && plan.sorting == nil
        if try planLinks(isWhole, &plan) || indexed.isEmpty { return plan }
        // Along an index no others are needed but those of its own column.
        if let sorting = plan.sorting, indexed.contains(where: { $0.column === sorting }) {
            return plan
        }
        if isWhole {
            plan.isNarrow = true
            return plan
        }
        // SQLite knows nothing of how many there are.
        for part in indexed
        where try isNarrow("SELECT 1 FROM \(table.name) WHERE \(part.term)", part.parameters) {
            plan.isNarrow = true
            plan.sorting = nil
            return plan
        }
        guard let sorting = plan.sorting else {
            plan.hint = "NOT INDEXED"
            return plan
        }
        guard let index = try table.indexes().first(where: { $0.column === sorting }) else {
            return plan
        }
        if try table.has(index, connection) {
            plan.hint = "INDEXED BY \(try quoted(identifier: index.name))"
        } else {
            plan.sorting = nil
        }
        return plan
    }

    /// Has rows be found in link tables, if that is less work than to test each; false if it is not.
    private func planLinks(_ isWhole: Bool, _ plan: inout Plan) throws -> Bool {
        // If all are asked for and there is no other way, they are not counted.
        let isOnly = isWhole && indexed.isEmpty
        plan.searched =
            isOnly && linked.count == 1
            ? linked : try linked.filter { try isNarrow($0.rows.owners, $0.rows.parameters) }
        if plan.searched.isEmpty, isOnly { plan.searched = Array(linked.prefix(1)) }
        if plan.searched.isEmpty { return false }
        plan.isNarrow = true
        plan.sorting = nil
        return true
    }

    private func isNarrow(_ rows: String, _ parameters: Int) throws -> Bool {
        let sql = "SELECT count(*) FROM (\(rows) LIMIT \(Self.few))"
        return try connection.number(sql, condition.parameters.prefix(parameters)) < Self.few
    }

    // MARK: Pages along an index

    /// Those with a value, in the order of the index, and then those without: one order for both would
    /// have SQLite sort.
    private func pages(
        by column: SQLiteColumn,
        _ plan: Plan,
        into answer: inout SQLiteAnswer
    ) throws {
        let isDescending = order[0].isDescending
        // No two of them are equal.
        let isUnique = column.entry.isUnique || column === table.identifierColumn
        let others = table.order(by: order.dropFirst())
        func add(
            in order: String,
            isLast: Bool = false,
            where term: (inout SQLiteCondition) -> String
        ) throws {
            var condition = condition
            let terms = terms + [term(&condition)]
            let (skipped, count) = (answer.skipped, answer.records.count)
            let isCut = try run(terms, in: order, condition, plan, into: &answer)
            // Where all were left out, the next part has to know how many they were.
            guard isCut, !isLast, answer.records.count == count else { return }
            let all = "SELECT count(*) FROM \(table.name) WHERE " + terms.joined(separator: " AND ")
            let left = try connection.number(all, condition.parameters[...])
            answer.skipped = skipped - Int(left)
        }
        func addNulls() throws {
            if column === table.identifierColumn { return }
            try add(in: others, isLast: true) { _ in "\(column.comparable) IS NULL" }
        }
        var bound: AttributeValue?
        if let after {
            bound = after.values.first.flatMap { dialect.sortOperand($0, for: column) }
            try add(in: others) { condition in
                let same =
                    bound.map { "\(column.comparable) = \(condition.bindAlways($0))" }
                    ?? "\(column.comparable) IS NULL"
                return "\(same) AND (\(condition.follow(after, order.dropFirst())))"
            }
            if answer.isFull || bound == nil { return }
        }
        if isDescending, !isUnique, offset == 0 {
            // Where values are equal, the index has the identifiers the other way round.
            for _ in 0..<8 {
                let value = try greatest(of: column, below: bound, &answer)
                guard let value else { return try addNulls() }
                try add(in: others) { "\(column.comparable) = \($0.bindAlways(value))" }
                if answer.isFull { return }
                bound = value
            }
        }
        let sortedBy =
            "\(column.comparable) \(isDescending ? "DESC" : "ASC")"
            + (isUnique ? "" : ", \(others)")
        try add(in: sortedBy, isLast: column === table.identifierColumn) { condition in
            let isBehind = bound.map { (isDescending ? "< " : "> ") + condition.bindAlways($0) }
            return "\(column.comparable) \(isBehind ?? "IS NOT NULL")"
        }
        if !answer.isFull { try addNulls() }
    }

    /// The greatest value of a column that is less than another; nil if there is none.
    private func greatest(
        of column: SQLiteColumn,
        below bound: AttributeValue?,
        _ answer: inout SQLiteAnswer
    ) throws -> AttributeValue? {
        let term = bound == nil ? "IS NOT NULL" : "< ?1"
        let sql = """
            SELECT \(column.comparable) FROM \(table.name) WHERE \(column.comparable) \(term) \
            ORDER BY \(column.comparable) DESC LIMIT 1
            """
        if answer.isExplained { try answer.explain(sql) }
        return try connection.rows(sql, bound.map { [$0] } ?? []) { try $0.value(at: 0) }.first
    }

    /// Adds the rows that fulfil some terms.
    ///
    /// - Returns: Whether SQLite has left out those before the answer.
    @discardableResult
    private func run(
        _ terms: [String],
        in order: String?,
        _ condition: SQLiteCondition,
        _ plan: Plan,
        from source: String? = nil,
        into answer: inout SQLiteAnswer
    ) throws -> Bool {
        var sql = source.map { "\(table.selection) FROM \($0)" } ?? table.selectAll
        if !plan.hint.isEmpty { sql += " " + plan.hint }
        if !terms.isEmpty { sql += " WHERE " + terms.joined(separator: " AND ") }
        if let order { sql += " ORDER BY " + order }
        var condition = condition
        var isSkipped = false
        if rest.isEmpty, !answer.skipsDamage, let left = answer.left {
            sql += " LIMIT \(condition.bindAlways(.int(Int64(left))))"
            if answer.skipped > 0 {
                sql += " OFFSET \(condition.bindAlways(.int(Int64(answer.skipped))))"
                isSkipped = true
            }
        }
        if answer.isExplained { try answer.explain(sql) }
        if isSkipped { answer.skipped = 0 }
        try connection.withStatement(sql) { select in
            try select.bind(condition.parameters)
            try answer.take(select, from: table)
        }
        return isSkipped
    }
}

extension SQLiteTable {
    /// The column by whose index the rows are found that fulfil a filter; nil if there is none.
    fileprivate func indexedColumn(of filter: RecordFilter) -> SQLiteColumn? {
        let key: FieldKey
        switch filter {
        case .compare(_, .notEqual, _), .hasPrefix(_, ""): return nil
        case .compare(let field, _, _), .isNull(let field), .isIn(let field, _),
            .has(let field, _, _), .hasPrefix(let field, _):
            key = field
        case .contains, .hasSuffix, .hasSubstring, .hasAny, .and, .or, .not: return nil
        }
        guard let column = column(key) else { return nil }
        // Which has the keys of numbers.
        if case .hasPrefix = filter, column.kind.holdsNumberTexts { return nil }
        return column.entry.isIndexed || column === identifierColumn ? column : nil
    }
}
