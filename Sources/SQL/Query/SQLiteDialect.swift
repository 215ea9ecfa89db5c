import ModelKitEssentials
import ModelKitModels
import ModelKitStores

/// How SQLite says conditions.
///
/// It would compare any two values.
struct SQLiteDialect: SQLDialect {
    /// The link tables that can be used, by their columns.
    let links: [ObjectIdentifier: SQLiteLink]

    static let yes = "1"
    static let no = "0"
    // SQLite takes 32 766.
    static let mostParameters = 30_000
    static func placeholder(_ number: Int) -> String { "?\(number)" }

    // MARK: Comparisons

    func operand(
        _ value: AttributeValue,
        _ comparison: RecordFilter.Comparison,
        for column: SQLiteColumn
    ) -> SQLOperand<AttributeValue> {
        guard let parameter = parameter(value, for: column) else { return .incomparable }
        return .parameter(parameter, comparison, test: test(value, of: column))
    }

    /// Nil if they do not compare.
    private func parameter(
        _ value: AttributeValue,
        for column: SQLiteColumn
    ) -> AttributeValue? {
        if column.kind.holdsNumberTexts { return value.numberKey.map { .string($0) } }
        switch (column.kind, value) {
        case (.bool, .bool(let flag)): return .int(flag ? 1 : 0)
        case (.int, .int), (.double, .int), (.any, .int), (.string, .string), (.any, .string),
            (.data, .data):
            return value
        case (.int, .double(let number)), (.double, .double(let number)),
            (.any, .double(let number)):
            return number.isNaN ? nil : value
        case (.date, .date(let date)): return .int(Timestamp.microseconds(of: date))
        case (.any, .bool), (.any, .date), (.any, .data):
            return (try? SQLiteColumn.tagged(value)).map { .data($0) }
        default: return nil
        }
    }

    /// Whether a column of any kind holds something that compares with a value; nil of others, which do.
    private func test(_ value: AttributeValue, of column: SQLiteColumn) -> String? {
        guard column.kind == .any else { return nil }
        return switch value {
        case .int, .double: "typeof(\(column.sql)) IN ('integer', 'real')"
        case .string: "typeof(\(column.sql)) = 'text'"
        case .bool: column.isTagged(.bool, column.sql)
        case .date: column.isTagged(.date, column.sql)
        default: column.isTagged(.data, column.sql)
        }
    }

    func sortOperand(_ value: AttributeValue, for column: SQLiteColumn) -> AttributeValue? {
        switch (column.kind, value) {
        case (_, .null): nil
        case (.decimal, _), (.unsigned, _): value.numberSortKey.map { .string($0) }
        case (.array, _), (.dictionary, _): .int(0)
        case (.any, .array), (.any, .dictionary): .data(Data([SQLiteColumn.Tag.json.rawValue]))
        default: parameter(value, for: column) ?? value
        }
    }

    func precedence(of identifier: Identifier, in table: SQLiteTable) -> AttributeValue {
        identifier.attributeValue
    }

    // MARK: Lists

    func isIn(
        _ column: SQLiteColumn,
        _ operands: [AttributeValue],
        _ condition: inout SQLiteCondition
    ) -> String? {
        condition.bind(list: operands).map { "\(column.comparable) IN (\($0))" }
    }

    func containsAny(
        _ column: SQLiteColumn,
        _ values: [AttributeValue],
        _ condition: inout SQLiteCondition
    ) -> String? {
        guard let rows = linked(column, values, &condition) else { return nil }
        return condition.keepsUnknown
            ? "CASE WHEN \(column.sql) IS NOT NULL THEN \(rows.test) END" : rows.test
    }

    /// The rows that have one of some elements, by a link table; nil if there is none that has them.
    func linked(
        _ column: SQLiteColumn,
        _ values: [AttributeValue],
        _ condition: inout SQLiteCondition
    ) -> SQLiteLinkedRows? {
        guard let link = links[ObjectIdentifier(column)], values.allSatisfy(\.isExactInJSON),
            let list = condition.bind(list: values)
        else { return nil }
        let count = condition.parameters.count
        return SQLiteLinkedRows(link, list, of: condition.table, parameters: count)
    }

    func contains(
        _ column: SQLiteColumn,
        _ value: AttributeValue,
        _ condition: inout SQLiteCondition
    ) -> String? {
        switch (column.kind, value) {
        case (.array, .string(let text)) where !text.utf8.contains(0):
            guard let parameter = condition.bind(value) else { return nil }
            return """
                CASE WHEN \(column.sql) IS NOT NULL THEN EXISTS (SELECT 1 FROM \
                json_each(\(column.sql)) AS e WHERE e.type = 'text' AND e.value = \(parameter)) END
                """
        // SQLite reads numbers from JSON with an error in the last place.
        case (.array, _), (.any, _): return nil
        default: return "NULL"
        }
    }

    // MARK: Texts

    func has(
        _ text: String,
        at place: SQLTextPlace,
        _ column: SQLiteColumn,
        _ condition: inout SQLiteCondition
    ) -> String? {
        if place == .end, text.isEmpty { return column.whereText("1") }
        if place == .start, !condition.keepsUnknown, !text.isEmpty, let next = text.next {
            guard let first = condition.bind(.string(text)),
                let end = condition.bind(.string(next))
            else { return nil }
            return "\(column.sql) >= \(first) AND \(column.sql) < \(end)"
        }
        guard let parameter = condition.bind(.string(text)) else { return nil }
        // As blobs, since they would end at U+0000; a part of an empty one is NULL.
        let (bytes, blob) = ("CAST(\(column.sql) AS BLOB)", "CAST(\(parameter) AS BLOB)")
        if place == .anywhere { return column.whereText("instr(\(bytes), \(blob)) > 0") }
        let count = Int64(text.utf8.count)
        guard let length = condition.bind(.int(place == .start ? count : -count)) else {
            return nil
        }
        let part = "substr(\(bytes), \(place == .start ? "1, " : "")\(length))"
        return column.whereText("coalesce(\(part), x'') = \(blob)")
    }

    // MARK: Relations

    func isKey(_ column: SQLiteColumn, of other: SQLiteTable) -> String? {
        "typeof(\(column.sql)) IN ('integer', 'text')"
    }

    func leads(_ column: SQLiteColumn, to other: SQLiteTable, where condition: String) -> String {
        // Without its affinity, by which a number would be equal to its text.
        """
        \(column.sql) IN (SELECT +\(other.identifierColumn.sql) FROM \(other.name) \
        WHERE \(condition))
        """
    }

    func exists(_ column: SQLiteColumn, in other: SQLiteTable) -> String? {
        let identifier = "\"_modelkit_other\".\(other.identifierColumn.quotedName)"
        return """
            EXISTS (SELECT 1 FROM \(other.name) AS "_modelkit_other" WHERE \(identifier) = \(column.sql) \
            AND typeof(\(identifier)) = typeof(\(column.sql)))
            """
    }
}

typealias SQLiteCondition = SQLCondition<SQLiteDialect>

extension SQLiteCondition {
    /// The values as a list: where there are more than SQLite takes parameters, as one; nil where that would not be
    /// exact.
    fileprivate mutating func bind(list values: [AttributeValue]) -> String? {
        if values.count <= room {
            return values.map { bindAlways($0) }.joined(separator: ", ")
        }
        guard values.allSatisfy(\.isExactInJSON),
            let text = try? StoredJSON.text(of: .array(values))
        else { return nil }
        return bind(.string(text)).map { "SELECT value FROM json_each(\($0))" }
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

extension SQLiteColumn {
    /// A condition on a text, unknown of everything else.
    fileprivate func whereText(_ condition: String) -> String {
        "CASE WHEN typeof(\(sql)) = 'text' THEN \(condition) END"
    }
}
