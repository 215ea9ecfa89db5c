import ModelKitFields
import ModelKitModels
import ModelKitStores

/// A store object of a script, and what has to be known of its models.
final class ScriptSession {
    struct Loaded: Hashable {
        let owner: ScriptRef
        let relation: String
    }

    private struct Seen {
        weak let model: (any ScriptModel)?
    }

    let name: String
    let store: any RecordModelStore
    /// The models that the script keeps alive.
    var held: [ScriptRef: any ScriptModel] = [:]
    /// All models that it has seen, as far as somebody keeps them.
    private var seen: [ScriptRef: Seen] = [:]
    /// The relations that have to be loaded, while their owners are in use.
    private(set) var loaded: Set<Loaded> = []
    /// Whether it has had loaded relations or deleted an owner, so that it follows what others commit.
    private(set) var follows = false
    /// The models of which others have written the amount.
    var stale: Set<ScriptRef> = []
    /// The models whose revision others have changed, which this session need not know.
    var overtaken: Set<ScriptRef> = []

    init(_ name: String, _ store: any RecordModelStore) {
        (self.name, self.store) = (name, store)
    }

    /// The model in use of a record.
    subscript(ref: ScriptRef) -> (any ScriptModel)? {
        guard let model = seen[ref]?.model else {
            forget(ref)
            return nil
        }
        return model
    }

    var refs: [ScriptRef] { seen.keys.sorted().filter { self[$0] != nil } }

    func isLoaded(_ owner: ScriptRef, _ relation: ScriptRelation) -> Bool {
        self[owner] != nil && loaded.contains(Loaded(owner: owner, relation: relation.name))
    }

    func setLoaded(_ isLoaded: Bool, _ owner: ScriptRef, _ relation: ScriptRelation) {
        if isLoaded { follows = true }
        let key = Loaded(owner: owner, relation: relation.name)
        if isLoaded { loaded.insert(key) } else { loaded.remove(key) }
    }

    /// Notes a model, which is to be the one that was in use.
    func note(_ model: any ScriptModel, as ref: ScriptRef) throws {
        if let known = self[ref], known !== model {
            throw ScriptFailure("\(name) has two objects of \(ref)")
        }
        seen[ref] = Seen(model: model)
    }

    /// Notes a model that was read now.
    func noteRead(_ model: any Model) throws -> ScriptRef {
        guard let ref = Self.ref(of: model), let model = model as? any ScriptModel else {
            throw ScriptFailure("\(name) has read a model without an identifier")
        }
        try note(model, as: ref)
        stale.remove(ref)
        overtaken.remove(ref)
        return ref
    }

    /// Lets go of a model that was deleted, which has kept its keys.
    func unlink(_ ref: ScriptRef) {
        seen[ref]?.model?.unlink()
        forget(ref)
    }

    /// Lets go of what is known of a record.
    func forget(_ ref: ScriptRef) {
        seen[ref] = nil
        held[ref] = nil
        stale.remove(ref)
        overtaken.remove(ref)
        loaded = loaded.filter { $0.owner != ref }
    }

    /// Lets go of all models, which have to be freed.
    ///
    /// - Parameter expectsFreed: Whether that is so: not where a store is not notified of what its deletions do.
    /// - Throws: A `ScriptFailure` for one that somebody keeps.
    func dropAll(expectsFreed: Bool = true) async throws {
        for ref in refs {
            guard let model = self[ref] else { continue }
            for relation in ScriptRelation.all(of: ref.kind) { relation.unload(model, store) }
        }
        let models = seen
        held = [:]
        seen = [:]
        (loaded, stale, overtaken) = ([], [], [])
        for (ref, box) in models where expectsFreed {
            var tries = 0
            // The thread that has read it may be about to let go of it.
            while box.model != nil {
                tries += 1
                if tries > 500 { throw ScriptFailure("\(name) keeps \(ref) that nobody has") }
                try await Task.sleep(for: .milliseconds(min(tries, 10)))
            }
        }
    }

    static func ref(of model: any Model) -> ScriptRef? {
        guard let identifier = model.identifier,
            let kind = ScriptKind.allCases.first(where: { $0.type == type(of: model) })
        else { return nil }
        return ScriptRef(kind: kind, identifier: identifier)
    }
}

/// What is otherwise than the plain values say.
package struct ScriptFailure: Error, CustomStringConvertible {
    package var description: String

    init(_ description: String) { self.description = description }
}

extension ScriptSession {
    /// Compares all models in use with what has to be.
    func check(_ world: ScriptWorld) throws {
        for ref in Array(seen.keys) {
            guard let model = self[ref] else { continue }
            guard let row = world.rows[ref] else {
                throw ScriptFailure("\(name): \(ref) is not there any more")
            }
            if !stale.contains(ref) {
                try expect(model.amount.value, row.amount, "the amount of \(ref)")
            }
            for relation in ScriptRelation.all(to: ref.kind) {
                let owners = relation.owners(model).map { Self.ref(of: $0) }
                let expected = row.owners[relation.name] ?? []
                try expect(owners, expected, "the key of \(relation.name) of \(ref)")
            }
            for relation in ScriptRelation.all(of: ref.kind) {
                try check(relation, of: model, ref, world)
            }
        }
    }

    private func check(
        _ relation: ScriptRelation,
        of owner: any ScriptModel,
        _ ref: ScriptRef,
        _ world: ScriptWorld
    ) throws {
        let what = "\(relation.name) of \(ref)"
        let (members, computed) = (relation.members(owner), relation.computed(owner))
        guard isLoaded(ref, relation) else {
            try expect(relation.loadState(owner), .notLoaded, "the load state of \(what)")
            try expect(members == nil, true, "whether \(what) have no value")
            try expect(computed?.total, nil, "the total of \(what)")
            return try expect(computed?.count, nil, "the count of \(what)")
        }
        try expect(relation.loadState(owner), .loaded, "the load state of \(what)")
        let expected = world.members(of: ref, relation)
        let found = (members ?? []).map { Self.ref(of: $0) }
        try expect(found.compactMap { $0 }.sorted(), expected.sorted(), what)
        try expect(found.count, expected.count, "the number of \(what)")
        for case let (member as any ScriptModel, ref?) in zip(members ?? [], found) {
            try note(member, as: ref)
        }
        guard let computed else { return }
        try expect(computed.count, expected.count, "the count of \(what)")
        if stale.isDisjoint(with: expected) {
            let total = expected.reduce(0) { $0 + (world.rows[$1]?.amount ?? 0) }
            try expect(computed.total, total, "the total of \(what)")
        }
    }

    func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
        if found != expected {
            throw ScriptFailure("\(name): \(what) must be \(expected), not \(found)")
        }
    }
}
