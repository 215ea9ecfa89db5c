public import ModelKitFields
public import ModelKitModels
import ModelKitPromises

/// A relation that is to be loaded together with the models that have it, and relations of its members.
///
/// ```swift
/// let accounts = try await store.list(
///     Account.self,
///     including: .relation(\.entries, including: .relation(\.category))
/// ).value
/// ```
///
/// Where no relation of the members is wanted, the key path alone will do: `including: \.entries`.
public struct Including<M: Model>: Sendable {
    /// The same for writes.
    let graph: GraphRelation
    /// Loads the relation of some models.
    let load: @Sendable ([M], any ModelStore) -> Promise<Void>

    /// A relation with several members: the other side of a key, or keys.
    ///
    /// - Parameters:
    ///   - relation: The field.
    ///   - inner: The relations of the members that are wanted, too.
    /// - Returns: What a list takes as `including:`.
    public static func relation<Other: Model>(
        _ relation: any KeyPath<M, ModelArrayField<Other>> & Sendable,
        including inner: Including<Other>...
    ) -> Including {
        Including(relation, inner) { $0[keyPath: relation] }
    }

    /// A relation with one member: a key, or the other side of one.
    ///
    /// - Parameters:
    ///   - relation: The field.
    ///   - inner: The relations of the members that are wanted, too.
    /// - Returns: What a list takes as `including:`.
    public static func relation<Other: Model>(
        _ relation: any KeyPath<M, ModelField<Other>> & Sendable,
        including inner: Including<Other>...
    ) -> Including {
        Including(relation, inner) { $0[keyPath: relation] }
    }

    /// The relation that a key path leads to.
    init(_ path: any PartialKeyPath<M> & Sendable) {
        graph = GraphRelation { path.appending(to: $0) }
        load = { models, store in
            func open<Other: Model>(_ type: Other.Type) -> Promise<Void> {
                store.loadMembers(of: models, type) { $0[keyPath: path] as? AnyField }.map { _ in }
            }
            let entry = M.schema.relationEntry { path.appending(to: $0) }
            guard let partner = entry?.partnerSchema else {
                return .failed(StoreError.unsupported("\(path) is no relation of \(M.modelName)"))
            }
            return open(partner.modelType)
        }
    }

    private init<Other: Model>(
        _ path: any PartialKeyPath<M> & Sendable,
        _ inner: [Including<Other>],
        _ field: @escaping @Sendable (M) -> AnyField?
    ) {
        graph = GraphRelation(field: { path.appending(to: $0) }, inner: inner.map(\.graph))
        load = { models, store in
            store.loadMembers(of: models, Other.self, field).then { inner.load($0, store) }
        }
    }
}

extension PartialKeyPath {
    /// The field of a model.
    fileprivate func appending(to model: any Model) -> AnyField? {
        (model as? Root)?[keyPath: self] as? AnyField
    }
}

extension Array {
    /// Loads all of the relations, one after the other.
    func load<M: Model>(_ models: [M], _ store: any ModelStore) -> Promise<Void>
    where Element == Including<M> {
        guard let first, !models.isEmpty else { return .value(()) }
        let rest = Array(dropFirst())
        return first.load(models, store).then { rest.load(models, store) }
    }
}
