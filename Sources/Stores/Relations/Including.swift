public import ModelKitFields
public import ModelKitModels
import ModelKitPromises

/// A field of a model that has another model, or several.
///
/// ```swift
/// func load<Relation: ModelRelation>(_ path: any KeyPath<Account, Relation> & Sendable) async throws {
///     let members = try await store.load(accounts, path)
///     print(members.count)
/// }
/// ```
public protocol ModelRelation<Member>: AnyField {
    /// The type of the other model, or of each.
    associatedtype Member: Model
}

extension ModelField: ModelRelation {
    public typealias Member = M
}

extension ArrayField: ModelRelation where Element: Model {
    public typealias Member = Element
}

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
    private(set) var graph: GraphRelation
    /// Loads the relation of some models.
    private(set) var load: @Sendable ([M], any ModelStore) -> Promise<Void>

    /// A relation with one member or several: a key, or keys, or their other side.
    ///
    /// - Parameters:
    ///   - relation: The field.
    ///   - inner: The relations of the members that are wanted, too.
    /// - Returns: What a list takes as `including:`.
    public static func relation<Relation: ModelRelation>(
        _ relation: any KeyPath<M, Relation> & Sendable,
        including inner: Including<Relation.Member>...
    ) -> Including {
        var including = Including(relation)
        including.graph.inner = inner.map(\.graph)
        including.load = { models, store in
            store.loadMembers(of: models, Relation.Member.self) { $0[keyPath: relation] }
                .then { inner.load($0, store) }
        }
        return including
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
