public import ModelKitModels
public import ModelKitREST
public import ModelKitStores

/// What somebody wants to do with models of a type.
///
/// ```swift
/// if access.action == .delete { return .forbidden }
/// ```
public enum RESTAction: Hashable, Sendable, CaseIterable {
    case lookup, list, create, update, delete
}

/// What a request wants, before anything is done for it.
///
/// Whoever gives a model another owner is asked about that as a `.lookup`, too. About what a deleted model has
/// in fields with `cascadeDelete: true` nobody is asked, whatever the store: who may delete an order deletes
/// its lines. Where that is not meant, refuse the `.delete` of the order.
///
/// ```swift
/// handler.authorize = { access in
///     guard let user = await users.user(of: access.request) else { return .unauthorized() }
///     return access.type == Payroll.self && !user.isAdmin ? .forbidden : .allowed
/// }
/// ```
public struct RESTAccess: Sendable {
    public let request: HTTPRequest
    public let action: RESTAction
    /// The type whose path it is; then also a subclass of it, for models of that; or a type that a filter
    /// asks about.
    public let type: any Model.Type
    /// The identifier that the path has; nil of a collection.
    public let identifier: Identifier?
    /// The models in whose path it is, outermost first; each is asked about by itself after this, as a
    /// `.lookup`.
    public let owners: [Route.Owner]
}

/// What a request may.
///
/// ```swift
/// handler.authorize = { access in
///     access.type == Person.self ? .only(\Person.team == "north") : .allowed
/// }
/// ```
public enum RESTPermission: Sendable {
    case allowed
    /// Only with the models that fulfil a condition: lists have no others, others are not found, and
    /// none may be written so that it does not fulfil it.
    ///
    /// A condition on another type is one on the owners of that type in the path: below one that does not fulfil
    /// it nothing is found or made, and nothing is moved from the path to one that does not. Where the path has no
    /// such owner, the answer is 500.
    case restricted(RecordFilter, of: (any Model.Type)? = nil)
    /// It is not known whose request it is: 401, with the challenge as `WWW-Authenticate`.
    case unauthorized(challenge: String = "Bearer")
    /// 403.
    case forbidden
    /// 404, as if there was no such thing.
    case notFound

    /// Only with the models that fulfil a condition.
    public static func only<M: Model>(_ condition: Condition<M>) -> RESTPermission {
        .restricted(condition.filter, of: M.self)
    }
}
