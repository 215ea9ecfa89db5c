/// What a thread puts off until its batch, its flush of computed fields or its evaluation ends.
@usableFromInline
final class Backlog {
    /// The fields that were set in a batch.
    var held: [DeliveryLoop.Entry] = []
    /// The computations that have read what was set.
    private var dirtied: [ComputedNode] = []
    private var limit = 64
    /// Whether others go on from what this thread has set, as it has not told the computations.
    private var isForwarder = false

    deinit { endCarrying() }

    /// Adds computations, which a flush of this thread, if one runs, is to come to.
    func add(_ nodes: [ComputedNode], inFlush: Bool = false) {
        if !isForwarder, !inFlush, !nodes.isEmpty {
            isForwarder = true
            Forwarders.enter()
        }
        dirtied += nodes
        guard dirtied.count > limit else { return }
        // A long batch that sets one field again and again names the same ones.
        var known: Set<ObjectIdentifier> = []
        dirtied = dirtied.filter { known.insert(ObjectIdentifier($0)).inserted }
        limit = max(64, dirtied.count * 2)
    }

    /// Leaves it to a flush.
    func endCarrying() {
        if isForwarder { Forwarders.leave() }
        isForwarder = false
    }

    func takeNodes() -> [ComputedNode] {
        if dirtied.isEmpty { return [] }
        let nodes = dirtied
        dirtied = []
        return nodes
    }

    func takeHeld() -> [DeliveryLoop.Entry] {
        let entries = held
        held = []
        return entries
    }

    /// Takes out the computations with the fields that are to be notified when they are up to date.
    @usableFromInline
    func takeDirtied() -> Dirtied { Dirtied(nodes: takeNodes(), held: takeHeld()) }
}

/// What an evaluation has put off, and is to be delivered as it ends.
@usableFromInline
struct Dirtied {
    let nodes: [ComputedNode]
    let held: [DeliveryLoop.Entry]
}
