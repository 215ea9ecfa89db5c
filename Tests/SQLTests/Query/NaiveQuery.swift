import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores

/// What queries mean, said once more and in the simplest way: over dictionaries, with numbers as the digits
/// that the C library prints.
struct NaiveQuery {
    typealias Values = [FieldKey: AttributeValue]

    /// The records that foreign keys lead to, by the bytes of their identifiers.
    let accounts: [[UInt8]: Values]

    /// The fields that hold numbers, and whether their texts are numbers.
    private static let numbers: [FieldKey: Bool] = [
        "price": true, "wide": true, "level": true, "balance": true, "count": false,
        "weight": false,
    ]

    func answer(_ query: RecordQuery, from rows: [(String, Values)]) -> [String] {
        var found = rows.filter { row in
            query.filter.map { holds($0, row.1) == true } ?? true
        }
        if !query.order.isEmpty {
            found.sort { left, right in
                for order in query.order {
                    switch (known(order.key, left.1), known(order.key, right.1)) {
                    case (nil, nil): continue
                    case (nil, _): return false
                    case (_, nil): return true
                    case (let one?, let other?):
                        let result = Self.compare(order.key, one, other) ?? 0
                        if result != 0 { return order.isDescending ? result > 0 : result < 0 }
                    }
                }
                return left.0.utf8.lexicographicallyPrecedes(right.0.utf8)
            }
        }
        let names = found.map(\.0)
        return query.limit.map { Array(names.prefix($0)) } ?? names
    }

    private func known(_ key: FieldKey, _ values: Values) -> AttributeValue? {
        // Not by a `nil` that would be the null value.
        guard let value = values[key], !value.isNull else { return Optional.none }
        return value
    }

    /// True, false, or unknown.
    private func holds(_ filter: RecordFilter, _ values: Values) -> Bool? {
        switch filter {
        case .compare(let key, let comparison, let other):
            guard let value = known(key, values), let order = Self.compare(key, value, other)
            else { return nil }
            switch comparison {
            case .equal: return order == 0
            case .notEqual: return order != 0
            case .less: return order < 0
            case .lessOrEqual: return order <= 0
            case .greater: return order > 0
            case .greaterOrEqual: return order >= 0
            }
        case .isNull(let key): return known(key, values) == nil
        case .isIn(let key, let others):
            if others.isEmpty { return false }
            return any(others.map { holds(.compare(key, .equal, $0), values) })
        case .contains(let key, let other):
            guard case .array(let elements)? = known(key, values) else { return nil }
            return elements.contains { element in
                Self.compare("", element, other).map { $0 == 0 } ?? false
            }
        case .hasPrefix(let key, let part):
            return text(key, values).map { $0.starts(with: part.utf8) }
        case .hasSuffix(let key, let part):
            return text(key, values).map { $0.reversed().starts(with: part.utf8.reversed()) }
        case .hasSubstring(let key, let part):
            return text(key, values).map { bytes in
                let part = Array(part.utf8)
                return part.isEmpty
                    || bytes.indices.contains { bytes[$0...].starts(with: part) }
            }
        case .has(let key, _, let inner):
            guard let other = known(key, values).flatMap(related) else { return nil }
            return holds(inner, other)
        case .hasAny(let key, _, let inner):
            guard case .array(let elements)? = known(key, values) else { return false }
            return elements.contains { related($0).flatMap { holds(inner, $0) } ?? false }
        case .and(let filters):
            return any(filters.map { holds($0, values).map { !$0 } }).map { !$0 }
        case .or(let filters): return any(filters.map { holds($0, values) })
        case .not(let inner): return holds(inner, values).map { !$0 }
        }
    }

    private func any(_ results: [Bool?]) -> Bool? {
        results.contains(true) ? true : results.contains(nil) ? nil : false
    }

    private func text(_ key: FieldKey, _ values: Values) -> [UInt8]? {
        guard case .string(let text)? = known(key, values) else { return nil }
        return Array(text.utf8)
    }

    private func related(_ value: AttributeValue) -> Values? {
        switch value {
        case .string(let identifier): accounts[Array(identifier.utf8)]
        case .dictionary(let values):
            Dictionary(uniqueKeysWithValues: values.map { (FieldKey($0), $1) })
        default: nil
        }
    }

    // MARK: Values

    /// Less than 0, 0, or more; nil if they do not compare.
    private static func compare(
        _ key: FieldKey,
        _ left: AttributeValue,
        _ right: AttributeValue
    ) -> Int? {
        if let areTexts = numbers[key] {
            guard let left = Number(left, areTexts), let right = Number(right, areTexts) else {
                return nil
            }
            return left.compare(right)
        }
        switch (left, right) {
        case (.string(let left), .string(let right)):
            return order(Array(left.utf8), Array(right.utf8))
        case (.data(let left), .data(let right)): return order(Array(left), Array(right))
        case (.bool(let left), .bool(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
        case (.date(let left), .date(let right)):
            let difference =
                (left.timeIntervalSinceReferenceDate * 1e6).rounded()
                - (right.timeIntervalSinceReferenceDate * 1e6).rounded()
            return difference < 0 ? -1 : difference > 0 ? 1 : 0
        default: return nil
        }
    }

    private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    /// A number with all digits before the point and after it.
    private struct Number {
        var isNegative = false
        var whole = ""
        var fraction = ""

        init?(_ value: AttributeValue, _ areTexts: Bool) {
            let text: String
            switch value {
            case .int(let number): text = "\(number)"
            case .double(let number):
                if number.isNaN { return nil }
                // More than any number here, and all of the digits of any other.
                text =
                    number.isInfinite
                    ? (number < 0 ? "-1" : "1") + String(repeating: "0", count: 600)
                    : String(format: "%.1100f", number)
            case .string(let digits):
                guard areTexts, digits.contains(/^-?[0-9]+(\.[0-9]+)?$/) else { return nil }
                text = digits
            default: return nil
            }
            let parts = text.drop { $0 == "-" }.split(separator: ".")
            whole = String(parts[0].drop { $0 == "0" })
            fraction = parts.count > 1 ? String(parts[1]) : ""
            isNegative = text.hasPrefix("-")
        }

        func compare(_ other: Number) -> Int {
            let wide = max(whole.utf8.count, other.whole.utf8.count)
            let deep = max(fraction.utf8.count, other.fraction.utf8.count)
            func digits(_ number: Number) -> String {
                String(repeating: "0", count: wide - number.whole.utf8.count) + number.whole
                    + number.fraction
                    + String(repeating: "0", count: deep - number.fraction.utf8.count)
            }
            let (left, right) = (digits(self), digits(other))
            let isZero = !left.contains { $0 != "0" }
            let isOtherZero = !right.contains { $0 != "0" }
            let sign = isZero ? 0 : isNegative ? -1 : 1
            let otherSign = isOtherZero ? 0 : other.isNegative ? -1 : 1
            if sign != otherSign { return sign < otherSign ? -1 : 1 }
            return left == right ? 0 : (left < right) == (sign >= 0) ? -1 : 1
        }
    }
}
