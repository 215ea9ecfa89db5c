/// Which computations are to be notified when a field changes.
///
/// Only those are linked to their sources that somebody observes, or that such a one reads. Links
/// decide nothing but where to look: whether a value is right, revisions show.
@usableFromInline
enum ComputedGraph {
    /// Guards the links of all nodes.
    ///
    /// It is held for walks over links only; locks of fields and
    /// nodes are taken inside it, never the other way round.
    static let lock = Guarded(GraphWalk())

    /// Brings what is observed up to date after commits: every node once.
    ///
    /// What feeds bound fields comes first, so that the rest sees them as they will be; and while
    /// such fields are set the deliveries wait, so that no observer receives a value in between.
    @usableFromInline @inline(never)
    static func flush(
        _ dirtied: [ComputedNode],
        _ loop: UnsafeMutablePointer<DeliveryLoop>,
        endsBatch: Bool = false
    ) {
        if loop.pointee.batchDepth > (endsBatch ? 1 : 0) || loop.pointee.isFlushing {
            return loop.pointee.backlog.add(dirtied, inFlush: loop.pointee.isFlushing)
        }
        if let tracker = Tracker.outermost { return tracker.pointee.postpone(dirtied) }
        Forwarders.enter()
        defer { Forwarders.leave() }
        loop.pointee.madeBacklog?.endCarrying()
        loop.pointee.isFlushing = true
        var isHolding = false
        var pending = dirtied
        var plain: [ComputedNode] = []
        var counts = FlushCounts()
        // Not that of the loop, which may have run out of stack.
        var outflow = Outflow(thread: ThreadState.current)
        while true {
            while !pending.isEmpty {
                var next: [ComputedNode] = []
                var nodes = lock.withLock { $0.observed(from: pending) }
                let feeding = takeFeeding(from: &nodes, &counts)
                if !feeding.isEmpty {
                    if !isHolding { loop.pointee.batchDepth += 1 }
                    isHolding = true
                    for node in inOrder(feeding) {
                        bringUpToDate(node, &outflow)
                        next += outflow.deliver(by: loop)
                    }
                }
                if plain.isEmpty { plain = nodes } else { plain += nodes }
                pending = next
                loop.pointee.moveDirtied(to: &pending)
            }
            if plain.isEmpty { break }
            bringUpToDate(&plain, &outflow)
            pending = outflow.deliver(by: loop)
            loop.pointee.moveDirtied(to: &pending)
        }
        loop.pointee.isFlushing = false
        if isHolding { endBatch(loop) }
    }

    /// Does so with nodes, and lets go of them: what dies with one may set something.
    private static func bringUpToDate(_ nodes: inout [ComputedNode], _ outflow: inout Outflow) {
        nodes.withUnsafeBufferPointer { nodes in
            for index in nodes.indices {
                Unmanaged.passUnretained(nodes[index])._withUnsafeGuaranteedRef {
                    bringUpToDate($0, &outflow)
                }
            }
        }
        nodes = []
    }

    /// Takes those out that feed bound fields, or nobody: what is left is for observers alone, which mostly is
    /// all of it.
    private static func takeFeeding(
        from nodes: inout [ComputedNode],
        _ counts: inout FlushCounts
    ) -> [ComputedNode] {
        if nodes.allUncounted({ $0.demand == .observers }), counts.allow(nodes.count) { return [] }
        var feeding: [ComputedNode] = []
        nodes.removeAll { node in
            if !counts.allows(node) { return true }
            switch node.demand {
            case .nobody: node.deactivate()
            case .observers: return false
            case .boundFields: feeding.append(node)
            }
            return true
        }
        return feeding
    }

    /// Evaluates a node if need be, and sends a new value on.
    private static func bringUpToDate(_ node: ComputedNode, _ outflow: inout Outflow) {
        node.refreshLinked(on: outflow.thread)
        node.push(node, &outflow)
    }
}

/// What a walk through the graph needs, under its lock.
struct GraphWalk: Sendable {
    /// The number of the last walk.
    private var number: UInt64 = 0
    /// What the walk has still to look at; kept, so that not each has to make room.
    ///
    /// The links keep it alive.
    private var waiting: [Unmanaged<ComputedNode>] = []

    /// Those of the nodes, and of all that read them, that somebody observes.
    mutating func observed(from nodes: [ComputedNode]) -> [ComputedNode] {
        number += 1
        // Mostly that is all of them.
        let areEnds = nodes.allUncounted { node in
            defer { node.visited = number }
            return node.visited != number && node.isObserved && node.dependents.isEmpty
        }
        if areEnds { return nodes }
        number += 1
        var found: [ComputedNode] = []
        // The first is looked at first.
        for index in nodes.indices.reversed() { waiting.append(.passUnretained(nodes[index])) }
        while let next = waiting.popLast() {
            next._withUnsafeGuaranteedRef { visit($0, &found) }
        }
        return found
    }

    // Not inlined: there it would count references, which is most of the work.
    @inline(never)
    private mutating func visit(_ node: ComputedNode, _ found: inout [ComputedNode]) {
        if node.visited == number { return }
        node.visited = number
        if node.isObserved { found.append(node) }
        // One by one from where they are: a copy of the list would count a reference.
        for index in node.dependents.indices.reversed() {
            waiting.append(.passUnretained(node.dependents[index]))
        }
    }

    /// Calls a closure with a node and all that read it, one by way of the other.
    mutating func forAllReaders(of node: ComputedNode, _ body: (ComputedNode) -> Void) {
        number += 1
        var waiting = [node]
        while let node = waiting.popLast() {
            if node.visited == number { continue }
            node.visited = number
            body(node)
            waiting += node.dependents
        }
    }
}

extension [ComputedNode] {
    /// Whether all are so, without a count of references to each.
    fileprivate func allUncounted(_ isSo: (ComputedNode) -> Bool) -> Bool {
        withUnsafeBufferPointer { nodes in
            nodes.indices.allSatisfy {
                Unmanaged.passUnretained(nodes[$0])._withUnsafeGuaranteedRef(isSo)
            }
        }
    }
}

extension ComputedGraph {
    /// Nodes that feed bound fields, each before those that follow from the fields that it feeds, so
    /// that it is evaluated once.
    private static func inOrder(_ feeding: [ComputedNode]) -> [ComputedNode] {
        if feeding.count < 2 { return feeding }
        let wanted = Set(feeding.map { ObjectIdentifier($0) })
        var ended: [ComputedNode] = []
        var seen: Set<ObjectIdentifier> = []
        // Apart: what is known of a target that has died may be that of a node by now.
        var seenFields: Set<ObjectIdentifier> = []
        // Released when the lock is free: they may have no other reference by then.
        var targets: [AnyField] = []
        var bindings: [[Binding]] = []
        lock.withLock { _ in
            var waiting = feeding.reversed().map { (node: $0, isLeft: false) }
            while let (node, isLeft) = waiting.popLast() {
                if isLeft {
                    if wanted.contains(ObjectIdentifier(node)) { ended.append(node) }
                    continue
                }
                guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
                waiting.append((node, true))
                let first = targets.count
                if let output = node.outputField {
                    targets += output.boundFields(except: &seenFields, by: &bindings)
                }
                let fed = targets[first...].flatMap(\.dependents)
                waiting += (node.dependents + fed).reversed().map { ($0, false) }
            }
        }
        withExtendedLifetime((targets, bindings)) {}
        return ended.reversed()
    }
}

/// Finds computations that set what they read, by way of a bound field, again and again.
private struct FlushCounts {
    private var total = 0
    private var counts: [ObjectIdentifier: Int] = [:]

    /// Whether so many may be looked at without being counted one by one.
    mutating func allow(_ count: Int) -> Bool {
        if total + count > 10_000 { return false }
        total += count
        return true
    }

    /// Whether a node may be looked at once more in this flush.
    mutating func allows(_ node: ComputedNode) -> Bool {
        total += 1
        // A flush that ends is not made to pay for the counting.
        guard total > 10_000 else { return true }
        let count = counts[ObjectIdentifier(node), default: 0] + 1
        counts[ObjectIdentifier(node)] = count
        // In a bad order one may be looked at for each of the others.
        let limit = max(100, min(counts.count, 1_000_000))
        if count == limit + 1 {
            node.reportCycle(
                "a computed field feeds what it reads again and again; the last value is kept"
            )
        }
        return count <= limit
    }
}

extension AnyField {
    /// The fields that follow from this one, one by way of the other.
    ///
    /// The caller keeps the bindings for as long as it holds a lock.
    fileprivate final func boundFields(
        except seen: inout Set<ObjectIdentifier>,
        by bindings: inout [[Binding]]
    ) -> [AnyField] {
        var found = [self]
        var index = 0
        while index < found.count {
            let own = found[index].lock.withLock { found[index].details?.bindings ?? [] }
            bindings.append(own)
            for binding in own where seen.insert(binding.targetID).inserted {
                if let target = binding.target { found.append(target) }
            }
            index += 1
        }
        return found
    }

    fileprivate final var dependents: [ComputedNode] {
        lock.withLock { details?.dependents ?? [] }
    }
}
