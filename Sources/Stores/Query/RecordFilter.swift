public import ModelKitFields

/// A condition on records, as a value that every store can read.
///
/// Its semantics are the same everywhere: three values, as in SQL. A comparison with a missing or
/// null value, or of values that do not compare, is unknown; so is its negation; and a record is
/// found only where the whole is true. Texts compare by their UTF-8 bytes, numbers by their value
/// whatever their kind. Filters are nested 200 deep at most.
///
/// ```swift
/// let filter = RecordFilter.compare("age", .greaterOrEqual, 18)
/// filter.matches(record.values)
/// ```
public indirect enum RecordFilter: Sendable, Hashable {
    /// How a value is compared with another.
    ///
    /// ```swift
    /// let grown = RecordFilter.compare("age", .greaterOrEqual, 18)
    /// ```
    public enum Comparison: Sendable, Hashable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    }

    case compare(FieldKey, Comparison, AttributeValue)
    case isNull(FieldKey)
    /// Whether the value equals one of a list.
    ///
    /// In an empty list it is false, even if it is null.
    case isIn(FieldKey, [AttributeValue])
    /// Whether an array has an element that equals a value.
    case contains(FieldKey, AttributeValue)
    /// Whether a text starts with another.
    case hasPrefix(FieldKey, String)
    case and([RecordFilter])
    case or([RecordFilter])
    case not(RecordFilter)
}

extension RecordFilter {
    /// Whether the values fulfil the condition: true, and not unknown.
    public func matches(_ values: [FieldKey: AttributeValue]) -> Bool {
        evaluate(values) == true
    }

    /// How deep filters may be nested in each other.
    package static let deepest = 200

    /// Whether more filters than that stand inside of each other.
    package func isDeeper(than depth: Int) -> Bool {
        if depth == 0 { return true }
        switch self {
        case .and(let filters), .or(let filters):
            return filters.contains { $0.isDeeper(than: depth - 1) }
        case .not(let filter): return filter.isDeeper(than: depth - 1)
        case .compare, .isNull, .isIn, .contains, .hasPrefix: return false
        }
    }

    /// The keys of the values that it looks at.
    var keys: Set<FieldKey> {
        switch self {
        case .compare(let key, _, _), .isNull(let key), .isIn(let key, _), .contains(let key, _),
            .hasPrefix(let key, _):
            [key]
        case .and(let filters), .or(let filters):
            filters.reduce(into: []) { $0.formUnion($1.keys) }
        case .not(let filter): filter.keys
        }
    }

    /// The three-valued result; nil is unknown.
    func evaluate(_ values: [FieldKey: AttributeValue]) -> Bool? {
        switch self {
        case .compare(let key, let comparison, let other):
            return values.known(key)?.compare(other).map(comparison.holds)
        case .isNull(let key):
            return values.known(key) == nil
        case .isIn(let key, let others):
            if others.isEmpty { return false }
            guard let value = values.known(key) else { return nil }
            return RecordFilter.any(
                others.lazy.map { other in
                    value.compare(other).map { $0 == .equal }
                }
            )
        case .contains(let key, let other):
            guard case .array(let elements)? = values.known(key) else { return nil }
            return elements.contains { $0.compare(other) == .equal }
        case .hasPrefix(let key, let prefix):
            guard case .string(let text)? = values.known(key) else { return nil }
            return text.utf8.starts(with: prefix.utf8)
        case .and(let filters):
            return RecordFilter.any(filters.lazy.map { $0.evaluate(values).map(!) }).map(!)
        case .or(let filters):
            return RecordFilter.any(filters.lazy.map { $0.evaluate(values) })
        case .not(let filter):
            return filter.evaluate(values).map(!)
        }
    }

    /// True if one is, else unknown if one is, else false.
    private static func any(_ results: some Sequence<Bool?>) -> Bool? {
        var isKnown = true
        for result in results {
            guard let result else {
                isKnown = false
                continue
            }
            if result { return true }
        }
        return isKnown ? false : nil
    }
}

extension RecordFilter.Comparison {
    func holds(_ order: ValueOrder) -> Bool {
        switch self {
        case .equal: order == .equal
        case .notEqual: order != .equal
        case .less: order == .less
        case .lessOrEqual: order != .greater
        case .greater: order == .greater
        case .greaterOrEqual: order != .less
        }
    }
}

extension [FieldKey: AttributeValue] {
    /// The value of a key; nil when it is missing or null.
    func known(_ key: FieldKey) -> AttributeValue? {
        guard let value = self[key], !value.isNull else { return nil }
        return value
    }
}
