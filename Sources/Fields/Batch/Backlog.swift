/// What a thread puts off until its batch, its flush of computed fields or its evaluation ends.
@usableFromInline
final class Backlog {
    /// The fields that were set in a batch.
    var held: [DeliveryLoop.Entry] = []
    /// The computations that have read what was set.
    private var dirtied: [ComputedNode] = []
    private var limit = 64

    func add(_ nodes: [ComputedNode]) {
        dirtied += nodes
        guard dirtied.count > limit else { return }
        // A long batch that sets one field again and again names the same ones.
        var known: Set<ObjectIdentifier> = []
        dirtied = dirtied.filter { known.insert(ObjectIdentifier($0)).inserted }
        limit = max(64, dirtied.count * 2)
    }

    @usableFromInline
    func takeDirtied() -> [ComputedNode] {
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
}
