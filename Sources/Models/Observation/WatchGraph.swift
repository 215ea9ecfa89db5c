import ModelKitFields

/// The models that a pattern leads to, and what leads from one to the next.
///
/// No code of the user runs in it, so it is used under a lock.
struct WatchGraph: Sendable {
    /// A model that a field has more or less often than before, with what is observed of it.
    struct Arrival {
        let model: any Model
        let count: Int
        let items: [WatchItem]
    }

    /// What comes of a change of a field.
    struct Outcome {
        var entered: [any Model] = []
        var left: [any Model] = []
        /// The hooks of models that nothing leads to any more.
        var ended: [Observation] = []
    }

    let root: WatchNode
    private(set) var nodes: [WatchPlace: WatchNode]
    private var incomplete: [WatchNode] = []
    private var lastNumber: UInt64 = 0

    init(_ root: WatchNode) {
        self.root = root
        nodes = [root.place: root]
    }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// A model whose fields are not all observed yet.
    mutating func nextIncomplete() -> WatchNode? {
        while let last = incomplete.last {
            if last.edit({ !$0.isComplete && !$0.isGone }) { return last }
            incomplete.removeLast()
        }
        return nil
    }

    /// Takes in fields that a model has got, and what of them is observed, unless it is known.
    mutating func add(_ fields: [AnyField], _ items: [WatchItem], to node: WatchNode) {
        if node.add(fields, items) { incomplete.append(node) }
    }

    /// Takes in how the models in a field differ from before.
    mutating func apply(_ arrivals: [Arrival], to source: WatchNode, _ slot: Int) -> Outcome {
        var outcome = Outcome()
        var removed: [WatchEdge] = []
        let state = source.edit { $0.slots[slot].item.step?.state ?? [] }
        for arrival in arrivals {
            let key = ObjectIdentifier(arrival.model)
            let before = source.edit { $0.slots[slot].targets[key]?.count ?? 0 }
            let after = max(0, before + arrival.count)
            if before == 0, after > 0 {
                let edge = state.isEmpty ? nil : link(source, slot, to: arrival, at: state)
                let target = WatchNode.Target(count: after, edge: edge)
                source.edit { $0.slots[slot].targets[key] = target }
                outcome.entered.append(arrival.model)
            } else if before > 0, after == 0 {
                let target = source.edit { $0.slots[slot].targets.removeValue(forKey: key) }
                if let edge = target?.edge { removed.append(edge) }
                outcome.left.append(arrival.model)
            } else {
                source.edit { $0.slots[slot].targets[key]?.count = after }
            }
        }
        outcome.ended = unlink(removed)
        return outcome
    }

    private mutating func link(
        _ source: WatchNode,
        _ slot: Int,
        to arrival: Arrival,
        at state: PatternState
    ) -> WatchEdge {
        let place = WatchPlace(object: ObjectIdentifier(arrival.model), state: state)
        let known = nodes[place]
        let target = known ?? WatchNode(arrival.model, at: state, arrival.items)
        let edge = WatchEdge(source, slot, target, nextNumber())
        target.edit { state in
            state.incoming[edge.number] = edge
            if known == nil { state.support = edge }
        }
        if known == nil {
            nodes[place] = target
            incomplete.append(target)
        }
        return edge
    }

    private mutating func unlink(_ edges: [WatchEdge]) -> [Observation] {
        var unsupported: [WatchNode] = []
        for edge in edges {
            let target = edge.target
            let isUnsupported = target.edit { state in
                state.incoming[edge.number] = nil
                return state.support === edge
            }
            if isUnsupported { unsupported.append(target) }
        }
        return remove(unsupported)
    }

    /// Removes models that have lost their support, and all that only they support, unless something
    /// else leads there.
    private mutating func remove(_ unsupported: [WatchNode]) -> [Observation] {
        if unsupported.isEmpty { return [] }
        var doubtful: [ObjectIdentifier: WatchNode] = [:]
        var open = unsupported
        while let node = open.popLast() {
            guard doubtful.updateValue(node, forKey: ObjectIdentifier(node)) == nil else {
                continue
            }
            for edge in node.edit({ $0.outgoing }) where edge.isSupport { open.append(edge.target) }
        }
        for node in doubtful.values {
            let support = node.edit { state in
                state.support = state.incoming.values.first {
                    doubtful[ObjectIdentifier($0.source)] == nil
                }
                return state.support
            }
            if support != nil { open.append(node) }
        }
        for node in open { doubtful[ObjectIdentifier(node)] = nil }
        while let node = open.popLast() {
            for edge in node.edit({ $0.outgoing })
            where doubtful.removeValue(forKey: ObjectIdentifier(edge.target)) != nil {
                edge.target.edit { $0.support = edge }
                open.append(edge.target)
            }
        }
        return drop(doubtful)
    }

    private mutating func drop(_ dead: [ObjectIdentifier: WatchNode]) -> [Observation] {
        var hooks: [Observation] = []
        for node in dead.values {
            nodes[node.place] = nil
            let (outgoing, own) = node.edit { ($0.outgoing, $0.hooks) }
            for edge in outgoing { edge.target.edit { $0.incoming[edge.number] = nil } }
            hooks += own
        }
        for node in dead.values {
            node.edit { state in
                state.isGone = true
                state.support = nil
                state.incoming = [:]
                state.slots = []
            }
        }
        return hooks
    }
}

extension WatchGraph {
    /// A field on the way to a model, and which model of it the way leads through.
    struct Hop {
        let node: WatchNode
        let item: WatchItem
        let model: ObjectIdentifier
        let number: UInt64
    }

    /// The shortest way from the root, of several the one that is there longest; nil if there is none.
    ///
    /// - Parameters:
    ///   - node: Where it leads.
    ///   - avoided: The numbers of edges that it must not have.
    /// - Returns: The way.
    func way(to node: WatchNode, avoiding avoided: Set<UInt64>) -> [Hop]? {
        var onward: [ObjectIdentifier: WatchEdge] = [:]
        var (level, next) = ([node], [WatchNode]())
        while onward[ObjectIdentifier(root)] == nil, node !== root {
            for target in level {
                let edges = target.edit { node in
                    node.incoming.values.filter { !avoided.contains($0.number) }
                }
                for edge in edges.sorted(by: { $0.number < $1.number }) {
                    let source = edge.source
                    guard source !== node, onward[ObjectIdentifier(source)] == nil else { continue }
                    onward[ObjectIdentifier(source)] = edge
                    next.append(source)
                }
            }
            if next.isEmpty { return nil }
            (level, next) = (next, [])
        }
        var way: [Hop] = []
        var place = root
        while place !== node, let edge = onward[ObjectIdentifier(place)] {
            way.append(
                Hop(
                    node: place,
                    item: place.edit { $0.slots[edge.slot].item },
                    model: edge.target.place.object,
                    number: edge.number
                )
            )
            place = edge.target
        }
        return way
    }
}
