import ModelKitStores

extension RelationScript {
    /// The model of a record as it is stored now: the one in use, unless it is not known to be that.
    func fresh(_ ref: ScriptRef, _ session: ScriptSession) async throws -> any ScriptModel {
        if let model = session[ref], !session.stale.contains(ref), !session.overtaken.contains(ref),
            chance(80)
        {
            return model
        }
        return try await lookup(ref, session)
    }

    func lookup(_ ref: ScriptRef, _ session: ScriptSession) async throws -> any ScriptModel {
        func open<M: ScriptModel>(_ type: M.Type) async throws -> any ScriptModel {
            try await session.store.lookup(type, identifier: ref.identifier).value
        }
        // It keeps what is in use alive.
        let used = session[ref]
        let model = try await open(ref.kind.type)
        if let used, used !== model {
            throw ScriptFailure("\(session.name) has looked up another object of \(ref)")
        }
        _ = try session.noteRead(model)
        if chance(50) { session.held[ref] = model }
        return model
    }

    /// Loads a relation of some owners.
    func load(_ session: ScriptSession) async throws {
        guard let relation = pick(ScriptRelation.all) else { return }
        if chance(15) {
            trace("\(session.name) lists \(relation.owner) including \(relation.name)")
            note("list including")
            return try await loadAll(relation, session)
        }
        let all = world.refs(relation.owner)
        var owners = Set<ScriptRef>()
        for _ in 0..<(chance(70) ? 1 : 3) { pick(all).map { _ = owners.insert($0) } }
        try await load(relation, owners.sorted(), session)
    }

    func load(
        _ relation: ScriptRelation,
        _ refs: [ScriptRef],
        _ session: ScriptSession
    ) async throws {
        if refs.isEmpty { return }
        trace("\(session.name) loads \(relation.name) of \(refs)")
        note("load")
        var owners: [any ScriptModel] = []
        for ref in refs {
            let owner: any ScriptModel
            if let used = session[ref] {
                owner = used
            } else {
                owner = try await lookup(ref, session)
            }
            session.held[ref] = owner
            owners.append(owner)
        }
        let found = try await relation.load(owners, session.store)
        let members = try found.map { try session.noteRead($0) }
        var expected = Set<ScriptRef>()
        for ref in refs {
            session.setLoaded(true, ref, relation)
            expected.formUnion(world.members(of: ref, relation))
        }
        let ordered = expected.sorted {
            (world.rows[$0]?.place ?? 0) < (world.rows[$1]?.place ?? 0)
        }
        try session.expect(members, ordered, "what the load of \(relation.name) of \(refs) gives")
        if refs.count == 1, let value = relation.members(owners[0]) {
            let value = value.compactMap { ScriptSession.ref(of: $0) }
            try session.expect(value, ordered, "the order of \(relation.name) of \(refs)")
        }
    }

    func unload(_ session: ScriptSession) {
        guard let key = pick(session.loaded.sorted { "\($0)" < "\($1)" }),
            let relation = ScriptRelation.named(key.relation)
        else { return }
        unload(relation, key.owner, session)
    }

    func unload(_ relation: ScriptRelation, _ ref: ScriptRef, _ session: ScriptSession) {
        guard let owner = session[ref] else { return }
        trace("\(session.name) unloads \(relation.name) of \(ref)")
        note("unload")
        relation.unload(owner, session.store)
        session.setLoaded(false, ref, relation)
    }

    func letGo(_ session: ScriptSession) {
        trace("\(session.name) lets go")
        note("let go")
        let percent = chance(20) ? 100 : 40
        for ref in session.held.keys.sorted() where chance(percent) { session.held[ref] = nil }
    }

    /// Has the other store know what was committed: by itself, or as it reads it.
    func notifyOthers(_ session: ScriptSession, _ before: ScriptWorld) async throws {
        for other in sessions where other !== session {
            for ref in other.refs {
                guard let row = world.rows[ref] else { continue }
                guard let old = before.rows[ref], old != row || written.contains(ref) else {
                    continue
                }
                other.overtaken.insert(ref)
                if old.amount != row.amount { other.stale.insert(ref) }
            }
            if !stage.isNotified || !other.follows { try await readAgain(other, before) }
        }
    }

    /// Reads all that has changed: models in use by looking them up, loaded relations by a load.
    private func readAgain(_ session: ScriptSession, _ before: ScriptWorld) async throws {
        let changed = session.refs.filter {
            before.rows[$0] != world.rows[$0] || session.overtaken.contains($0)
        }
        for ref in changed {
            guard world.rows[ref] != nil else {
                do {
                    _ = try await lookup(ref, session)
                    throw ScriptFailure("\(session.name) finds \(ref), which was deleted")
                } catch StoreError.notFound {}
                // Nothing else lets go of what it has loaded.
                if let model = session[ref] {
                    for relation in ScriptRelation.all(of: ref.kind) {
                        relation.unload(model, session.store)
                    }
                }
                session.forget(ref)
                continue
            }
            if session.stale.contains(ref), let model = session[ref], chance(30) {
                try await updateStale(model, ref, session)
            } else {
                _ = try await lookup(ref, session)
            }
        }
        for relation in ScriptRelation.all {
            let owners = session.loaded.filter { $0.relation == relation.name }.map(\.owner)
                .sorted()
                .filter { session[$0] != nil }
            try await load(relation, owners, session)
        }
    }
}
