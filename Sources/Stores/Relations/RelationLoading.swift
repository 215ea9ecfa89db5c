import ModelKitFields
import ModelKitModels

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
        let session = (self as? any RecordModelStore)?.session
        if let store = self as? any RecordModelStore { store.session.follow(store.records) }
        let owners = models.filter { $0.identifier != nil }
        let fields = owners.compactMap { relation.field(of: $0) }
        let states = fields.map(\.loadState)
        if owners.isEmpty { return .value([]) }
        for field in fields where !field.isLoaded { field.loadState = .loading }
        let query = RecordQuery(filter: relation.filter(owners: owners.compactMap(\.identifier)))
        let asked = session?.now
        return list(Other.self, matching: query).map { members in
            var byOwner: [ObjectIdentifier: [any Model]] = [:]
            for member in members {
                for owner in relation.owners(of: member) {
                    byOwner[ObjectIdentifier(owner), default: []].append(member)
                }
            }
            batch {
                for (owner, field) in zip(owners, fields) {
                    field.set(byOwner[ObjectIdentifier(owner)] ?? []) { member in
                        session?.isStored(member, relation.key, since: asked) ?? false
                    }
                }
            }
            return members
        }
        .recover { error in
            for (field, state) in zip(fields, states) where !field.isLoaded {
                field.loadState = (error as? StoreError)?.isCancelled == true ? state : .error
            }
            throw error
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

extension StoreSession {
    /// Whether a member agrees with the store on its key, so that it is there or was taken away there.
    fileprivate func isStored(
        _ member: any Model,
        _ key: ModelSchema.Entry,
        since asked: UInt64?
    ) -> Bool {
        guard let known = known(member), let asked, known.moment <= asked else { return false }
        return !isWriting(member) && !isEdited(member, key, known)
    }

    private func isEdited(
        _ member: any Model,
        _ key: ModelSchema.Entry,
        _ known: Known
    ) -> Bool {
        let schema = member.classSchema
        guard let slot = schema.fields.firstIndex(where: { $0.name == key.name }) else {
            return true
        }
        let entry = schema.fields[slot]
        switch known.agreements[slot] {
        case .revision(let agreed): return entry.field(in: member).revision > agreed
        case .value(let agreed, _):
            let current = schema.agreedValue(of: entry.field(in: member), entry, in: member)
            return !(agreed ?? .null).isSame(as: current ?? .null)
        }
    }
}

extension StoreError {
    fileprivate var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}
