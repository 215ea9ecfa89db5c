import ModelKitModels
import ModelKitStores

/// The part of a filter that SQLite can answer exactly as `RecordFilter` says, as SQL.
///
/// Whether two values compare is decided here, from the kinds of the column and the value: SQLite
/// itself would compare any two. Values are always bound.
struct SQLiteCondition {
    private(set) var table: SQLiteTable
    /// The tables that foreign keys lead to.
    private let partners: [ModelSchema: SQLiteTable]
    /// The link tables that can be used, by their columns.
    private let links: [ObjectIdentifier: SQLiteLink]
    /// What the parameters are bound to, the first at 1.
    private(set) var parameters: [AttributeValue] = []

    init(
        _ table: SQLiteTable,
        _ partners: [ModelSchema: SQLiteTable],
        _ links: [ObjectIdentifier: SQLiteLink]
    ) {
        self.table = table
        self.partners = partners
        self.links = links
    }

    /// How many filters may stand inside of each other still.
    private var depth = SQLiteCondition.deepest
    /// Whether it matters if a filter is false or unknown where it is not true.
    ///
    /// What is true is written in a way that indexes know.
    private var keepsUnknown = false

    /// SQLite takes 32 766 parameters, and a hundred levels of parentheses of which a filter's level
    /// may need several.
    private static let mostParameters = 30_000
    private static let deepest = 16

    /// A condition that holds where the filter holds; nil if there is none.
    mutating func compile(_ filter: RecordFilter) -> String? {
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
            return values.isEmpty ? "0" : table.column(key).flatMap { isIn($0, values) }
        case .contains(let key, let value):
            return table.column(key).flatMap { column in
                linked(filter).map { test(column, $0) } ?? contains(column, value)
            }
        case .hasPrefix(let key, let prefix):
            return table.column(key).flatMap { hasPrefix($0, prefix) }
        case .hasSuffix(let key, let suffix):
            return table.column(key).flatMap { hasSuffix($0, suffix) }
        case .hasSubstring(let key, let part):
            return table.column(key).flatMap { hasSubstring($0, part) }
        case .has(let key, let partner, let filter):
            return table.column(key).flatMap { has($0, partner, filter) }
        // Its elements are in JSON, which SQLite does not read exactly.
        case .hasAny: return nil
        case .not(let filter):
            let outer = keepsUnknown
            keepsUnknown = true
            defer { keepsUnknown = outer }
            return inside(filter).map { "NOT (\($0))" }
        case .and(let filters): return join(filters, "AND", empty: "1")
        case .or(let filters):
            if let (key, _) = filter.contained, let column = table.column(key),
                let linked = linked(filter)
            {
                return test(column, linked)
            }
            return join(filters, "OR", empty: "0")
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
        guard let operand = SQLiteOperand(value, for: column) else { return "NULL" }
        guard let parameter = bind(operand.parameter) else { return nil }
        let sql = "\(column.comparable) \(comparison.sql) \(parameter)"
        guard let test = operand.test(of: column) else { return sql }
        if keepsUnknown { return "CASE WHEN \(test) THEN \(sql) END" }
        // What does not compare is not equal to SQLite either.
        return comparison == .equal ? sql : "\(sql) AND \(test)"
    }

    private mutating func isIn(_ column: SQLiteColumn, _ values: [AttributeValue]) -> String? {
        if column.kind == .any, keepsUnknown {
            var terms: [String] = []
            for value in values {
                guard let term = compare(column, .equal, value) else { return nil }
                terms.append("(\(term))")
            }
            return Self.join(terms, " OR ")
        }
        let operands = values.compactMap { SQLiteOperand($0, for: column) }
        if operands.isEmpty { return "NULL" }
        let parameters = operands.map(\.parameter)
        guard let list = bind(list: parameters) else { return nil }
        let sql = "\(column.comparable) IN (\(list))"
        return operands.count == values.count || !keepsUnknown ? sql : "(\(sql)) OR NULL"
    }

    /// The values as a list: where there are more than SQLite takes parameters, as one; nil where that would not be
    /// exact.
    private mutating func bind(list values: [AttributeValue]) -> String? {
        if values.count <= Self.mostParameters - parameters.count {
            return values.map { bindAlways($0) }.joined(separator: ", ")
        }
        guard values.allSatisfy(\.isExactInJSON),
            let text = try? StoredJSON.text(of: .array(values))
        else { return nil }
        return bind(.string(text)).map { "SELECT value FROM json_each(\($0))" }
    }

    /// The rows that fulfil a filter, by a link table; nil if there is none that has them.
    mutating func linked(_ filter: RecordFilter) -> SQLiteLinkedRows? {
        guard let (key, values) = filter.contained, let column = table.column(key),
            let link = links[ObjectIdentifier(column)]
        else { return nil }
        guard values.allSatisfy(\.isExactInJSON), let list = bind(list: values) else { return nil }
        return SQLiteLinkedRows(link, list, of: table, parameters: parameters.count)
    }

    private func test(_ column: SQLiteColumn, _ rows: SQLiteLinkedRows) -> String {
        keepsUnknown ? "CASE WHEN \(column.sql) IS NOT NULL THEN \(rows.test) END" : rows.test
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

    // MARK: Texts, as blobs, since they would end at U+0000; a part of an empty one is NULL.

    private mutating func hasPrefix(_ column: SQLiteColumn, _ prefix: String) -> String? {
        guard column.holdsTexts else { return "NULL" }
        if !keepsUnknown, !prefix.isEmpty, let next = prefix.next {
            guard let first = bind(.string(prefix)), let end = bind(.string(next)) else {
                return nil
            }
            return "\(column.sql) >= \(first) AND \(column.sql) < \(end)"
        }
        return hasEnd(column, prefix, isPrefix: true)
    }

    private mutating func hasSuffix(_ column: SQLiteColumn, _ suffix: String) -> String? {
        guard column.holdsTexts else { return "NULL" }
        if suffix.isEmpty { return column.whereText("1") }
        return hasEnd(column, suffix, isPrefix: false)
    }

    private mutating func hasEnd(
        _ column: SQLiteColumn,
        _ text: String,
        isPrefix: Bool
    ) -> String? {
        let count = Int64(text.utf8.count)
        guard let end = bind(.string(text)), let place = bind(.int(isPrefix ? count : -count))
        else { return nil }
        let part = "substr(\(column.bytes), \(isPrefix ? "1, " : "")\(place))"
        return column.whereText("coalesce(\(part), x'') = CAST(\(end) AS BLOB)")
    }

    private mutating func hasSubstring(_ column: SQLiteColumn, _ part: String) -> String? {
        guard column.holdsTexts else { return "NULL" }
        guard let text = bind(.string(part)) else { return nil }
        return column.whereText("instr(\(column.bytes), CAST(\(text) AS BLOB)) > 0")
    }

    // MARK: Relations

    private mutating func has(
        _ column: SQLiteColumn,
        _ partner: ModelSchema,
        _ filter: RecordFilter
    ) -> String? {
        // A model that is kept inside is in JSON.
        guard column.entry.isForeignKey, column.kind == .any, let other = partners[partner] else {
            return nil
        }
        let outer = (table, depth)
        table = other
        // Which stands there twice.
        depth = keepsUnknown ? depth / 2 : depth - 1
        defer { (table, depth) = outer }
        guard let condition = condition(filter) else { return nil }
        let isKey = "typeof(\(column.sql)) IN ('integer', 'text')"
        func isOne(where condition: String) -> String {
            // Without its affinity, by which a number would be equal to its text.
            """
            \(column.sql) IN (SELECT +\(other.identifierColumn.sql) FROM \(other.name) \
            WHERE \(condition))
            """
        }
        if !keepsUnknown { return "\(isOne(where: condition)) AND \(isKey)" }
        return """
            CASE WHEN \(isKey) THEN CASE WHEN \(isOne(where: condition)) THEN 1 \
            WHEN \(isOne(where: "NOT (\(condition))")) THEN 0 END END
            """
    }
}

extension String {
    /// A text that comes after all that start with this one, and before all others that come after it;
    /// nil if there is none.
    fileprivate var next: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            let value = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(value) else { continue }
            return String(String.UnicodeScalarView(scalars + [scalar]))
        }
        return nil
    }
}

extension AttributeValue {
    /// Whether SQLite reads it from JSON as it is; it ends texts at U+0000.
    fileprivate var isExactInJSON: Bool {
        switch self {
        case .int: true
        case .string(let text): !text.utf8.contains(0)
        default: false
        }
    }
}

/// A value that the values of a column compare with.
struct SQLiteOperand {
    let parameter: AttributeValue
    private let value: AttributeValue

    /// Nil if they do not compare.
    init?(_ value: AttributeValue, for column: SQLiteColumn) {
        self.value = value
        if column.kind.holdsNumberTexts {
            guard let key = value.numberKey else { return nil }
            parameter = .string(key)
            return
        }
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

    /// Whether a column of any kind holds something that compares with it; nil of others, which do.
    func test(of column: SQLiteColumn) -> String? {
        guard column.kind == .any else { return nil }
        return switch value {
        case .int, .double: "typeof(\(column.sql)) IN ('integer', 'real')"
        case .string: "typeof(\(column.sql)) = 'text'"
        case .bool: column.isTagged(.bool)
        case .date: column.isTagged(.date)
        default: column.isTagged(.data)
        }
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
    /// The value as rows are sorted by it: any two arrays or dictionaries are alike.
    var sortable: String {
        switch kind {
        case .array, .dictionary: "iif(\(sql) IS NULL, NULL, 0)"
        case .any: "iif(\(isTagged(.json, sql)), x'04', \(sql))"
        default: comparable
        }
    }

    /// Whether some values are texts.
    fileprivate var holdsTexts: Bool {
        kind == .string || kind == .any || kind.holdsNumberTexts
    }

    /// The bytes of a text.
    fileprivate var bytes: String { "CAST(\(sql) AS BLOB)" }

    /// A condition on a text, unknown of everything else.
    fileprivate func whereText(_ condition: String) -> String {
        "CASE WHEN typeof(\(sql)) = 'text' THEN \(condition) END"
    }

    fileprivate func isTagged(_ tag: Tag) -> String { isTagged(tag, sql) }
}
