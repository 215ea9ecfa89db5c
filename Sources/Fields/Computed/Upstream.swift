import ModelKitValues

/// What a field that brings a computed value to observers knows of the computation.
@usableFromInline
final class Upstream: Sendable {
    // Not weakly, which would make every reference to it slower: it lets go of the field when the
    // computed field ends.
    private let node: ComputedNode

    init(_ node: ComputedNode) {
        self.node = node
    }

    /// Links the computation to its sources and brings the field up to date, before and after
    /// somebody is added to the field.
    ///
    /// Afterwards, too: it may have been found unobserved in between. No lock may be held.
    @usableFromInline
    func prepare() {
        if node.isEvaluatedHere {
            // Its own computation cannot wait for its value, which is brought when that ends.
            node.link()
            Tracker.outermost?.pointee.postpone([node])
            return
        }
        Forwarders.enter()
        defer { Forwarders.leave() }
        // What others set must not be missed, as it is by a computation, which looks again later.
        let tracker = Tracking.pause()
        defer { Tracking.resume(tracker) }
        let thread = ThreadState.current
        let (wasOnWay, before) = (thread.pointee.isOnWay, thread.pointee.evaluating)
        (thread.pointee.isOnWay, thread.pointee.evaluating) = (false, nil)
        defer { (thread.pointee.isOnWay, thread.pointee.evaluating) = (wasOnWay, before) }
        node.activate()
        var outflow = Outflow()
        node.push(node, &outflow)
        DeliveryLoop.deliver(outflow.owing, updating: outflow.dirtied)
    }

    /// Whether the computed field has ended, so that whoever is added to the field is told no more.
    @usableFromInline
    var isOver: Bool { node.lock.withLock { node.isDisposed } || node.isLeft }
}

extension Computed {
    /// The field that brings the value to observers.
    ///
    /// Nobody else may set it.
    final var output: Field<Value> {
        if let output = node.lock.withLock({ node.output }) { return output }
        let made = Field<Value>()
        let details = made.ensureDetails()
        details.upstream = Upstream(node)
        details.tellsDifferences = true
        return node.lock.withLock {
            if let output = node.output { return output }
            // One that has ended keeps none, and will bring no value.
            if node.isDisposed { made.storage = node.value } else { node.output = made }
            return made
        }
    }
}
