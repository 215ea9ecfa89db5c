import ModelKitFields
import ModelKitModels

/// The models that are edited in place of others: a copy of the base of a draft, of each model that it
/// embeds, of each member of its derived relations that are loaded, and of those of all these.
///
/// What is behind a foreign key is shared, unless it is edited here, too.
final class DraftedModels: Sendable {
    /// A model and the one that is edited in its place.
    private struct Pair {
        let original: any Model
        let scratch: any Model
        /// In the order of the schema's fields.
        var baselines: [Baseline] = []
    }

    private struct State {
        var pairs: [Pair] = []
        var byOriginal: [ObjectIdentifier: Int] = [:]
        var byScratch: [ObjectIdentifier: Int] = [:]
        /// How many draft models now that no field has yet, and how many have begun to.
        var drafting = (open: 0, begun: 0)

        mutating func add(_ pair: Pair) {
            byOriginal[ObjectIdentifier(pair.original)] = pairs.count
            byScratch[ObjectIdentifier(pair.scratch)] = pairs.count
            pairs.append(pair)
        }

        func pair(of original: any Model) -> Pair? {
            byOriginal[ObjectIdentifier(original)].map { pairs[$0] }
        }

        func pair(with scratch: any Model) -> Pair? {
            byScratch[ObjectIdentifier(scratch)].map { pairs[$0] }
        }
    }

    private let state = Guarded(State())
    /// The model that is edited in place of the base.
    let root: ObjectIdentifier
    /// Touched when what any of the fields began with is another.
    private let marker = Field<Bool>()

    /// Begins with a model and the one that is edited in its place.
    init(_ base: any Model, as scratch: any Model) {
        root = ObjectIdentifier(scratch)
        draft([base]) { model in model === base ? scratch : Linking.apart(from: model) }
    }

    deinit {
        for pair in state.withLock({ $0.pairs }) { Linking.noteStandIn(pair.scratch, false) }
    }

    /// The baselines of all fields, those of the base first.
    var baselines: [Baseline] { state.withLock { $0.pairs.flatMap(\.baselines) } }

    /// The baselines of a model that is edited here, in the order of the schema's fields.
    func baselines(of scratch: any Model) -> [Baseline] {
        state.withLock { $0.pair(with: scratch)?.baselines } ?? []
    }

    /// The model that is edited in place of another.
    private func scratch(of original: any Model) -> (any Model)? {
        state.withLock { $0.pair(of: original)?.scratch }
    }

    /// The model that another is edited in place of.
    func original(of scratch: any Model) -> (any Model)? {
        state.withLock { $0.pair(with: scratch)?.original }
    }

    private func isKnown(_ model: any Model) -> Bool {
        state.withLock { $0.pair(of: model) != nil || $0.pair(with: model) != nil }
    }

    /// Adds models and those that they embed, unless they are there.
    private func draft(
        _ models: [any Model],
        as make: (any Model) -> any Model = Linking.apart(from:)
    ) {
        var open = models
        var new: [Pair] = []
        while let model = open.popLast() {
            if isKnown(model) { continue }
            let pair = Pair(original: model, scratch: make(model))
            Linking.noteStandIn(pair.scratch, true)
            guard add(pair) else { continue }
            new.append(pair)
            for entry in model.ownSchema.allFields where entry.isDrafted {
                open += entry.field(in: model).modelsInField.reversed()
            }
        }
        if new.isEmpty { return }
        // Not before all are there that they have.
        for pair in new {
            let baselines = pair.original.ownSchema.allFields.map { entry in
                let source = entry.field(in: pair.original)
                let field = entry.field(in: pair.scratch)
                return Baseline(
                    field,
                    source: source,
                    marker,
                    self,
                    of: pair.scratch,
                    as: entry.relationKind
                )
            }
            state.withLock { state in
                guard let index = state.byScratch[ObjectIdentifier(pair.scratch)] else { return }
                state.pairs[index].baselines = baselines
            }
            Baseline.restore(baselines) { $0.origin.revision != 0 || $0.differs }
        }
    }

    /// - Returns: Whether it was added; another thread may have drafted the same model.
    private func add(_ pair: Pair) -> Bool {
        state.withLock { state in
            if state.pair(of: pair.original) != nil { return false }
            state.add(pair)
            return true
        }
    }

    /// Keeps models that are drafted in a closure until fields have them.
    @discardableResult
    func drafting<Result>(_ body: () -> Result) -> Result {
        state.withLock {
            $0.drafting.open += 1
            $0.drafting.begun += 1
        }
        defer { state.withLock { $0.drafting.open -= 1 } }
        return body()
    }

    /// Lets go of the models that neither the fields nor what they began with lead to, unless somebody drafts
    /// others.
    func forgetLost() {
        let (first, drafting) = state.withLock { ($0.pairs.first, $0.drafting) }
        guard let first, drafting.open == 0 else { return }
        var kept: Set<ObjectIdentifier> = []
        var open = [first.scratch]
        while let model = open.popLast() {
            guard kept.insert(ObjectIdentifier(model)).inserted else { continue }
            for baseline in baselines(of: model) where baseline.isDrafted {
                open += baseline.field.heldModels.map(\.model)
                open += baseline.origin.heldModels.map(\.model)
            }
        }
        let lost = state.withLock { state -> [Pair] in
            if state.drafting.begun != drafting.begun { return [] }
            let old = state.pairs
            state = State(drafting: drafting)
            for pair in old where kept.contains(ObjectIdentifier(pair.scratch)) { state.add(pair) }
            return old.filter { !kept.contains(ObjectIdentifier($0.scratch)) }
        }
        for pair in lost { Linking.noteStandIn(pair.scratch, false) }
    }
}

// MARK: From one side to the other

extension DraftedModels {
    /// A value of a field of the base, as its draft has it: with models to edit in place of those that
    /// are edited here, which all of its models are to be where it is drafted.
    func drafted(_ value: AnyField, _ isDrafted: Bool) -> AnyField {
        if isDrafted { draft(value.modelsInField) }
        return value.replacingModels(scratch)
    }

    /// A value of a field of the draft, as the base is to have it.
    func real(_ value: AnyField) -> AnyField { value.replacingModels(original) }

    /// Which models of a value that the base is to have are edited in place of others by another draft: there they
    /// would be new.
    func standIns(in value: AnyField, at path: FieldPath) -> [FieldPath] {
        value.modelsInField.enumerated()
            .filter { Linking.isApart($1) && !isKnown($1) }
            .map { value.elementField == nil ? path : path.appending(index: $0.offset) }
    }

    /// Has models that come into the base, and those that they embed, refer to what is real there.
    func makeReal(_ models: [any Model]) {
        var seen: Set<ObjectIdentifier> = []
        var open = models
        while let model = open.popLast() {
            if isKnown(model) || !seen.insert(ObjectIdentifier(model)).inserted { continue }
            for entry in model.allEntries where entry.holdsModels {
                let field = entry.field(in: model)
                let value = real(field)
                if value !== field { field.take(value, restoring: true) }
                if entry.isDrafted { open += field.modelsInField }
            }
        }
    }
}

extension RelationKind {
    /// Whether the models are edited in a draft, too: they are a part of the model that has them, or its
    /// members.
    var isDrafted: Bool { self != .key }
}

extension ModelSchema.Entry {
    fileprivate var isDrafted: Bool { relationKind?.isDrafted ?? false }
}
