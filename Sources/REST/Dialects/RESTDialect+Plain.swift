extension RESTDialect {
    /// That of `RESTHandler`, which takes every query, and has conflicts, batches and revisions.
    ///
    /// | what | how |
    /// |---|---|
    /// | a filter | `filter={"ge":["age",18]}` |
    /// | an order | `sort=name,-age` |
    /// | a page | `limit=50&after=…` |
    /// | a list | `{"items": […], "next": "/people?…"}` |
    /// | how many there are | `limit=0&_count=true`, and `"count"` beside the items |
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
                return Array(try coder.parameters(of: listing.query, of: listing.schema))
            },
            pagination: .next(),
            envelope: .list("items")
        )
        dialect.honoursIfMatch = true
        dialect.countPath = ["count"]
        dialect.isPlain = true
        return dialect
    }()
}
