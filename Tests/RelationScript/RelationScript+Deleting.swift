import ModelKitFields
import ModelKitModels
import ModelKitStores

extension RelationScript {
    /// Deletes a model, or several.
    func delete(_ session: ScriptSession) async throws {
        let kinds = ScriptKind.allCases.filter { world.refs($0).count > $0.usual / 2 }
        let owners = kinds.filter { !ScriptRelation.all(of: $0).isEmpty }
        guard let kind = pick(kinds + owners + owners),
            let ref = pick(world.refs(kind))
        else { return }
        var refs = [ref]
        if chance(15), let other = pick(world.refs(pick(kinds) ?? kind)), other != ref {
            refs.append(other)
        }
        var after = world
        let isAllowed = after.delete(refs)
        // What goes with it is deleted as it is known, so that has to be what is stored.
        for ref in refs { try await freshenAll(with: ref, session) }
        let hasUnloaded = refs.contains { ref in
            ScriptRelation.all(of: ref.kind).contains {
                !session.isLoaded(ref, $0) && !world.members(of: ref, $0).isEmpty
            }
        }
        trace("\(session.name) deletes \(refs)\(isAllowed ? "" : ", which are needed")")
        var edits: [(model: any ScriptModel, amount: Int)] = []
        if isAllowed, stage.reportsEffects, chance(40) {
            // Of what is left, the keys change with it.
            let affected = after.rows.filter { world.rows[$0.key]?.owners != $0.value.owners }
            for ref in affected.keys.sorted().prefix(2) {
                edits.append((try await fresh(ref, session), random(99)))
                after.setAmount(edits[edits.count - 1].amount, of: ref)
                written.append(ref)
            }
            trace("… and edits \(written)")
            if !edits.isEmpty { note("deletion with edits of members") }
        }
        do {
            try await delete(refs, session, with: edits)
            try session.expect(isAllowed, true, "whether \(refs) may be deleted")
        } catch StoreError.validation {
            try session.expect(isAllowed, false, "whether \(refs) may be deleted")
            return note("refused deletion")
        }
        note("deletion")
        if hasUnloaded { note("deletion of an owner with unloaded members") }
        settle(after, session)
    }

    /// Notes a world where some records are gone.
    func settle(_ after: ScriptWorld, _ session: ScriptSession) {
        for other in sessions {
            for ref in other.refs where after.rows[ref] == nil && world.rows[ref] != nil {
                if other === session || stage.isNotified && other.follows { other.unlink(ref) }
            }
        }
        if !stage.reportsEffects {
            for ref in session.refs where world.rows[ref]?.owners != after.rows[ref]?.owners {
                session.overtaken.insert(ref)
            }
            unloadRelations(session, after.rows.keys)
        }
        world = after
    }

    /// Notes that a store which is not notified of what its deletions do has nothing loaded of the kinds of members.
    private func unloadRelations(_ session: ScriptSession, _ left: some Collection<ScriptRef>) {
        var open = Set(world.rows.keys).subtracting(left).map(\.kind)
        var (kinds, deleted): (Set<ScriptKind>, Set<ScriptKind>) = ([], [])
        while let kind = open.popLast() {
            if !deleted.insert(kind).inserted { continue }
            for relation in ScriptRelation.all(of: kind) {
                kinds.insert(relation.member)
                if relation.cascades { open.append(relation.member) }
            }
        }
        for ref in session.refs {
            for relation in ScriptRelation.all(of: ref.kind)
            where kinds.contains(relation.member) && session.isLoaded(ref, relation) {
                session.setLoaded(false, ref, relation)
            }
        }
    }

    /// Reads what goes with a model again, where another store has written it.
    func freshenAll(with ref: ScriptRef, _ session: ScriptSession) async throws {
        var open = [ref]
        while let ref = open.popLast() {
            if session.stale.contains(ref) || session.overtaken.contains(ref), session[ref] != nil {
                _ = try await lookup(ref, session)
            }
            for relation in ScriptRelation.all(of: ref.kind) where relation.cascades {
                open += world.members(of: ref, relation)
            }
        }
    }

    private func delete(
        _ refs: [ScriptRef],
        _ session: ScriptSession,
        with edits: [(model: any ScriptModel, amount: Int)]
    ) async throws {
        func delete<M: ScriptModel>(_ model: M) async throws {
            _ = try await session.store.delete(model).value
        }
        func delete<M: ScriptModel>(_ type: M.Type, _ identifier: Identifier) async throws {
            try await session.store.delete(type, identifier: identifier).value
        }
        let way = Int.random(in: 0..<3, using: &random)
        if refs.count == 1, way == 0, edits.isEmpty {
            trace("… by its identifier")
            note("deletion by identifier")
            return try await delete(refs[0].kind.type, refs[0].identifier)
        }
        var models: [any ScriptModel] = []
        for ref in refs { models.append(try await fresh(ref, session)) }
        for edit in edits { edit.model.amount.value = edit.amount }
        var parts = [models.map { ModelWrite.delete($0) }, edits.map { .update($0.model) }]
        if chance(50) { parts.reverse() }
        if way == 1, stage.hasTransactions {
            trace("… in a transaction")
            let writes = parts.filter { !$0.isEmpty }
            return try await session.store.transaction { transaction in
                for writes in writes { try transaction.perform(writes) }
            }.value
        }
        if models.count == 1, edits.isEmpty { return try await delete(models[0]) }
        try await session.store.perform(parts.flatMap(\.self)).value
    }

    /// Edits the members of an owner, and writes them together with it.
    func saveGraph(_ session: ScriptSession) async throws {
        guard let relation = pick(ScriptRelation.all), let ref = pick(world.refs(relation.owner))
        else { return }
        let owner = try await fresh(ref, session)
        var view = world
        var made: [(edit: Edit, model: any ScriptModel)] = []
        var taken: [ScriptRef] = []
        let isLoaded = session.isLoaded(ref, relation)
        var models: [ScriptRef: any ScriptModel] = [ref: owner]
        func add(_ edit: Edit, _ model: any ScriptModel) {
            made.append((edit, model))
            if let ref = edit.ref { apply(edit, as: ref, to: &view) }
        }
        if chance(30) { add(Edit(kind: ref.kind, ref: ref, amount: random(99)), owner) }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let isFull = relation.isSingle && !view.members(of: ref, relation).isEmpty
            guard !isFull, view.refs(relation.member).count < relation.member.usual + 4,
                var edit = newEdit(relation.member, random(99), view)
            else { continue }
            edit.owners = [relation.name: [ref]]
            if relation.owner == relation.member, let new = edit.ref, new < ref { continue }
            if made.contains(where: { $0.edit.ref == nil && edit.ref == nil }) { continue }
            add(edit, make(edit))
        }
        let members = world.members(of: ref, relation)
        for member in members where isLoaded && !relation.hasSeveralOwners {
            let model = try await fresh(member, session)
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1: add(Edit(kind: member.kind, ref: member, amount: random(99)), model)
            case 2 where !relation.isRequired:
                if relation.cascades {
                    try await freshenAll(with: member, session)
                    taken.append(member)
                }
                add(Edit(kind: member.kind, ref: member, owners: [relation.name: []]), model)
            case 3 where !relation.isSingle:
                guard let other = pick(world.refs(relation.owner)),
                    relation.owner != relation.member || other < member, other != ref
                else { continue }
                models[other] = try await fresh(other, session)
                let move = Edit(kind: member.kind, ref: member, owners: [relation.name: [other]])
                noteMove(move, session)
                add(move, model)
            default: continue
            }
        }
        trace("\(session.name) saves \(ref) with \(relation.name), \(made.map(\.edit))")
        note("graph")
        for (edit, model) in made {
            perform(edit, model, models, session)
            if edit.isNew, let new = edit.ref { try noteNew(model, new, session) }
        }
        if made.allSatisfy({ $0.edit.ref != nil }) { try session.check(view) }
        written = made.compactMap(\.edit.ref)
        try await relation.save(owner, session.store)
        for (edit, model) in made where edit.ref == nil {
            guard let new = ScriptSession.ref(of: model) else {
                throw ScriptFailure("a created \(edit.kind) has no identifier")
            }
            try noteNew(model, new, session)
            apply(edit, as: new, to: &view)
        }
        if !taken.isEmpty {
            guard view.delete(taken) else { throw ScriptFailure("\(taken) are needed") }
        }
        settle(view, session)
    }

    private func random(_ limit: Int) -> Int { Int.random(in: 1...limit, using: &random) }
}
