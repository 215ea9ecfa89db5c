import ModelKitModels

// What deletions do to loaded relations where the records are elsewhere, so that no notification of it comes.

extension StoreSession {
    /// Has members in use lose owners that were deleted elsewhere, as it was done there: that is no edit of theirs.
    func releaseMembers(of writes: [RecordWrite]) {
        var relations: [(owner: any Model, relation: DerivedRelation)] = []
        var gone: [ObjectIdentifier: Set<Identifier>] = [:]
        for owner in writes.filter(\.isDeletion).compactMap(\.source?.model) {
            for relation in owner.classSchema.derivedRelations where !relation.cascades {
                relations.append((owner, relation))
                guard let identifier = owner.identifier else { continue }
                gone[ObjectIdentifier(relation.key), default: []].insert(identifier)
            }
        }
        // All owners at once: one that a member has still would come back into its key, as another object.
        for (owner, relation) in relations {
            for member in relation.field(of: owner)?.members ?? [] {
                release(member, from: gone[ObjectIdentifier(relation.key)] ?? [], relation)
            }
        }
    }

    private func release<M: Model>(
        _ member: M,
        from owners: Set<Identifier>,
        _ relation: DerivedRelation
    ) {
        let key = relation.key.key
        guard let known = known(member), let stored = known.base?.dictionary(of: M.schema)[key]
        else { return }
        let left = stored.without(owners)
        // The member may have the owner by an edit alone.
        if left.isSame(as: stored) { return }
        applyKeys([key: left], to: member, known, revision: known.revision)
    }

    /// Makes the loaded relations not loaded whose members may have been changed by deletions elsewhere.
    func unloadRelations(after writes: [RecordWrite]) {
        var (seen, types): (Set<String>, Set<String>) = ([], [])
        for write in writes where write.isDeletion {
            if !seen.insert(write.schema.name).inserted { continue }
            types.formUnion(write.schema.typesOfMembers.map(\.name))
        }
        if !types.isEmpty { unloadRelations(of: types) }
    }

    /// Makes the loaded relations with members of some types not loaded, as nobody knows what they are now; but for those
    /// that have what is not stored yet, which would be lost with them.
    func unloadRelations(of types: Set<String>) {
        forEachLoadedRelation(of: types) { if !hasUnstored($0) { $0.unload() } }
    }

    /// Takes models out of loaded relations, as their records are gone.
    func leaveRelations(_ models: [any Model]) {
        let gone = Set(models.map { ObjectIdentifier($0) })
        func isGone(_ model: any Model) -> Bool { gone.contains(ObjectIdentifier(model)) }
        forEachLoadedRelation(of: Set(models.map { $0.classSchema.name })) { field in
            if field.members.contains(where: isGone) {
                field.set(field.members.filter { !isGone($0) }, unless: isGone)
            }
        }
    }

    /// Does something with the loaded relations that may have members of some types.
    private func forEachLoadedRelation(of types: Set<String>, _ body: (DerivedField) -> Void) {
        let models = identities.lock.withLock { identities.all.compactMap(\.model) }
        for model in models {
            for relation in model.classSchema.derivedRelations
            where relation.partners.contains(where: { types.contains($0.name) }) {
                guard let field = relation.field(of: model), field.isLoaded, known(model) != nil
                else { continue }
                body(field)
            }
        }
    }

    /// Whether members were taken out of a relation that are stored in it, or have edits that it alone may keep.
    private func hasUnstored(_ field: DerivedField) -> Bool {
        !field.taken.isEmpty || field.members.contains { known($0) == nil || hasEdits($0) }
    }
}
