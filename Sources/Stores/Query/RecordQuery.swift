public import ModelKitModels

/// What records a store is asked for.
///
/// ```swift
/// let query = RecordQuery(filter: .isNull("age"), limit: 10)
/// ```
public struct RecordQuery: Sendable, Hashable {
    /// One key that records are sorted by.
    ///
    /// Missing and null values come last, both ways. Where kinds are mixed, numbers come before
    /// texts, booleans, dates, data and the rest.
    ///
    /// ```swift
    /// let youngestFirst = RecordQuery.Order("age", isDescending: false)
    /// ```
    public struct Order: Sendable, Hashable {
        public var key: FieldKey
        public var isDescending: Bool

        public init(_ key: FieldKey, isDescending: Bool = false) {
            self.key = key
            self.isDescending = isDescending
        }
    }

    public var filter: RecordFilter?
    /// The keys to sort by, the first one first, and then by the identifier.
    ///
    /// Without any the records come in the order of their creation.
    public var order: [Order]
    /// So many records at most.
    public var limit: Int?
    /// Only those that come after a place in the answer.
    public var after: PageCursor?
    /// Without so many at the begin of the answer, which only records that are `JudgedRecords` know of.
    package var offset = 0

    public init(
        filter: RecordFilter? = nil,
        order: [Order] = [],
        limit: Int? = nil,
        after: PageCursor? = nil
    ) {
        self.filter = filter
        self.order = order
        self.limit = limit
        self.after = after
    }

    /// Throws `.unsupported` for a filter that is nested too deep to be looked through safely and for a
    /// place in the answer to another query, and `.schema` for a key that no field has.
    package func check(of schema: ModelSchema) throws(StoreError) {
        if let filter {
            if filter.isDeeper(than: RecordFilter.deepest) {
                throw .unsupported("the filter is nested more than \(RecordFilter.deepest) deep")
            }
            try filter.check(of: schema)
        }
        try schema.check(keys: order.map(\.key))
        if let after, after.query != fingerprint(of: schema) {
            if after.query == fingerprint(of: schema, sortsNumbers: false) {
                throw .unsupported(
                    "the cursor is of a version that sorted numbers as texts: begin with the first page"
                )
            }
            throw .unsupported("the cursor belongs to a page of another query")
        }
    }

    /// The answer to the query from records in the order of their creation.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - schema: Their type, without which it is not known which texts are numbers, as those of decimals
    ///     are.
    ///   - related: Finds a record of another type, to which a foreign key leads.
    /// - Returns: The records that are asked for, in the order that is asked for.
    public func answer<Records: Sequence<Record>>(
        from records: Records,
        of schema: ModelSchema? = nil,
        related: (Identifier, ModelSchema) -> Record? = { _, _ in nil }
    ) -> [Record] {
        withoutActuallyEscaping(related) { related in
            let test = filter.map { FilterTest($0, of: schema, find: related) }
            let limit = max(0, limit ?? .max)
            let last = after?.record(in: self)
            let terms = sortTerms(of: schema)
            var found: [Record] = []
            for record in records {
                if test?.holds(for: record) == false { continue }
                if let last, !follows(record, last, terms) { continue }
                if order.isEmpty, found.count == limit { break }
                found.append(record)
            }
            if order.isEmpty { return found }
            found.sort { $0.precedes($1, terms) }
            return found.count > limit ? Array(found.prefix(limit)) : found
        }
    }

    /// Whether a record comes after the last one of the page before.
    private func follows(_ record: Record, _ last: Record, _ terms: [SortTerm]) -> Bool {
        order.isEmpty ? last.place < record.place : last.precedes(record, terms)
    }

    /// What records are sorted by.
    func sortTerms(of schema: ModelSchema?) -> [SortTerm] {
        order.map { order in
            SortTerm(
                key: order.key,
                slot: schema?.fields.firstIndex { $0.key == order.key } ?? 0,
                isDescending: order.isDescending,
                areNumbers: schema?.holdsNumberTexts(order.key) ?? false
            )
        }
    }
}

/// One field that records are sorted by.
struct SortTerm {
    let key: FieldKey
    /// The place of the field in the schema, if that is known.
    let slot: Int
    let isDescending: Bool
    /// Whether the values are numbers of which some or all are kept as texts.
    let areNumbers: Bool

    /// Whether one of two values comes before the other: null last, both ways; nil if neither does.
    func precedes(_ left: AttributeValue, _ right: AttributeValue) -> Bool? {
        switch left.listOrder(right, asNumbers: areNumbers) {
        case .equal: nil
        case .less: !isDescending || right.isNull
        case .greater: isDescending && !left.isNull
        }
    }
}

extension Record {
    /// Whether it comes before another in an order, and then by the identifier.
    func precedes(_ other: Record, _ terms: [SortTerm]) -> Bool {
        for term in terms {
            let isFirst = term.precedes(self[term.key] ?? .null, other[term.key] ?? .null)
            if let isFirst { return isFirst }
        }
        return identifier.precedes(other.identifier)
    }
}

extension RecordQuery {
    /// Why a list cannot have so many models as its limit says; nil if it can.
    var limitRefusal: StoreError? {
        guard let limit, limit < 0 else { return nil }
        return .unsupported("a list of \(limit) models")
    }
}
