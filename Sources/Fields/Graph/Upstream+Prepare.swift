extension Upstream {
    /// Links the computation to its sources and brings the field up to date, before and after
    /// somebody is added to the field.
    ///
    /// Afterwards, too: it may have been found unobserved in between. No lock may be held.
    @usableFromInline
    func prepare() {
        if node.lock.withLock({ node.evaluators > 0 }), node.isTrackedHere {
            // Its own computation cannot wait for its value, which is brought when that ends.
            node.link()
            Tracker.outermost?.pointee.postpone([node])
            return
        }
        Forwarders.enter()
        defer { Forwarders.leave() }
        // What others set must not be missed, as it is by a computation, which looks again later.
        let thread = ThreadState.current
        let tracker = Tracking.pause(on: thread)
        defer { Tracking.resume(tracker) }
        let (wasOnWay, before) = (thread.pointee.isOnWay, thread.pointee.evaluating)
        (thread.pointee.isOnWay, thread.pointee.evaluating) = (false, nil)
        defer { (thread.pointee.isOnWay, thread.pointee.evaluating) = (wasOnWay, before) }
        node.link()
        node.refreshLinked(on: thread)
        var outflow = Outflow(thread: thread)
        node.push(node, &outflow)
        DeliveryLoop.deliver(outflow.pending)
    }
}
