import ModelKitFields
import ModelKitStores

/// The part of a filter that SQLite can answer exactly as `RecordFilter` says, as SQL.
///
/// Whether two values compare is decided here, from the kinds of the column and the value: SQLite
/// itself would compare any two. Values are always bound.
struct SQLiteCondition {
    let table: SQLiteTable
    /// What the parameters are bound to, the first at 1.
    private(set) var parameters: [AttributeValue] = []

    init(_ table: SQLiteTable) {
        self.table = table
    }

    /// SQLite takes 32 766 parameters, and a hundred levels of parentheses of which a filter's level
    /// may need several.
    private static let mostParameters = 30_000
    private static let deepest = 16

    /// A condition that holds where the filter holds; nil if there is none.
    mutating func compile(_ filter: RecordFilter) -> String? {
        let count = parameters.count
        if let sql = compile(filter, depth: Self.deepest) { return sql }
        parameters.removeLast(parameters.count - count)
        return nil
    }

    private mutating func compile(_ filter: RecordFilter, depth: Int) -> String? {
        if depth == 0 { return nil }
        // A key without a column was refused before.
        switch filter {
        case .compare(let key, let comparison, let value):
            return table.column(key).flatMap { compare($0, comparison, value) }
        case .isNull(let key): return table.column(key).map { "\($0.sql) IS NULL" }
        case .isIn(let key, let values):
            return values.isEmpty ? "0" : table.column(key).flatMap { isIn($0, values) }
        case .contains(let key, let value):
            return table.column(key).flatMap { contains($0, value) }
        case .hasPrefix(let key, let prefix):
            return table.column(key).flatMap { hasPrefix($0, prefix) }
        case .not(let filter): return compile(filter, depth: depth - 1).map { "NOT (\($0))" }
        case .and(let filters): return join(filters, "AND", empty: "1", depth: depth)
        case .or(let filters): return join(filters, "OR", empty: "0", depth: depth)
        }
    }

    private mutating func join(
        _ filters: [RecordFilter],
        _ conjunction: String,
        empty: String,
        depth: Int
    ) -> String? {
        var terms: [String] = []
        for filter in filters {
            guard let term = compile(filter, depth: depth - 1) else { return nil }
            terms.append("(\(term))")
        }
        return terms.isEmpty ? empty : Self.join(terms, " \(conjunction) ")
    }

    /// In groups, as a chain may not have more than a thousand links.
    private static func join(_ terms: [String], _ conjunction: String) -> String {
        if terms.count <= 200 { return terms.joined(separator: conjunction) }
        let groups = stride(from: 0, to: terms.count, by: 200).map { start in
            "(" + terms[start..<min(start + 200, terms.count)].joined(separator: conjunction) + ")"
        }
        return join(groups, conjunction)
    }

    private mutating func bind(_ value: AttributeValue) -> String? {
        parameters.count == Self.mostParameters ? nil : bindAlways(value)
    }

    /// Binds one of the few values for which there is always room.
    mutating func bindAlways(_ value: AttributeValue) -> String {
        parameters.append(value)
        return "?\(parameters.count)"
    }

    // MARK: Comparisons

    private mutating func compare(
        _ column: SQLiteColumn,
        _ comparison: RecordFilter.Comparison,
        _ value: AttributeValue
    ) -> String? {
        guard let operand = Operand(value, for: column) else { return "NULL" }
        guard let parameter = bind(operand.parameter) else { return nil }
        let sql = "\(column.comparable) \(comparison.sql) \(parameter)"
        return operand.guarded(sql, column)
    }

    private mutating func isIn(_ column: SQLiteColumn, _ values: [AttributeValue]) -> String? {
        if column.kind == .any {
            var terms: [String] = []
            for value in values {
                guard let term = compare(column, .equal, value) else { return nil }
                terms.append("(\(term))")
            }
            return Self.join(terms, " OR ")
        }
        let operands = values.compactMap { Operand($0, for: column) }
        if operands.isEmpty { return "NULL" }
        var list: [String] = []
        for operand in operands {
            guard let parameter = bind(operand.parameter) else { return nil }
            list.append(parameter)
        }
        let sql = "\(column.comparable) IN (\(list.joined(separator: ", ")))"
        return operands.count == values.count ? sql : "(\(sql)) OR NULL"
    }

    private mutating func contains(_ column: SQLiteColumn, _ value: AttributeValue) -> String? {
        switch (column.kind, value) {
        case (.array, .string(let text)) where !text.utf8.contains(0):
            guard let parameter = bind(value) else { return nil }
            return """
                CASE WHEN \(column.sql) IS NOT NULL THEN EXISTS (SELECT 1 FROM \
                json_each(\(column.sql)) AS e WHERE e.type = 'text' AND e.value = \(parameter)) END
                """
        // SQLite reads numbers from JSON with an error in the last place.
        case (.array, _), (.any, _): return nil
        default: return "NULL"
        }
    }

    private mutating func hasPrefix(_ column: SQLiteColumn, _ prefix: String) -> String? {
        guard column.kind == .string || column.kind == .any else { return "NULL" }
        // As blobs, since texts would end at U+0000; a part of an empty one is NULL.
        guard let text = bind(.string(prefix)), let count = bind(.int(Int64(prefix.utf8.count)))
        else { return nil }
        return """
            CASE WHEN typeof(\(column.sql)) = 'text' THEN \
            coalesce(substr(CAST(\(column.sql) AS BLOB), 1, \(count)), x'') = CAST(\(text) AS BLOB) END
            """
    }
}

/// A value that the values of a column compare with.
private struct Operand {
    let parameter: AttributeValue
    private let value: AttributeValue

    /// Nil if they do not compare.
    init?(_ value: AttributeValue, for column: SQLiteColumn) {
        self.value = value
        switch (column.kind, value) {
        case (.bool, .bool(let flag)): parameter = .int(flag ? 1 : 0)
        case (.int, .int), (.double, .int), (.any, .int), (.string, .string), (.any, .string),
            (.data, .data):
            parameter = value
        case (.int, .double(let number)), (.double, .double(let number)),
            (.any, .double(let number)):
            if number.isNaN { return nil }
            parameter = value
        case (.date, .date(let date)): parameter = .int(Timestamp.microseconds(of: date))
        case (.any, .bool), (.any, .date), (.any, .data):
            guard let data = try? SQLiteColumn.tagged(value) else { return nil }
            parameter = .data(data)
        default: return nil
        }
    }

    /// The condition, unknown where a column of any kind holds something that does not compare.
    func guarded(_ sql: String, _ column: SQLiteColumn) -> String {
        guard column.kind == .any else { return sql }
        let test =
            switch value {
            case .int, .double: "typeof(\(column.sql)) IN ('integer', 'real')"
            case .string: "typeof(\(column.sql)) = 'text'"
            case .bool: column.isTagged(.bool)
            case .date: column.isTagged(.date)
            default: column.isTagged(.data)
            }
        return "CASE WHEN \(test) THEN \(sql) END"
    }
}

extension RecordFilter.Comparison {
    fileprivate var sql: String {
        switch self {
        case .equal: "="
        case .notEqual: "<>"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension SQLiteColumn {
    /// The value as it compares with others of its kind: -0.0, which is stored as a blob, is zero.
    var comparable: String {
        kind == .double ? "iif(typeof(\(sql)) = 'blob', 0.0, \(sql))" : sql
    }

    /// The value as rows are sorted by it: any two arrays or dictionaries are alike.
    var sortable: String {
        switch kind {
        case .array, .dictionary: "iif(\(sql) IS NULL, NULL, 0)"
        case .any: "iif(\(isTagged(.json)), x'04', \(sql))"
        default: comparable
        }
    }

    fileprivate func isTagged(_ tag: Tag) -> String {
        "(typeof(\(sql)) = 'blob' AND substr(\(sql), 1, 1) = x'0\(tag.rawValue)')"
    }
}
