public import ModelKitFields

/// What a server says is wrong.
///
/// ```swift
/// dialect.problem = { response in
///     guard case .dictionary(let members)? = response.value,
///         case .string(let text)? = members["reason"]
///     else { return nil }
///     return RESTProblem(message: text)
/// }
/// ```
public struct RESTProblem: Hashable, Sendable {
    /// What it says of the whole.
    public var message: String?
    /// What it says of values, each with the path that it has in what was sent; the field whose name that is,
    /// is found by the store's `valueTransformerContext`.
    public var issues: [Issue]

    public init(message: String? = nil, issues: [Issue] = []) {
        self.message = message
        self.issues = issues
    }

    /// What is wrong, in whichever of the usual shapes a server says it.
    ///
    /// | shape | of |
    /// |---|---|
    /// | `{"errors": [{"pointer": "/name", "detail": "…"}]}`, `{"invalid-params": [{"name": "name", "reason": "…"}]}` | RFC 9457, RFC 7807 |
    /// | `{"errors": [{"source": {"pointer": "/data/attributes/name"}, "detail": "…"}]}` | JSON:API |
    /// | `{"name": ["…"], "address": {"city": ["…"]}, "non_field_errors": ["…"]}` | Django REST framework |
    /// | `{"errors": {"name": ["…"], "address.city": ["…"], "tags.0": ["…"]}}` | Rails, Laravel |
    /// | `{"errors": {"Address.City": ["…"], "$.tags[0]": ["…"]}}` | ASP.NET |
    /// | `{"errors": [{"field": "name", "defaultMessage": "…", "code": "…"}]}` | Spring |
    /// | `{"violations": [{"propertyPath": "name", "message": "…"}]}` | Symfony, Quarkus |
    /// | `{"errors": {"name": {"message": "…", "kind": "…", "path": "name"}}}` | Mongoose |
    /// | `{"error": {"message": "…", "details": {"errors": [{"path": ["name"], "message": "…"}]}}}` | Strapi |
    /// | `{"error": {"details": [{"path": "/name", "message": "…"}]}}`, `{"error": {"details": {"messages": {"name": ["…"]}}}}` | LoopBack |
    /// | `{"details": [{"path": ["name"], "message": "…"}]}`, `{"validation": {"body": {"keys": ["name"], "message": "…"}}}` | Joi, hapi, celebrate |
    /// | `{"error": {"details": [{"fieldViolations": [{"field": "name", "description": "…"}]}]}}` | Google |
    /// | `{"data": {"name": {"code": "…", "message": "…"}}}` | PocketBase |
    /// | `{"extra": [{"key": "name", "message": "…"}]}` | Litestar |
    /// | `{"detail": [{"loc": ["body", "name"], "msg": "…"}]}` | FastAPI |
    /// | `{"message": {"name": "…"}}` | Flask-RESTful |
    /// | `{"issues": [{"path": ["tags", 0], "message": "…"}]}`, `{"error": {"fieldErrors": {"name": ["…"]}}}` | Zod |
    /// | `{"message": "…", "errors": [{"field": "name", "code": "…"}]}` | GitHub |
    /// | `{"errors": [{"message": "…", "path": ["name"]}]}` | GraphQL |
    /// | `{"message": ["…"], "error": "…"}` | NestJS |
    /// | `{"errors": [{"property": "name", "constraints": {"isNotEmpty": "…"}, "children": []}]}` | class-validator |
    ///
    /// The members of a dictionary are taken for the names of fields only where the status is 400 or 422, and
    /// those with a text only where there is no message of the whole, as they are otherwise about the request. Where
    /// it is not certain that they are fields, the message of the whole stays beside them.
    ///
    /// At most 1000 issues are read, and one whose path has more than 64 parts or 1000 bytes is about the whole.
    ///
    /// - Parameter response: The answer.
    /// - Returns: What it says; nil where it says nothing of the kind.
    public static func usual(_ response: RESTResponse) -> RESTProblem? {
        guard let value = response.value else { return nil }
        var reader = ProblemReader(mayBeFields: [400, 422].contains(response.http.status))
        reader.read(value)
        if reader.message == nil, reader.issues.isEmpty { return nil }
        return RESTProblem(message: reader.message, issues: reader.issues)
    }

    /// Where servers put what they say of the whole, unless a field has that name.
    static let wholeNames: Set<String> = ["detail", "message", "error"]
}
