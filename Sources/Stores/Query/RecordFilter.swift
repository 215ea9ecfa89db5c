public import ModelKitModels

/// A condition on records, as a value that every store can read.
///
/// Its semantics are the same everywhere: three values, as in SQL. A comparison with a missing or
/// null value, or of values that do not compare, is unknown; so is its negation; and a record is
/// found only where the whole is true. Texts compare by their UTF-8 bytes, numbers by their value
/// whatever their kind, -0.0 as 0.0, those of a field of decimals or of unsigned integers also where they are
/// texts; dates by their microseconds. Filters are nested 200 deep at most.
///
/// A related model is the one whose identifier a foreign key has, or the one that is kept inside. What is
/// said of it is unknown where there is none, and where it is unknown of it; but whether any of several
/// fulfils a condition is never unknown: without one that does, it is false.
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
    /// Whether a text ends with another.
    case hasSuffix(FieldKey, String)
    /// Whether a text has another in it.
    case hasSubstring(FieldKey, String)
    /// Whether the related model, which is of the schema's type, fulfils a condition.
    case has(FieldKey, ModelSchema, RecordFilter)
    /// Whether one of the related models does.
    case hasAny(FieldKey, ModelSchema, RecordFilter)
    case and([RecordFilter])
    case or([RecordFilter])
    case not(RecordFilter)
}

extension RecordFilter {
    /// Whether the values fulfil the condition: true, and not unknown.
    ///
    /// What foreign keys lead to is unknown here. Without the schema it is not known which texts are
    /// numbers, as those of decimals are.
    public func matches(
        _ values: [FieldKey: AttributeValue],
        of schema: ModelSchema? = nil
    ) -> Bool {
        evaluate(RecordFacts(values: .dictionary(values), schema: schema, find: nil)) == true
    }

    /// The values of which an array has to contain one, if that is all that is asked.
    package var contained: (key: FieldKey, values: [AttributeValue])? {
        switch self {
        case .contains(let key, let value): return (key, [value])
        case .or(let filters):
            guard case .contains(let key, _)? = filters.first else { return nil }
            var values: [AttributeValue] = []
            for case .contains(key, let value) in filters { values.append(value) }
            return values.count == filters.count ? (key, values) : nil
        default: return nil
        }
    }

    /// How deep filters may be nested in each other.
    package static let deepest = 200

    /// Whether more filters than that stand inside of each other.
    package func isDeeper(than depth: Int) -> Bool {
        if depth == 0 { return true }
        switch self {
        case .and(let filters), .or(let filters):
            return filters.contains { $0.isDeeper(than: depth - 1) }
        case .not(let filter), .has(_, _, let filter), .hasAny(_, _, let filter):
            return filter.isDeeper(than: depth - 1)
        case .compare, .isNull, .isIn, .contains, .hasPrefix, .hasSuffix, .hasSubstring:
            return false
        }
    }

    /// Throws for a key that no field has, and for a relation that is not stored.
    func check(of schema: ModelSchema) throws(StoreError) {
        switch self {
        case .compare(let key, _, _), .isNull(let key), .isIn(let key, _), .contains(let key, _),
            .hasPrefix(let key, _), .hasSuffix(let key, _), .hasSubstring(let key, _):
            try schema.check(keys: CollectionOfOne(key))
        case .has(let key, let partner, let filter), .hasAny(let key, let partner, let filter):
            guard schema.fields.contains(where: { $0.key == key }) else {
                throw .unsupported(
                    "\(schema.name).\(key) is not stored, so no query can look through it"
                )
            }
            try filter.check(of: partner)
        case .and(let filters), .or(let filters):
            for filter in filters { try filter.check(of: schema) }
        case .not(let filter): try filter.check(of: schema)
        }
    }

    /// The types to whose records the foreign keys of a type lead.
    package func partners(of schema: ModelSchema) -> [ModelSchema] {
        switch self {
        case .has(let key, let partner, let filter), .hasAny(let key, let partner, let filter):
            (schema.mayLead(from: key, to: partner) ? [partner] : [])
                + filter.partners(of: partner)
        case .and(let filters), .or(let filters): filters.flatMap { $0.partners(of: schema) }
        case .not(let filter): filter.partners(of: schema)
        case .compare, .isNull, .isIn, .contains, .hasPrefix, .hasSuffix, .hasSubstring: []
        }
    }

    /// The three-valued result; nil is unknown.
    func evaluate(_ facts: some FilterFacts) -> Bool? {
        switch self {
        case .compare(let key, let comparison, let other):
            guard let value = facts.known(key) else { return nil }
            let areNumbers = facts.areNumbers(key, value, [other])
            return value.compare(other, asNumbers: areNumbers).map(comparison.holds)
        case .isNull(let key):
            return facts.known(key) == nil
        case .isIn(let key, let others):
            if others.isEmpty { return false }
            guard let value = facts.known(key) else { return nil }
            return value.isIn(others, asNumbers: facts.areNumbers(key, value, others))
        case .contains(let key, let other):
            guard case .array(let elements)? = facts.known(key) else { return nil }
            return elements.contains { $0.compare(other) == .equal }
        case .hasPrefix(let key, let prefix):
            guard case .string(let text)? = facts.known(key) else { return nil }
            return text.utf8.starts(with: prefix.utf8)
        case .hasSuffix(let key, let suffix):
            guard case .string(let text)? = facts.known(key) else { return nil }
            return text.hasSuffixBytes(suffix)
        case .hasSubstring(let key, let part):
            guard case .string(let text)? = facts.known(key) else { return nil }
            return text.hasBytes(part)
        case .has(let key, let partner, let filter):
            return facts.known(key).flatMap { facts.evaluate(filter, of: partner, $0) }
        case .hasAny(let key, let partner, let filter):
            guard case .array(let elements)? = facts.known(key) else { return false }
            return elements.contains { facts.evaluate(filter, of: partner, $0) == true }
        case .and(let filters):
            return RecordFilter.any(filters.lazy.map { $0.evaluate(facts).map(!) }).map(!)
        case .or(let filters):
            return RecordFilter.any(filters.lazy.map { $0.evaluate(facts) })
        case .not(let filter):
            return filter.evaluate(facts).map(!)
        }
    }

    /// True if one is, else unknown if one is, else false.
    static func any(_ results: some Sequence<Bool?>) -> Bool? {
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

extension RecordValues {
    /// The value of a key; nil when it is missing or null.
    func known(_ key: FieldKey) -> AttributeValue? {
        guard let value = self[key], !value.isNull else { return nil }
        return value
    }
}

extension ModelSchema {
    /// Whether the values of a field are numbers of which some or all are kept as texts.
    func holdsNumberTexts(_ key: FieldKey) -> Bool {
        fields.first { $0.key == key }?.kind.holdsNumberTexts ?? false
    }

    /// Whether a field may have identifiers of another type's models.
    fileprivate func mayLead(from key: FieldKey, to partner: ModelSchema) -> Bool {
        guard let entry = fields.first(where: { $0.key == key }), partner.identifier != nil else {
            return false
        }
        return entry.isForeignKey || !entry.holdsModels
    }
}
