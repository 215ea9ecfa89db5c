public import ModelKitModels
public import ModelKitEssentials

/// What a path leads to: one model, or all of a type, of an owner or of nobody.
///
/// ```swift
/// let route = Route(
///     Employee.schema,
///     45,
///     of: [Route.Owner(Company.schema, 10, field: "employees")]
/// )
/// try router.path(of: route)   // "/companies/10/employees/45"
/// ```
public struct Route: Hashable, Sendable {
    /// A model in whose path another one stands.
    ///
    /// ```swift
    /// let owner = Route.Owner(Company.schema, 10, field: "employees")
    /// ```
    public struct Owner: Hashable, Sendable {
        /// What it is.
        public var schema: ModelSchema
        /// The identifier that its path has; nil of a type that has one model only.
        public var identifier: Identifier?
        /// Its field that what follows is in; nil if no field of it is known to hold that.
        public var field: FieldKey?

        public init(_ schema: ModelSchema, _ identifier: Identifier?, field: FieldKey? = nil) {
            self.schema = schema
            self.identifier = identifier
            self.field = field
        }
    }

    /// What it leads to.
    public var schema: ModelSchema
    /// The identifier that the path has; nil for all models of the type, or for the only one.
    public var identifier: Identifier?
    /// The owners, outermost first.
    public var owners: [Owner]

    public init(_ schema: ModelSchema, _ identifier: Identifier? = nil, of owners: [Owner] = []) {
        self.schema = schema
        self.identifier = identifier
        self.owners = owners
    }
}

/// Why there is no path.
///
/// ```swift
/// do {
///     print(try router.instancePath(for: person))
/// } catch {
///     print(error)   // Person has no identifier
/// }
/// ```
public enum RouteError: Error, Hashable, Sendable {
    /// The model, or the field that stands for its identifier, has no value.
    case noIdentifier(type: String)
    /// The identifier is an empty text, with which the path would lead to all models.
    case emptyIdentifier(type: String)
    /// The field is none of the model's.
    case noField(type: String)
}

extension RouteError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .noIdentifier(let type): "\(type) has no identifier"
        case .emptyIdentifier(let type): "\(type) has an empty identifier"
        case .noField(let type): "\(type) has no such field, or it is not known whose it is"
        }
    }
}
