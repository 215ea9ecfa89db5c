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
            if after.query == fingerprint(of: schema, numbers: []) {
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
            answer(from: records, schema) { related($0, $1)?.storage }
        }
    }

    private func answer(
        from records: some Sequence<Record>,
        _ schema: ModelSchema?,
        find: @escaping RecordFacts.Find
    ) -> [Record] {
        let limit = max(0, limit ?? .max)
        let last = after?.record(in: self)
        let numbers = schema.map { self.numbers(of: $0) } ?? []
        var found: [Record] = []
        for record in records {
            let facts = RecordFacts(values: record.storage, schema: schema, find: find)
            if let filter, filter.evaluate(facts) != true { continue }
            if let last, !follows(record, last, numbers) { continue }
            if order.isEmpty, found.count == limit { break }
            found.append(record)
        }
        if order.isEmpty { return found }
        found.sort { precedes($0, $1, numbers) }
        return found.count > limit ? Array(found.prefix(limit)) : found
    }

    /// Whether a record comes after the last one of the page before.
    private func follows(_ record: Record, _ last: Record, _ numbers: Set<FieldKey>) -> Bool {
        order.isEmpty ? last.place < record.place : precedes(last, record, numbers)
    }

    /// The keys of the order whose values are numbers of which some or all are kept as texts.
    func numbers(of schema: ModelSchema) -> Set<FieldKey> {
        Set(order.lazy.map(\.key).filter(schema.holdsNumberTexts))
    }

    /// Whether a record comes before another; `numbers` is what `numbers(of:)` gives.
    func precedes(_ left: Record, _ right: Record, _ numbers: Set<FieldKey>) -> Bool {
        for order in order {
            switch (left.storage.known(order.key), right.storage.known(order.key)) {
            case (nil, nil): continue
            case (nil, _): return false
            case (_, nil): return true
            case (let leftValue?, let rightValue?):
                let areNumbers = !numbers.isEmpty && numbers.contains(order.key)
                switch leftValue.listOrder(rightValue, asNumbers: areNumbers) {
                case .equal: continue
                case .less: return !order.isDescending
                case .greater: return order.isDescending
                }
            }
        }
        return left.identifier.precedes(right.identifier)
    }
}
