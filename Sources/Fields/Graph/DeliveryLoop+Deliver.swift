extension DeliveryLoop {
    /// Has the observers of fields notified, by the loop that runs or by a new one, once the computed
    /// fields that have read what was set are up to date.
    @inlinable
    static func deliver(_ pending: Pending) {
        if !pending.deliveries.isEmpty || !pending.nodes.isEmpty { deliverAll(pending) }
    }

    @usableFromInline @inline(never)
    static func deliverAll(_ pending: Pending) {
        withCurrent { loop in
            if !pending.deliveries.isEmpty { loop.pointee.owe(pending.deliveries) }
            if !pending.nodes.isEmpty { ComputedGraph.flush(pending.nodes, loop) }
        }
    }
}
