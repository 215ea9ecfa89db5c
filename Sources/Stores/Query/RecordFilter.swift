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
    /// How a value is compared with another; the raw value is its name in queries to servers.
    ///
    /// ```swift
    /// let grown = RecordFilter.compare("age", .greaterOrEqual, 18)
    /// ```
    public enum Comparison: String, Sendable, Hashable {
        case equal = "eq"
        case notEqual = "ne"
        case less = "lt"
        case lessOrEqual = "le"
        case greater = "gt"
        case greaterOrEqual = "ge"
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
    /// Whether one of the related models does, or the only one.
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
        FilterTest(self, of: schema) { _, _ in nil }
            .holds(for: Record(identifier: "", revision: 0, values: values))
    }

    /// Whether a foreign key leads to a record of a type, or of one below it.
    static func isStored(_ key: FieldKey, _ partner: ModelSchema) -> RecordFilter {
        .or(([partner] + partner.subclasses).map { .hasAny(key, $0, .and([])) })
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

    /// The key that is asked about; nil where filters are joined.
    var key: FieldKey? {
        switch self {
        case .compare(let key, _, _), .isNull(let key), .isIn(let key, _), .contains(let key, _),
            .hasPrefix(let key, _), .hasSuffix(let key, _), .hasSubstring(let key, _),
            .has(let key, _, _), .hasAny(let key, _, _):
            key
        case .and, .or, .not: nil
        }
    }

    /// The filters on the same record that are joined in this one.
    package var parts: [RecordFilter] {
        switch self {
        case .and(let filters), .or(let filters): filters
        case .not(let filter): [filter]
        default: []
        }
    }

    /// What is asked of related models.
    package var relation: (partner: ModelSchema, filter: RecordFilter)? {
        switch self {
        case .has(_, let partner, let filter), .hasAny(_, let partner, let filter):
            (partner, filter)
        default: nil
        }
    }

    /// The keys of the record that are asked about.
    var keys: [FieldKey] { key.map { [$0] } ?? parts.flatMap(\.keys) }

    /// How deep filters may be nested in each other.
    package static let deepest = 200

    /// Whether more filters than that stand inside of each other.
    package func isDeeper(than depth: Int) -> Bool {
        depth == 0 || parts.contains { $0.isDeeper(than: depth - 1) }
            || relation?.filter.isDeeper(than: depth - 1) ?? false
    }

    /// Throws for a key that no field has, and for a relation that is not stored.
    func check(of schema: ModelSchema) throws(StoreError) {
        for filter in parts { try filter.check(of: schema) }
        guard let key else { return }
        guard let (partner, filter) = relation else {
            return try schema.check(keys: CollectionOfOne(key))
        }
        guard schema.fields.contains(where: { $0.key == key }) else {
            throw .unsupported(
                "\(schema.name).\(key) is not stored, so no query can look through it"
            )
        }
        try filter.check(of: partner)
    }

    /// What holds for the records of which a relation that this looks through leads to one of some others, which
    /// are given by the names of their types.
    func leading(to others: [String: Set<Identifier>]) -> [RecordFilter] {
        guard let key, let (partner, filter) = relation else {
            return parts.flatMap { $0.leading(to: others) }
        }
        var inner = filter.leading(to: others)
        if let identity = partner.identifier, let found = others[partner.name] {
            inner.append(.isIn(identity.key, found.map(\.attributeValue)))
        }
        if case .hasAny = self { return inner.map { .hasAny(key, partner, $0) } }
        return inner.map { .has(key, partner, $0) }
    }

    /// The types to whose records the foreign keys of a type lead.
    package func partners(of schema: ModelSchema) -> [ModelSchema] {
        guard let key, let (partner, filter) = relation else {
            return parts.flatMap { $0.partners(of: schema) }
        }
        return (schema.mayLead(from: key, to: partner) ? [partner] : [])
            + filter.partners(of: partner)
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
