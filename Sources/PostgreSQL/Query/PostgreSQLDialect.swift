import ModelKitModels
import ModelKitSQL
import ModelKitStores

typealias PostgreSQLCondition = SQLCondition<PostgreSQLDialect>

/// How PostgreSQL says conditions.
///
/// It compares values of one type only: what is compared with a column is turned into a value of its type with which
/// the same comparison, or another one, says the same.
struct PostgreSQLDialect: SQLDialect {
    static let yes = "true"
    static let no = "false"
    // PostgreSQL takes 65 535.
    static let mostParameters = 30_000
    static func placeholder(_ number: Int) -> String { "$\(number)" }

    // MARK: Order

    func sortOperand(
        _ value: AttributeValue,
        for column: PostgreSQLColumn
    ) -> PostgreSQLParameter? {
        if value.isNull { return nil }
        switch column.stored {
        case .array, .dictionary: return .int(0)
        case .any: return .text(PostgreSQLVariant.operand(value) ?? "z")
        case _ where column.holdsKeyTexts:
            let identifier = try? Identifier(attributeValue: value)
            return precedence(of: identifier ?? .string(""), as: column.stored)
        default:
            let number = column.stored.holdsNumberTexts ? value.numberForm(of: column.stored) : nil
            return PostgreSQLParameter(number ?? value, as: column.stored)
        }
    }

    func precedence(of identifier: Identifier, in table: PostgreSQLTable) -> PostgreSQLParameter {
        precedence(of: identifier, as: table.identifierColumn.stored)
    }

    /// What `PostgreSQLColumn.precedence` makes of an identifier.
    private func precedence(
        of identifier: Identifier,
        as stored: AttributeKind
    ) -> PostgreSQLParameter {
        switch (stored, identifier) {
        case (.unsigned, .int(let number)):
            let digits = String(number)
            return .text(
                "n" + String(repeating: "0", count: max(0, 19 - digits.utf8.count)) + digits
            )
        case (.unsigned, .string(let text)): return .text("s" + text)
        case (.decimal, .string(let text)): return .text(text)
        default: return PostgreSQLParameter(identifier.attributeValue, as: stored)
        }
    }

    // MARK: Lists

    func isIn(
        _ column: PostgreSQLColumn,
        _ operands: [PostgreSQLParameter],
        _ condition: inout PostgreSQLCondition
    ) -> String? {
        condition.bind(PostgreSQLParameter(list: operands, as: column.stored)).map { list in
            "\(column.comparable) = ANY(\(list))"
        }
    }

    // As jsonb, which the index of an array's elements has.

    func containsAny(
        _ column: PostgreSQLColumn,
        _ values: [AttributeValue],
        _ condition: inout PostgreSQLCondition
    ) -> String? {
        var texts: [PostgreSQLParameter] = []
        for value in values {
            guard column.kind == .array, case .string(let text) = value else { return nil }
            // No element has U+0000.
            if !text.utf8.contains(0) { texts.append(.text(text)) }
        }
        return condition.bind(PostgreSQLParameter(list: texts, as: .string)).map { list in
            "\(column.sql)::jsonb ?| \(list)"
        }
    }

    func contains(
        _ column: PostgreSQLColumn,
        _ value: AttributeValue,
        _ condition: inout PostgreSQLCondition
    ) -> String? {
        let exact: AttributeValue
        switch (column.kind, value) {
        case (.array, .bool): exact = value
        // Of a double beyond these not all digits are in JSON.
        case (.array, .int(let number)) where number.magnitude <= 1 << 53: exact = value
        case (.array, .double(let number)) where number.magnitude <= 0x1p53:
            guard let whole = Int64(exactly: number) else { return nil }
            exact = .int(whole)
        case (.array, _), (.any, _): return nil
        default: return "NULL"
        }
        let parameter = PostgreSQLParameter(.jsonb) { bytes throws(ValueRefusal) in
            // The version of the format.
            bytes.append(1)
            bytes.append(contentsOf: try AttributeKind.json(exact).utf8)
        }
        return condition.bind(parameter).map { "\(column.sql)::jsonb @> \($0)" }
    }

    // MARK: Texts

    func has(
        _ text: String,
        at place: SQLTextPlace,
        _ column: PostgreSQLColumn,
        _ condition: inout PostgreSQLCondition
    ) -> String? {
        guard let own = column.stored.text(column.sql) else { return "NULL" }
        // Which no text has.
        if text.utf8.contains(0) { return "\(own) IS NULL AND NULL" }
        let tag = column.stored == .any ? PostgreSQLVariant.Tag.string.rawValue : ""
        if place == .start, !condition.keepsUnknown, column.stored.isCollated,
            !(tag + text).isEmpty, let next = (tag + text).next
        {
            guard let first = condition.bind(.text(tag + text)),
                let end = condition.bind(.text(next))
            else { return nil }
            return "\(column.comparable) >= \(first) AND \(column.comparable) < \(end)"
        }
        guard let part = condition.bind(.text(text)) else { return nil }
        return switch place {
        case .start: "starts_with(\(own), \(part))"
        // Characters end where bytes do.
        case .end: "right(\(own), length(\(part))) = \(part)"
        case .anywhere: "strpos(\(own), \(part)) > 0"
        }
    }

    // MARK: Relations

    func isKey(_ column: PostgreSQLColumn, of other: PostgreSQLTable) -> String? {
        column.stored == other.identifierColumn.stored ? "\(column.sql) IS NOT NULL" : nil
    }

    func leads(
        _ column: PostgreSQLColumn,
        to other: PostgreSQLTable,
        where condition: String
    ) -> String {
        """
        \(column.sql) IN (SELECT \(other.identifierColumn.sql) FROM \(other.name) \
        WHERE \(condition))
        """
    }

    func exists(_ column: PostgreSQLColumn, in other: PostgreSQLTable) -> String? {
        let (kind, otherKind) = (column.stored, other.identifierColumn.stored)
        var key = column.sql
        var identifier = "\"_modelkit_other\".\(other.identifierColumn.quotedName)"
        if kind != otherKind {
            // One of them was made before UUIDs had a type of their own.
            guard kind.withoutUUIDs == otherKind.withoutUUIDs, let text = kind.text(key),
                let otherText = otherKind.text(identifier)
            else { return nil }
            (key, identifier) = (text, otherText)
        }
        return """
            EXISTS (SELECT 1 FROM \(other.name) AS "_modelkit_other" WHERE \(identifier) = \(key))
            """
    }
}
