package import ModelKitModels
package import ModelKitStores

/// The part of a filter that a database can answer exactly as `RecordFilter` says, as SQL.
///
/// Whether two values compare is decided by the dialect, from the kinds of the column and the value: a database
/// itself would compare others, too. Values are always bound.
package struct SQLCondition<Dialect: SQLDialect> {
    package typealias Column = Dialect.Column

    private let dialect: Dialect
    package private(set) var table: Dialect.Table
    /// The tables that foreign keys lead to.
    private let partners: [ModelSchema: Dialect.Table]
    /// What the parameters are bound to, the first at 1.
    package private(set) var parameters: [Dialect.Parameter] = []

    package init(
        _ dialect: Dialect,
        _ table: Dialect.Table,
        _ partners: [ModelSchema: Dialect.Table]
    ) {
        self.dialect = dialect
        self.table = table
        self.partners = partners
    }

    /// How many filters may stand inside of each other still.
    ///
    /// SQLite takes a hundred levels of parentheses, of which a filter's level may need several.
    private var depth = 16
    /// Whether it matters if a filter is false or unknown where it is not true.
    ///
    /// What is true is written in a way that indexes know.
    package private(set) var keepsUnknown = false

    /// A condition that holds where the filter holds; nil if there is none.
    package mutating func compile(_ filter: RecordFilter) -> String? {
        let count = parameters.count
        if let sql = condition(filter) { return sql }
        parameters.removeLast(parameters.count - count)
        return nil
    }

    private mutating func condition(_ filter: RecordFilter) -> String? {
        if depth == 0 { return nil }
        // A key without a column was refused before.
        switch filter {
        case .compare(let key, let comparison, let value):
            return table.column(key).flatMap { compare($0, comparison, value) }
        case .isNull(let key):
            // As the index has it.
            return table.column(key).map { column in
                "\(column.entry.isIndexed ? column.comparable : column.sql) IS NULL"
            }
        case .isIn(let key, let values):
            return values.isEmpty ? Dialect.no : table.column(key).flatMap { isIn($0, values) }
        case .contains(let key, let value):
            return table.column(key).flatMap { column in
                dialect.containsAny(column, [value], &self)
                    ?? dialect.contains(column, value, &self)
            }
        case .hasPrefix(let key, let text): return has(text, at: .start, key)
        case .hasSuffix(let key, let text): return has(text, at: .end, key)
        case .hasSubstring(let key, let text): return has(text, at: .anywhere, key)
        case .has(let key, let partner, let filter):
            return keyColumn(key).flatMap { has($0, partner, filter) }
        case .hasAny(let key, let partner, .and([])):
            guard let column = keyColumn(key), let other = partners[partner] else { return nil }
            return dialect.exists(column, in: other)
        // Its elements are in JSON, which no database reads exactly.
        case .hasAny: return nil
        case .not(let filter):
            let outer = keepsUnknown
            keepsUnknown = true
            defer { keepsUnknown = outer }
            return inside(filter).map { "NOT (\($0))" }
        case .and(let filters): return join(filters, "AND", empty: Dialect.yes)
        case .or(let filters):
            if let (key, values) = filter.contained, let column = table.column(key),
                let sql = dialect.containsAny(column, values, &self)
            {
                return sql
            }
            return join(filters, "OR", empty: Dialect.no)
        }
    }

    /// The condition of a filter that stands inside of another one.
    private mutating func inside(_ filter: RecordFilter) -> String? {
        depth -= 1
        defer { depth += 1 }
        return condition(filter)
    }

    private mutating func join(
        _ filters: [RecordFilter],
        _ conjunction: String,
        empty: String
    ) -> String? {
        var terms: [String] = []
        for filter in filters {
            guard let term = inside(filter) else { return nil }
            terms.append("(\(term))")
        }
        return terms.isEmpty ? empty : Self.join(terms, " \(conjunction) ")
    }

    /// In groups, as a chain in SQLite may not have more than a thousand links.
    private static func join(_ terms: [String], _ conjunction: String) -> String {
        if terms.count <= 200 { return terms.joined(separator: conjunction) }
        let groups = stride(from: 0, to: terms.count, by: 200).map { start in
            "(" + terms[start..<min(start + 200, terms.count)].joined(separator: conjunction) + ")"
        }
        return join(groups, conjunction)
    }

    /// How many parameters there is room for.
    package var room: Int { Dialect.mostParameters - parameters.count }

    package mutating func bind(_ value: Dialect.Parameter) -> String? {
        room == 0 ? nil : bindAlways(value)
    }

    /// Binds one of the few values for which there is always room.
    package mutating func bindAlways(_ value: Dialect.Parameter) -> String {
        parameters.append(value)
        return Dialect.placeholder(parameters.count)
    }

    // MARK: Comparisons

    private mutating func compare(
        _ column: Column,
        _ comparison: RecordFilter.Comparison,
        _ value: AttributeValue
    ) -> String? {
        switch dialect.operand(value, comparison, for: column) {
        case .incomparable: return "NULL"
        case .inexact: return nil
        case .parameter(let operand, let comparison, let test):
            guard let parameter = bind(operand) else { return nil }
            let sql = "\(column.comparable) \(comparison.sql) \(parameter)"
            guard let test else { return sql }
            if keepsUnknown { return "CASE WHEN \(test) THEN \(sql) END" }
            // What does not compare is not equal to a database either.
            return comparison == .equal ? sql : "\(sql) AND \(test)"
        }
    }

    private mutating func isIn(_ column: Column, _ values: [AttributeValue]) -> String? {
        if column.kind == .any, keepsUnknown {
            var terms: [String] = []
            for value in values {
                guard let term = compare(column, .equal, value) else { return nil }
                terms.append("(\(term))")
            }
            return Self.join(terms, " OR ")
        }
        var operands: [Dialect.Parameter] = []
        operands.reserveCapacity(values.count)
        var never: AttributeValue?
        var isKnown = true
        for value in values {
            switch dialect.operand(value, .equal, for: column) {
            case .incomparable: isKnown = false
            case .inexact: return nil
            case .parameter(let operand, .equal, _): operands.append(operand)
            case .parameter: never = value
            }
        }
        var sql: String
        if !operands.isEmpty {
            guard let list = dialect.isIn(column, operands, &self) else { return nil }
            sql = list
        } else if let never {
            guard let term = compare(column, .equal, never) else { return nil }
            sql = term
        } else {
            return "NULL"
        }
        return isKnown || !keepsUnknown ? sql : "(\(sql)) OR NULL"
    }

    private mutating func has(
        _ text: String,
        at place: SQLTextPlace,
        _ key: FieldKey
    ) -> String? {
        table.column(key).flatMap {
            $0.holdsTexts ? dialect.has(text, at: place, $0, &self) : "NULL"
        }
    }

    // MARK: Relations

    /// The column of one foreign key; a model that is kept inside is in JSON.
    private func keyColumn(_ key: FieldKey) -> Column? {
        table.column(key).flatMap { $0.entry.isForeignKey && $0.kind == .any ? $0 : nil }
    }

    private mutating func has(
        _ column: Column,
        _ partner: ModelSchema,
        _ filter: RecordFilter
    ) -> String? {
        guard let other = partners[partner],
            let isKey = dialect.isKey(column, of: other)
        else { return nil }
        let outer = (table, depth)
        table = other
        // Which stands there twice.
        depth = keepsUnknown ? depth / 2 : depth - 1
        defer { (table, depth) = outer }
        guard let condition = condition(filter) else { return nil }
        let leads = dialect.leads(column, to: other, where: condition)
        if !keepsUnknown { return "\(leads) AND \(isKey)" }
        let fails = dialect.leads(column, to: other, where: "NOT (\(condition))")
        return """
            CASE WHEN \(isKey) THEN CASE WHEN \(leads) THEN \(Dialect.yes) \
            WHEN \(fails) THEN \(Dialect.no) END END
            """
    }

    // MARK: Pages

    /// A condition that holds for the rows that come after a place in the order of the answer.
    ///
    /// - Parameters:
    ///   - cursor: The place.
    ///   - order: The order, or the last terms of it, if all others are the same.
    /// - Returns: The condition.
    package mutating func follow(
        _ cursor: PageCursor,
        _ order: ArraySlice<RecordQuery.Order>
    ) -> String {
        var same: [String] = []
        var terms: [String] = []
        for (order, value) in zip(order, cursor.values.suffix(order.count)) {
            guard let column = table.column(order.key) else { continue }
            guard let operand = dialect.sortOperand(value, for: column) else {
                // Null comes last, so that only null follows.
                same.append("\(column.sql) IS NULL")
                continue
            }
            let parameter = bindAlways(operand)
            let comparison = order.isDescending ? "<" : ">"
            let isBehind =
                "(\(column.sortable) \(comparison) \(parameter) OR \(column.sql) IS NULL)"
            terms.append((same + [isBehind]).joined(separator: " AND "))
            same.append("\(column.sortable) = \(parameter)")
        }
        let identifier = bindAlways(dialect.precedence(of: cursor.identifier, in: table))
        let isBehind = "\(table.identifierColumn.precedence) > \(identifier)"
        terms.append((same + [isBehind]).joined(separator: " AND "))
        return terms.joined(separator: " OR ")
    }
}
