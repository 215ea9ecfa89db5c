import ModelKitFields
import ModelKitModels
import ModelKitStores

extension RESTDialect {
    /// That of `RESTHandler`, which is told every query, and has conflicts, batches and revisions.
    ///
    /// | what | how |
    /// |---|---|
    /// | a filter | `filter={"ge":["age",18]}` |
    /// | an order | `sort=name,-age` |
    /// | a page | `limit=50&after=…` |
    /// | a list | `{"items": […], "next": "/people?…"}` |
    /// | an error | `application/problem+json` (RFC 9457) |
    /// | a conflict | `If-Match: "3"` and status 412 |
    public static let plain: RESTDialect = {
        var dialect = RESTDialect(
            name: "the plain dialect",
            query: { listing in
                let coder = QueryCoder(in: listing.context)
                let parameters = try coder.parameters(of: listing.query, of: listing.schema)
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

    /// Whether the dialect itself tells of the place after which a page begins.
    var tellsCursors: Bool { isPlain }
}
