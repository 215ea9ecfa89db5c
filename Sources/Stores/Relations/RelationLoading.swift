import ModelKitFields
import ModelKitModels
import ModelKitPromises

extension ModelStore {
    /// Loads a relation of some models.
    ///
    /// - Parameters:
    ///   - models: The models.
    ///   - type: The type of the members.
    ///   - field: The field of a model.
    /// - Returns: The members: of a derived relation those that are stored, in the order of their creation;
    ///   of keys all that they lead to.
    func loadMembers<M: Model, Other: Model>(
        of models: [M],
        _ type: Other.Type,
        _ field: @Sendable (M) -> AnyField?
    ) -> Promise<[Other]> {
        guard let model = models.first, let sample = field(model) else { return .value([]) }
        let schema = model.classSchema
        if let relation = schema.derivedRelation(of: sample, in: model) {
            return loadDerived(relation, of: models)
        }
        let keys = models.compactMap { field($0) }
        guard keys.allSatisfy(\.isKeyField) else {
            let message =
                "\(schema.name) keeps the models of this field itself; they are always there"
            return .failed(StoreError.unsupported(message))
        }
        return loadKeys(keys, type)
    }

    private func loadDerived<M: Model, Other: Model>(
        _ relation: DerivedRelation,
        of models: [M]
    ) -> Promise<[Other]> {
        let store = self as? any RecordModelStore
        if let store { store.session.follow(store.records) }
        let session = store?.session
        let owners = models.compactMap { model in
            model.identifier.flatMap { identifier in
                relation.field(of: model).map { (model: model, identifier: identifier, field: $0) }
            }
        }
        if owners.isEmpty { return .value([]) }
        let states = owners.map { $0.field.loadState == .loading ? .notLoaded : $0.field.loadState }
        for owner in owners where !owner.field.isLoaded { owner.field.loadState = .loading }
        let finish = session?.keepCommits()
        let restore = { @Sendable (state: LoadState?) in
            for (owner, before) in zip(owners, states)
            where !owner.field.isLoaded && owner.field.loadState == .loading {
                owner.field.loadState = state ?? before
            }
        }
        let load = MemberLoad(relation, owners.map(\.identifier), session) { members, isGone in
            var byOwner: [ObjectIdentifier: [any Model]] = [:]
            for member in members {
                for owner in relation.owners(of: member) {
                    byOwner[ObjectIdentifier(owner), default: []].append(member)
                }
            }
            batch {
                for owner in owners {
                    owner.field.set(byOwner[ObjectIdentifier(owner.model)] ?? [], unless: isGone)
                }
            }
        }
        return members(load, tries: 20)
            .recover { error in
                if (error as? StoreError)?.isCancellation != true { restore(.error) }
                throw error
            }
            // Also of a load that nobody waits for any more.
            .finally {
                restore(nil)
                finish?()
            }
    }

    /// Lists the members and sets them, again where some of them were written meanwhile.
    private func members<Other: Model>(_ load: MemberLoad, tries: Int) -> Promise<[Other]> {
        let (asked, start) = (load.session?.now, load.session?.commitsEnd ?? 0)
        return list(Other.self, matching: load.query).then { found in
            if load.isOld(found, since: start) {
                guard tries > 0 else { throw load.isWrittenTooOften }
                return members(load, tries: tries - 1)
            }
            load.set(found) { member in
                load.session?.isStored(member, load.relation.key, since: asked) ?? false
            }
            // What was committed before they were set, they do not follow.
            if tries > 0, load.isOld(found, since: start) {
                return members(load, tries: tries - 1)
            }
            return .value(found)
        }
    }

    /// Reads what keys lead to and is not known yet.
    private func loadKeys<Other: Model>(_ keys: [AnyField], _ type: Other.Type) -> Promise<[Other]>
    {
        var seen: Set<ObjectIdentifier> = []
        let models = keys.flatMap(\.modelsInField).compactMap { $0 as? Other }
            .filter { seen.insert(ObjectIdentifier($0)).inserted }
        let missing = models.filter(\.hasGaps).compactMap(\.identifier)
        guard !missing.isEmpty, let identity = Other.schema.identifier else {
            return .value(models)
        }
        let filter = RecordFilter.isIn(identity.key, missing.map(\.attributeValue))
        return list(Other.self, matching: RecordQuery(filter: filter)).map { _ in models }
    }
}

extension AnyField {
    /// The filter of the members of an owner whose field this is.
    func memberFilter(and more: RecordFilter?) throws(StoreError) -> RecordFilter {
        guard let owner = relatedOwner,
            let relation = owner.classSchema.derivedRelation(of: self, in: owner)
        else {
            throw .unsupported("a list of a field that is not the other side of a key")
        }
        guard let identifier = owner.identifier else {
            throw .noIdentifier(type: owner.classSchema.name)
        }
        let filter = relation.filter(owner: identifier)
        return more.map { .and([filter, $0]) } ?? filter
    }
}

extension RecordQuery {
    /// The same query of the members of an owner, whose field is given.
    func adding(membersOf relation: AnyField) throws(StoreError) -> RecordQuery {
        var query = self
        query.filter = try relation.memberFilter(and: filter)
        return query
    }
}

/// A load of the members of some owners.
private struct MemberLoad: Sendable {
    let relation: DerivedRelation
    let session: StoreSession?
    let query: RecordQuery
    let set: @Sendable (_ members: [any Model], _ isGone: (any Model) -> Bool) -> Void
    private let owners: Set<Identifier>

    init(
        _ relation: DerivedRelation,
        _ owners: [Identifier],
        _ session: StoreSession?,
        _ set: @escaping @Sendable ([any Model], (any Model) -> Bool) -> Void
    ) {
        (self.relation, self.session, self.set) = (relation, session, set)
        query = RecordQuery(filter: relation.filter(owners: owners))
        self.owners = Set(owners)
    }

    /// Whether something was committed since a place that the members may not have.
    func isOld(_ members: [any Model], since start: Int) -> Bool {
        guard let session else { return false }
        lazy var identifiers = Set(members.compactMap(\.identifier))
        return session.hasCommits(since: start) { commit in
            guard let partner = relation.partners.first(where: { $0.name == commit.type }) else {
                return false
            }
            guard let identifier = commit.identifier else { return true }
            if let own = commit.own, let member = session.object(partner, identifier),
                session.known(member)?.revision ?? 0 >= own
            {
                return false
            }
            if commit.keys.contains(where: { !owners.isDisjoint(with: $0.owners) }) { return true }
            return identifiers.contains(identifier)
        }
    }

    var isWrittenTooOften: StoreError {
        let message = "\(relation.partner.name) is written faster than it can be read"
        return .unavailable(message, .notApplied)
    }
}
