public import ModelKitModels

/// How a server wants to be asked, and how it answers: what the paths and the fields of models do not say.
///
/// ``plain`` is that of `RESTHandler`, ``djangoREST`` that of Django REST framework. Another one is a
/// value made of a few parts:
///
/// ```swift
/// let shop = RESTDialect(
///     name: "the shop",
///     query: RESTDialect.query { condition in
///         condition.comparison == .equal
///             ? .init(name: condition.names.joined(separator: "."), value: condition.text) : nil
///     } order: { orders in
///         .init(name: "sort", value: orders.map { ($0.isDescending ? "-" : "") + $0.names[0] }
///             .joined(separator: ","))
///     },
///     pagination: .cursor("cursor", at: ["meta", "next"], size: "limit"),
///     envelope: .key("data")
/// )
/// ```
///
/// What a dialect cannot say is an `.unsupported` error that names it, and nothing is sent: a list is never
/// more than what was asked for.
public struct RESTDialect: Sendable {
    /// What messages call it.
    public var name: String
    /// The parameters of a list: its conditions and its order.
    ///
    /// It throws `StoreError.unsupported` for what it cannot say; see ``query(condition:order:)``.
    public var query: @Sendable (RESTListing) throws -> [QueryParameters.Parameter]
    /// How a list goes on.
    public var pagination: RESTPagination
    /// What is around models and lists.
    public var envelope: RESTEnvelope
    /// What is wrong, from an answer that is no success; nil where it does not say.
    public var problem: @Sendable (RESTResponse) -> RESTProblem?
    /// The method of an update: `.patch`, with the fields that were edited, or `.put`, with all.
    ///
    /// With `.put` a model of which a field was neither read nor set cannot be updated, as the server would
    /// lose what it has there.
    public var updateMethod = HTTPMethod.patch
    /// Whether the identifier is among the values of an update, too, and not in its path alone.
    ///
    /// JSON:API wants it there; `serializeModel` puts it where it belongs.
    public var namesIdentifierInUpdates = false
    /// Whether the server is known to refuse a write whose `If-Match` is not the record's tag.
    ///
    /// Many servers ignore the field, so a conflict with another client is found out only where this is said.
    /// A model that came last by a list, or by an answer without a strong `ETag`, is written whatever there is, but
    /// for one of a `RESTHandler`, which has its revision everywhere, and where ``versionPath`` says what the tag
    /// is.
    public var honoursIfMatch = false
    /// Where an object that the server sends has its version, as `["_etag"]` or `["meta", "version"]`; nil where it
    /// has none.
    ///
    /// It is a text or a number, and counts as the record's tag where the answer itself has no `ETag`, so that a
    /// model that came by a list can meet a conflict. It is looked for in what the server sends, before
    /// `deserializeModel`.
    public var versionPath: [String]?
    /// Where the answer to a list has the number of all models that its conditions ask for, whatever its limit, as
    /// `["count"]`; nil where it has none, so that models cannot be counted.
    public var countPath: [String]?
    /// Parameters that every lookup and every list of a type has, as `include=author`.
    public var readParameters: @Sendable (any Model.Type) -> [QueryParameters.Parameter] = { _ in []
    }
    /// The `Content-Type` of a PATCH with JSON; some servers remove what is null in `application/merge-patch+json`
    /// alone.
    public var patchContentType = "application/json"
    /// Whether a new model's identifier is sent if it was made here; else the server makes one.
    public var sendsMadeIdentifiers = true
    /// Whether a field that is not in an answer is nil on the server; else nothing is known of it.
    public var absentIsNull = false
    /// Whether a list of models that is inside of another model has all of them: asked with the type of that model
    /// and the path of its field.
    ///
    /// One that has all makes its relation loaded. One that has a part, as the last ten comments of a post, says so
    /// of its models alone: the relation stays as loaded as it was. So does that of a list in which a model has
    /// no identifier.
    public var embedsWholeLists: @Sendable (any Model.Type, FieldPath) -> Bool = { _, _ in true }
    /// Whether the server is a `RESTHandler`, which has batches, conflicts and revisions.
    var isPlain = false

    /// A dialect; what is not said is as most servers have it.
    ///
    /// - Parameters:
    ///   - name: What messages call it.
    ///   - query: The parameters of a list; by default none can be said.
    ///   - pagination: How a list goes on.
    ///   - envelope: What is around models and lists.
    ///   - problem: What is wrong, from an answer that is no success.
    public init(
        name: String,
        query: @escaping @Sendable (RESTListing) throws -> [QueryParameters.Parameter] =
            RESTDialect.query(condition: { _ in nil }, order: { _ in nil }),
        pagination: RESTPagination = .none,
        envelope: RESTEnvelope = .bare,
        problem: @escaping @Sendable (RESTResponse) -> RESTProblem? = RESTProblem.usual
    ) {
        self.name = name
        self.query = query
        self.pagination = pagination
        self.envelope = envelope
        self.problem = problem
    }

    /// The parameters of a list, one for each of the conditions that all have to hold, and one for the order.
    ///
    /// - Parameters:
    ///   - condition: The parameter of a condition; nil for one that cannot be said.
    ///   - order: The parameter of the orders, the first one first; nil where there can be none. It is not
    ///     asked where no order is asked for.
    /// - Returns: What a dialect has as its `query`.
    public static func query(
        condition: @escaping @Sendable (RESTCondition) -> QueryParameters.Parameter?,
        order: @escaping @Sendable ([RESTOrder]) -> QueryParameters.Parameter?
    ) -> @Sendable (RESTListing) throws -> [QueryParameters.Parameter] {
        { listing in
            var parameters: [QueryParameters.Parameter] = []
            for each in try listing.conditions() {
                guard let parameter = condition(each) else { throw listing.refusal(of: "\(each)") }
                parameters.append(parameter)
            }
            let orders = try listing.orders()
            if orders.isEmpty { return parameters }
            guard let parameter = order(orders) else { throw listing.refusal(of: "an order") }
            return parameters + [parameter]
        }
    }
}
