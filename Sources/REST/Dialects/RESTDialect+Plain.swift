import ModelKitFields
import ModelKitStores

extension RESTDialect {
    /// That of `RESTHandler`, which takes every query, and has conflicts, batches and revisions.
    ///
    /// | what | how |
    /// |---|---|
    /// | a filter | `filter={"ge":["age",18]}` |
    /// | an order | `sort=name,-age` |
    /// | a page | `limit=50&after=…` |
    /// | a list | `{"items": […], "next": "/people?…"}` |
    /// | an error | `application/problem+json` (RFC 9457) |
    /// | a conflict | `If-Match: "3"` and status 412 |
    ///
    /// A model of a server that sends no revision in its member `_meta` is named by its `ETag`, as with other
    /// dialects.
    public static let plain: RESTDialect = {
        var dialect = RESTDialect(
            name: "the plain dialect",
            query: { listing in
                let coder = QueryCoder(in: listing.context)
                var query = listing.query
                query.filter = query.filter?.withoutNaN
                let parameters = try coder.parameters(of: query, of: listing.schema)
                return parameters.sorted { $0.key < $1.key }.compactMap { name, value in
                    guard case .string(let text) = value else { return nil }
                    return QueryParameters.Parameter(name: name, value: text)
                }
            },
            pagination: .next(),
            envelope: .list("items")
        )
        dialect.honoursIfMatch = true
        dialect.isPlain = true
        return dialect
    }()

    /// Whether the dialect itself sends the place after which a page begins.
    var sendsCursors: Bool { isPlain }
}

extension RecordFilter {
    /// The same with null for each NaN, which no JSON says: whatever is compared with either is unknown.
    fileprivate var withoutNaN: RecordFilter {
        switch self {
        case .compare(let key, let comparison, let value):
            .compare(key, comparison, value.withoutNaN)
        case .isIn(let key, let values): .isIn(key, values.map(\.withoutNaN))
        case .contains(let key, let value): .contains(key, value.withoutNaN)
        case .has(let key, let schema, let filter): .has(key, schema, filter.withoutNaN)
        case .hasAny(let key, let schema, let filter): .hasAny(key, schema, filter.withoutNaN)
        case .and(let filters): .and(filters.map(\.withoutNaN))
        case .or(let filters): .or(filters.map(\.withoutNaN))
        case .not(let filter): .not(filter.withoutNaN)
        case .isNull, .hasPrefix, .hasSuffix, .hasSubstring: self
        }
    }
}

extension AttributeValue {
    fileprivate var withoutNaN: AttributeValue {
        if case .double(let number) = self, number.isNaN { return .null }
        return self
    }
}
