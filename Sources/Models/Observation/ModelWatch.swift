import ModelKitFields

/// Observes the fields that a pattern leads to from a model on.
///
/// The hooks on the fields keep it alive, and nothing else does: the models are held weakly.
///
/// A change of a field with models first changes the graph of those that are observed, then observes the
/// fields of new ones, and is told at last: what is set later is told itself, and who is told that a
/// model has entered sees what was set before. Several threads may do so at once. Whoever has added to
/// the graph observes all that nobody does yet, also what others have added, so that it is done when
/// the own change is told. Two may then observe the same field; the first of them stays.
// Safe: `graph`, `plans` and `body` are guarded by `lock`, which is never held while code of the user
// runs; the rest is constant.
final class ModelWatch: @unchecked Sendable {
    let observation = CompositeObservation()
    private let pattern: FieldPattern
    private weak let root: (any Model)?
    private let lock = Lock()
    /// nil before the start and after the end.
    private var graph: WatchGraph?
    private var plans: [WatchPlace: [WatchItem]] = [:]
    private var body: (@Sendable (ModelChange) -> Bool)?

    private init(
        _ pattern: FieldPattern,
        of root: any Model,
        _ body: @escaping @Sendable (ModelChange) -> Bool
    ) {
        self.pattern = pattern
        self.root = root
        self.body = body
    }

    /// Observes a model.
    ///
    /// - Parameters:
    ///   - pattern: Leads to a field.
    ///   - model: The model, with whose life it ends.
    ///   - ending: Is called at the end.
    ///   - body: Is told of the changes, and returns whether it goes on; released at the end.
    /// - Returns: What ends it.
    static func start(
        _ pattern: FieldPattern,
        of model: any Model,
        ending: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable (ModelChange) -> Bool
    ) -> Observation {
        let watch = ModelWatch(pattern, of: model, body)
        watch.observation.whenEnded { [weak watch] in
            watch?.end()
            ending()
        }
        let root = WatchNode(model, at: 0, watch.items(of: model, at: 0))
        watch.lock.withLock { watch.graph = WatchGraph(root) }
        // In the hooks of the root alone, with which it is released.
        watch.observe(root, keeping: Anchor(watch))
        watch.settle()
        return watch.observation
    }

    /// Ends a watch when the fields of its root are gone.
    private final class Anchor: Sendable {
        private let watch: ModelWatch

        init(_ watch: ModelWatch) { self.watch = watch }

        deinit { watch.observation.cancel() }
    }

    private func end() {
        let (graph, body) = lock.withLock { (self.graph.take(), self.body.take()) }
        withExtendedLifetime(body) {}
        guard let graph else { return }
        let hooks = lock.withLock {
            graph.nodes.values.flatMap { $0.slots.compactMap(\.hook) }
        }
        for hook in hooks { hook.cancel() }
    }

    private func items(of model: any Model, at position: Int) -> [WatchItem] {
        guard model.dynamicFields.isEmpty else { return pattern.items(of: model, at: position) }
        let place = WatchPlace(model.ownSchema.type, position)
        if let known = lock.withLock({ plans[place] }) { return known }
        let made = pattern.items(of: model, at: position)
        lock.withLock { plans[place] = made }
        return made
    }
}

extension ModelWatch {
    /// Observes the fields of all models in the graph, also of those that another thread is about to.
    private func settle() {
        while let node = lock.withLock({ graph?.nextIncomplete() }) { observe(node) }
    }

    private func observe(_ node: WatchNode, keeping anchor: Anchor? = nil) {
        if let model = node.model {
            for slot in node.items.indices {
                let ticket = lock.withLock { isOpen(node, slot) ? graph?.nextNumber() : nil }
                guard let ticket else { continue }
                let field = node.items[slot].entry.field(in: model)
                let hook = makeHook(on: field, node, slot, ticket, anchor)
                let isKept = lock.withLock {
                    guard isOwner(ticket, node, slot) else { return false }
                    node.slots[slot].hook = hook
                    return true
                }
                if !isKept { hook?.cancel() }
            }
        }
        lock.withLock { node.isComplete = true }
    }

    private func makeHook(
        on field: AnyField,
        _ node: WatchNode,
        _ slot: Int,
        _ ticket: UInt64,
        _ anchor: Anchor?
    ) -> Observation? {
        guard let step = node.items[slot].step, let field = field as? any RelationField else {
            return field.observeInternally { [self] in
                withExtendedLifetime(anchor) {}
                if lock.withLock({ isOwner(ticket, node, slot) }) { tell(node, slot, .value) }
            }
        }
        return field.hookModels(at: step.index) { [self] counts, call in
            withExtendedLifetime(anchor) {}
            take(counts, call, node, slot, ticket)
        }
    }

    /// Takes in what a field has told.
    private func take(
        _ counts: [ModelCount],
        _ call: HookCall,
        _ node: WatchNode,
        _ slot: Int,
        _ ticket: UInt64
    ) {
        let step = node.items[slot].step
        let arrivals = counts.map { change in
            WatchGraph.Arrival(
                model: change.model,
                count: change.count,
                items: change.count > 0
                    ? step?.position.map { items(of: change.model, at: $0) } ?? [] : []
            )
        }
        let outcome = lock.withLock {
            isOwner(ticket, node, slot) ? graph?.apply(arrivals, to: node, slot) : nil
        }
        guard let outcome else { return }
        for hook in outcome.ended { hook.cancel() }
        if call == .first { return }
        settle()
        let isSame = outcome.entered.isEmpty && outcome.left.isEmpty
        if isSame, call == .set || step?.index != nil { return }
        tell(node, slot, .models(entered: outcome.entered, left: outcome.left))
    }

    /// Whether nobody observes a field yet.
    ///
    /// The lock must be held.
    private func isOpen(_ node: WatchNode, _ slot: Int) -> Bool {
        !node.isGone && node.slots[slot].ticket == nil
    }

    /// Whether a ticket is that of who observes a field: the first who is heard of does.
    ///
    /// The lock must be held.
    private func isOwner(_ ticket: UInt64, _ node: WatchNode, _ slot: Int) -> Bool {
        guard graph != nil, !node.isGone else { return false }
        if node.slots[slot].ticket == nil { node.slots[slot].ticket = ticket }
        return node.slots[slot].ticket == ticket
    }
}

extension ModelWatch {
    private func tell(_ node: WatchNode, _ slot: Int, _ kind: ModelChange.Kind) {
        if root == nil { return observation.cancel() }
        guard let model = node.model, let way = path(to: node) else { return }
        let entry = node.items[slot].entry
        let change = ModelChange(
            path: way.appending(entry.path),
            field: entry.field(in: model),
            model: model,
            kind: kind
        )
        if let body = lock.withLock({ body }), !body(change) { observation.cancel() }
    }

    /// Where a model is now; nil if it is there no more.
    ///
    /// Fields may have been set since the graph was: what they say counts.
    private func path(to node: WatchNode) -> FieldPath? {
        var stale: Set<UInt64> = []
        while let way = lock.withLock({ graph?.way(to: node, avoiding: stale) }) {
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
        guard let model = node.model, let step = node.items[slot].step else { return nil }
        let entry = node.items[slot].entry
        let relation = entry.field(in: model) as? any RelationField
        return relation?.place(of: self.model, at: step.index).map(entry.path.appending)
    }
}
