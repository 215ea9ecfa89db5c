import ModelKitFields
import ModelKitModels
import ModelKitStores

extension RelationScript {
    /// Something to do with a model.
    struct Edit: CustomStringConvertible {
        var kind: ScriptKind
        /// nil of a new one whose number the store makes.
        var ref: ScriptRef?
        var isNew = false
        var amount: Int?
        /// The owners by relations.
        var owners: [String: [ScriptRef]] = [:]

        var description: String {
            let name = ref.map { "\($0)" } ?? kind.rawValue
            let amount = amount.map { " amount \($0)" } ?? ""
            return "\(isNew ? "new " : "")\(name)\(amount)\(owners.isEmpty ? "" : " \(owners)")"
        }
    }

    /// Creates, moves, takes out or edits some models.
    func edit(_ session: ScriptSession) async throws {
        var edits: [Edit] = []
        var view = world
        for _ in 0..<(chance(70) ? 1 : Int.random(in: 2...4, using: &random)) {
            guard let edit = makeEdit(view),
                edit.ref == nil || !edits.contains(where: { $0.ref == edit.ref })
            else { continue }
            edits.append(edit)
            // What a later one of them chooses depends on it.
            if let ref = edit.ref { apply(edit, as: ref, to: &view) }
        }
        if edits.isEmpty { return }
        trace("\(session.name) edits \(edits)")
        if edits.count == 1, let ref = edits[0].ref, session.stale.contains(ref), chance(60),
            let model = session[ref]
        {
            return try await updateStale(model, ref, session)
        }
        var models: [any ScriptModel] = []
        var owners: [ScriptRef: any ScriptModel] = [:]
        for edit in edits {
            for ref in edit.owners.values.joined().sorted() where owners[ref] == nil {
                if edits.contains(where: { $0.isNew && $0.ref == ref }) { continue }
                owners[ref] = try await fresh(ref, session)
            }
            if edit.isNew {
                let model = make(edit)
                if let ref = edit.ref { owners[ref] = model }
                models.append(model)
            } else if let ref = edit.ref {
                let model = try await fresh(ref, session)
                owners[ref] = owners[ref] ?? model
                models.append(model)
            }
        }
        for edit in edits { noteMove(edit, session) }
        if chance(50) {
            batch {
                for (edit, model) in zip(edits, models) { perform(edit, model, owners, session) }
            }
        } else {
            for (edit, model) in zip(edits, models) { perform(edit, model, owners, session) }
        }
        for (edit, model) in zip(edits, models) where edit.isNew {
            if let ref = edit.ref { try noteNew(model, ref, session) }
        }
        if edits.allSatisfy({ $0.ref != nil }) { try session.check(view) }
        written = edits.compactMap(\.ref)
        try await write(edits, models, session)
        for (edit, model) in zip(edits, models) {
            guard let ref = ScriptSession.ref(of: model) else {
                throw ScriptFailure("a created \(edit.kind) has no identifier")
            }
            if edit.ref == nil { try noteNew(model, ref, session) }
            apply(edit, as: ref, to: &world)
            if chance(40) { session.held[ref] = model }
        }
    }

    func noteMove(_ edit: Edit, _ session: ScriptSession) {
        guard let ref = edit.ref, !edit.isNew else { return note("create") }
        for (name, owners) in edit.owners {
            guard let relation = ScriptRelation.named(name), let old = world.rows[ref]?.owners[name]
            else { continue }
            note(owners.isEmpty ? "unlink" : old.isEmpty ? "link" : "move")
            let from = old.contains { session.isLoaded($0, relation) }
            let to = owners.contains { session.isLoaded($0, relation) }
            if !old.isEmpty, !owners.isEmpty, from != to {
                note("move between loaded and not loaded")
            }
        }
    }

    /// Notes a model that was made here, whose relations are loaded.
    func noteNew(_ model: any ScriptModel, _ ref: ScriptRef, _ session: ScriptSession) throws {
        try session.note(model, as: ref)
        for relation in ScriptRelation.all(of: ref.kind) { session.setLoaded(true, ref, relation) }
    }

    /// Chooses something to do.
    private func makeEdit(_ view: ScriptWorld) -> Edit? {
        guard let kind = pick(ScriptKind.allCases + [.item, .item, .order, .line]) else {
            return nil
        }
        let refs = view.refs(kind)
        let amount = Int.random(in: 1...99, using: &random)
        if chance(refs.count < kind.usual ? 60 : 8) { return newEdit(kind, amount, view) }
        guard let ref = pick(refs) else { return nil }
        var edit = Edit(kind: kind, ref: ref)
        if chance(20) { edit.amount = amount }
        for relation in ScriptRelation.all(to: kind) where edit.amount == nil || chance(30) {
            if chance(15), !relation.isRequired {
                edit.owners[relation.name] = []
            } else if let owners = owners(of: ref, by: relation, view) {
                edit.owners[relation.name] = owners
            }
            if chance(60) { break }
        }
        if edit.owners.isEmpty, edit.amount == nil { edit.amount = amount }
        return edit
    }

    /// A new model of a type, with owners.
    func newEdit(_ kind: ScriptKind, _ amount: Int, _ view: ScriptWorld) -> Edit? {
        var edit = Edit(kind: kind, isNew: true, amount: amount)
        if !kind.isNumbered {
            let free = (1...(2 * kind.usual))
                .map { ScriptRef(kind: kind, identifier: "\(kind)\($0)".identifier) }
                .filter { view.rows[$0] == nil }
            guard let ref = pick(free) else { return nil }
            edit.ref = ref
        }
        for relation in ScriptRelation.all(to: kind) where relation.isRequired || chance(75) {
            guard let owners = owners(of: edit.ref, by: relation, view) else {
                if relation.isRequired { return nil }
                continue
            }
            edit.owners[relation.name] = owners
        }
        return edit
    }

    /// Chooses owners for a member.
    private func owners(
        of ref: ScriptRef?,
        by relation: ScriptRelation,
        _ view: ScriptWorld
    ) -> [ScriptRef]? {
        var all = view.refs(relation.owner)
        // Two models with each other in their fields would keep each other alive.
        if relation.owner == relation.member, let ref { all = all.filter { $0 < ref } }
        if relation.isSingle { all = all.filter { view.members(of: $0, relation).isEmpty } }
        guard let first = pick(all) else { return nil }
        if !relation.hasSeveralOwners { return [first] }
        let others = all.filter { $0 != first && chance(30) }
        return [first] + others
    }

    func make(_ edit: Edit) -> any ScriptModel {
        let model = edit.kind.type.init()
        if let ref = edit.ref { model["id"] = "\(ref.identifier)" }
        return model
    }

    /// Makes an edit in a model, by its keys or by the owners' fields.
    func perform(
        _ edit: Edit,
        _ model: any ScriptModel,
        _ models: [ScriptRef: any ScriptModel],
        _ session: ScriptSession
    ) {
        if let amount = edit.amount { model.amount.value = amount }
        for (name, refs) in edit.owners.sorted(by: { $0.key < $1.key }) {
            guard let relation = ScriptRelation.named(name) else { continue }
            let owners = refs.compactMap { models[$0] }
            // A set of several keys has an order, which their other sides do not have.
            if chance(50) || relation.hasSeveralOwners {
                relation.setOwners(model, owners)
            } else if let owner = owners.first {
                relation.append(owner, model)
            } else {
                for owner in relation.owners(model) { relation.remove(owner, model) }
            }
        }
    }

    func apply(_ edit: Edit, as ref: ScriptRef, to view: inout ScriptWorld) {
        if edit.isNew {
            view.create(ref, edit.amount ?? 0, edit.owners)
        } else {
            if let amount = edit.amount { view.setAmount(amount, of: ref) }
            for (name, owners) in edit.owners {
                ScriptRelation.named(name).map { view.setOwners(owners, of: ref, $0) }
            }
        }
    }

    private func write(
        _ edits: [Edit],
        _ models: [any ScriptModel],
        _ session: ScriptSession
    ) async throws {
        let store = session.store
        let saves = chance(40)
        let writes = zip(edits, models).map { edit, model in
            saves ? ModelWrite.save(model) : edit.isNew ? .create(model) : .update(model)
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            trace("… in a batch")
            note("batch")
            try await store.perform(writes).value
        case 1 where stage.hasTransactions:
            trace("… in a transaction")
            note("transaction")
            let isBatch = chance(50)
            try await store.transaction { transaction in
                if isBatch { return try transaction.perform(writes) }
                for (edit, model) in zip(edits, models) {
                    if saves {
                        try transaction.save(model)
                    } else if edit.isNew {
                        try transaction.create(model)
                    } else {
                        try transaction.update(model)
                    }
                }
            }.value
        default:
            // Servers may answer those that are asked for at once in any order.
            for write in writes {
                for outcome in try await store.perform(independently: [write]).value {
                    try outcome.get()
                }
            }
        }
    }

    /// Updates a model of which another store has written the amount, which is a conflict.
    func updateStale(
        _ model: any ScriptModel,
        _ ref: ScriptRef,
        _ session: ScriptSession
    ) async throws {
        func update<M: ScriptModel>(_ model: M) async throws {
            _ = try await session.store.update(model).value
        }
        let amount = Int.random(in: 100...199, using: &random)
        trace("\(session.name) sets the amount of \(ref) to \(amount), which is a conflict")
        model.amount.value = amount
        do {
            try await update(model)
            throw ScriptFailure("\(session.name) has written over \(ref), which it has not read")
        } catch StoreError.conflict { note("conflict") }
        _ = try await lookup(ref, session)
        try await update(model)
        world.setAmount(amount, of: ref)
        for other in sessions where other !== session && other[ref] != nil {
            other.stale.insert(ref)
            other.overtaken.insert(ref)
        }
    }
}
