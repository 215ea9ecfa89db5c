import ModelKitFields

/// Observes the fields that a pattern leads to from a model on.
///
/// The hooks on the fields keep it alive, and nothing else does: the models are held weakly.
///
/// A change of a field with models first changes the graph of those that are observed, then observes the
/// fields of new ones, and is notified at last: what is set later is notified itself, and who is notified that a
/// model has entered sees what was set before. Several threads may do so at once. Whoever has added to
/// the graph observes all that nobody does yet, also what others have added, so that it is done when
/// the own change is delivered. Two may then observe the same field; the first of them stays.
final class ModelWatch: Sendable {
    fileprivate struct State: Sendable {
        /// nil before the start and after the end.
        var graph: WatchGraph?
        var plans: [WatchPlace: [WatchItem]] = [:]
        var body: (@Sendable (ModelChange) -> Bool)?
    }

    let observation = CompositeObservation()
    private let pattern: FieldPattern
    private weak let root: (any Model)?
    private weak let owner: (any AnyObject & Sendable)?
    private let hasOwner: Bool
    private let state: Guarded<State>

    private init(
        _ pattern: FieldPattern,
        of root: any Model,
        by owner: (any AnyObject & Sendable)?,
        _ body: @escaping @Sendable (ModelChange) -> Bool
    ) {
        self.pattern = pattern
        self.root = root
        self.owner = owner
        hasOwner = owner != nil
        state = Guarded(State(body: body))
    }

    /// Whether the root or the owner is gone.
    private var isOver: Bool { root == nil || hasOwner && owner == nil }

    /// Observes a model.
    ///
    /// - Parameters:
    ///   - pattern: Leads to a field.
    ///   - model: The model, with whose life it ends.
    ///   - owner: With its life it ends, too.
    ///   - ending: Is called at the end.
    ///   - body: Is notified of the changes, and returns whether it goes on; released at the end.
    /// - Returns: What ends it.
    static func start(
        _ pattern: FieldPattern,
        of model: any Model,
        by owner: (any AnyObject & Sendable)?,
        ending: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable (ModelChange) -> Bool
    ) -> Observation {
        let watch = ModelWatch(pattern, of: model, by: owner, body)
        watch.observation.whenEnded { [weak watch] in
            watch?.end()
            ending()
        }
        let state = pattern.start
        let root = WatchNode(model, at: state, watch.items(of: model, at: state), isRoot: true)
        watch.state.withLock { $0.graph = WatchGraph(root) }
        watch.observe(root)
        watch.settle()
        return watch.observation
    }

    /// Ends a watch when a field of its root is gone because the root is, or a hook because the owner is.
    ///
    /// Each hook on the root has one, with which it is released: others of the root's fields may live on.
    /// So has each hook with an owner: others are on fields that nobody sets or observes.
    private final class Anchor: Sendable {
        private let watch: ModelWatch

        init(_ watch: ModelWatch) { self.watch = watch }

        deinit { if watch.isOver { watch.observation.cancel() } }
    }

    private func anchor(of node: WatchNode) -> Anchor? {
        node.isRoot || hasOwner ? Anchor(self) : nil
    }

    private func end() {
        let (graph, body) = state.withLock { ($0.graph.take(), $0.body.take()) }
        withExtendedLifetime(body) {}
        guard let graph else { return }
        let hooks = state.withLock { _ in
            graph.nodes.values.flatMap { $0.edit { $0.hooks } }
        }
        for hook in hooks { hook.cancel() }
    }

    private func items(of model: any Model, at state: PatternState) -> [WatchItem] {
        classItems(of: model, at: state)
            + pattern.items(model.dynamicFields, of: model, at: state)
    }

    /// Those of the class, which are found once for all of its models.
    private func classItems(of model: any Model, at state: PatternState) -> [WatchItem] {
        let place = WatchPlace(object: model.ownSchema.type, state: state)
        if let known = self.state.withLock({ $0.plans[place] }) { return known }
        let made = pattern.classItems(of: model, at: state)
        self.state.withLock { $0.plans[place] = made }
        return made
    }
}

extension ModelWatch {
    /// Observes the fields of all models in the graph, also of those that another thread is about to.
    private func settle() {
        while let node = state.withLock({ $0.graph?.nextIncomplete() }) { observe(node) }
    }

    private func observe(_ node: WatchNode) {
        guard let model = node.model else {
            return state.withLock { _ in node.edit { $0.isComplete = true } }
        }
        if let object = model as? ModelObject { observeAdditions(to: object, node) }
        var slot = 0
        while let open = state.withLock({ $0.nextOpen(of: node, from: slot) }) {
            slot = open.slot
            let hook = open.item.field(in: model).flatMap { makeHook(on: $0, node, open) }
            let isKept = state.withLock { state in
                guard state.isOwner(open.ticket, node, slot) else { return false }
                node.edit { $0.slots[slot].hook = hook }
                return true
            }
            if !isKept { hook?.cancel() }
            slot += 1
        }
    }

    /// Observes the fields that an object gets.
    private func observeAdditions(to object: ModelObject, _ node: WatchNode) {
        let isKnown = state.withLock { state in
            state.graph == nil || node.edit { $0.isGone || $0.additions != nil }
        }
        if isKnown { return }
        let anchor = anchor(of: node)
        let hook = object.additions.typed?.observeInternally(everySet: true, by: owner) { [self] in
            withExtendedLifetime(anchor) {}
            addFields(to: node)
            settle()
        }
        let isKept = state.withLock { state in
            if state.graph == nil { return false }
            return node.edit { node in
                guard !node.isGone, node.additions == nil else { return false }
                node.additions = hook
                return true
            }
        }
        if !isKept { hook?.cancel() }
        // Some may have come before the hook did.
        addFields(to: node)
    }

    private func addFields(to node: WatchNode) {
        guard let model = node.model else { return }
        let known = state.withLock { _ in node.edit { $0.ownFields } }
        let fields = model.dynamicFields.filter { !known.contains(ObjectIdentifier($0)) }
        let items = pattern.items(fields, of: model, at: node.place.state)
        state.withLock { state in
            if !node.edit({ $0.isGone }) { state.graph?.add(fields, items, to: node) }
        }
    }

    /// A field that nobody observes yet, to be observed with a ticket.
    fileprivate struct OpenSlot {
        let slot: Int
        let ticket: UInt64
        let item: WatchItem
        let isLate: Bool
    }

    private func makeHook(
        on field: AnyField,
        _ node: WatchNode,
        _ open: OpenSlot
    ) -> Observation? {
        let anchor = anchor(of: node)
        guard let step = open.item.step, let field = field as? any RelationField else {
            return field.typed?.hookChanges(starting: open.isLate, by: owner) {
                [self] old, new, call in
                withExtendedLifetime(anchor) {}
                let isOwned = state.withLock { $0.isOwner(open.ticket, node, open.slot) }
                if isOwned, call != .first || new != nil {
                    notify(node, open.item, .value, old, new)
                }
            }
        }
        return field.hookModels(at: step.index, by: owner) { [self] change, call in
            withExtendedLifetime(anchor) {}
            take(change, call, node, open)
        }
    }

    /// Takes in what a field has delivered.
    private func take(
        _ change: ModelsChange,
        _ call: HookCall,
        _ node: WatchNode,
        _ open: OpenSlot
    ) {
        let inside = open.item.step?.state ?? []
        let arrivals = change.counts.map { counted in
            WatchGraph.Arrival(
                model: counted.model,
                count: counted.count,
                items: counted.count > 0 && !inside.isEmpty
                    ? items(of: counted.model, at: inside) : []
            )
        }
        let outcome = state.withLock { state in
            state.isOwner(open.ticket, node, open.slot)
                ? state.graph?.apply(arrivals, to: node, open.slot) : nil
        }
        guard let outcome else { return }
        for hook in outcome.ended { hook.cancel() }
        if call == .first, !open.isLate { return }
        settle()
        let isSame = outcome.entered.isEmpty && outcome.left.isEmpty
        if isSame, call != .change || open.item.step?.index != nil { return }
        if open.item.isSilent { return }
        let kind = ModelChange.Kind.models(entered: outcome.entered, left: outcome.left)
        notify(node, open.item, kind, call == .first ? nil : change.old, change.new)
    }
}

extension ModelWatch.State {
    /// The first field from one on that nobody observes yet; nil if there is none, and then the model is
    /// done.
    fileprivate mutating func nextOpen(
        of node: WatchNode,
        from slot: Int
    ) -> ModelWatch.OpenSlot? {
        guard !node.edit({ $0.isGone }), let ticket = graph?.nextNumber() else { return nil }
        return node.edit { node in
            guard let index = node.slots[slot...].firstIndex(where: { $0.ticket == nil }) else {
                node.isComplete = true
                return nil
            }
            let (item, isLate) = (node.slots[index].item, node.slots[index].isLate)
            return ModelWatch.OpenSlot(slot: index, ticket: ticket, item: item, isLate: isLate)
        }
    }

    /// Whether a ticket is that of who observes a field: the first one does.
    fileprivate func isOwner(_ ticket: UInt64, _ node: WatchNode, _ slot: Int) -> Bool {
        if graph == nil { return false }
        return node.edit { node in
            if node.isGone { return false }
            if node.slots[slot].ticket == nil { node.slots[slot].ticket = ticket }
            return node.slots[slot].ticket == ticket
        }
    }
}

extension ModelWatch {
    private func notify(
        _ node: WatchNode,
        _ item: WatchItem,
        _ kind: ModelChange.Kind,
        _ old: (any Sendable)?,
        _ new: (any Sendable)?
    ) {
        if isOver { return observation.cancel() }
        guard let model = node.model, let field = item.field(in: model),
            let way = path(to: node)
        else { return }
        let change = ModelChange(
            path: way.appending(item.path),
            field: field,
            model: model,
            kind: kind,
            old: old,
            new: new
        )
        if let body = state.withLock({ $0.body }), !body(change) { observation.cancel() }
    }

    /// Where a model is now; nil if it is there no more.
    ///
    /// Fields may have been set since the graph was: what they say counts.
    private func path(to node: WatchNode) -> FieldPath? {
        var stale: Set<UInt64> = []
        while let way = state.withLock({ $0.graph?.way(to: node, avoiding: stale) }) {
            var path = FieldPath()
            let isReal = way.allSatisfy { hop in
                guard let step = hop.step else {
                    stale.insert(hop.number)
                    return false
                }
                path.components += step.components
                return true
            }
            if isReal { return path }
        }
        return nil
    }
}

extension WatchGraph.Hop {
    /// What leads from the model to the next one, unless its field has that no more.
    fileprivate var step: FieldPath? {
        guard let model = node.model, let step = item.step else { return nil }
        let relation = item.field(in: model) as? any RelationField
        return relation?.place(of: self.model, at: step.index).map(item.path.appending)
    }
}
