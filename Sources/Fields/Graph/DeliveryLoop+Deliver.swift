extension DeliveryLoop {
    /// Has the observers of fields notified, by the loop that runs or by a new one, once the computed
    /// fields that have read what was set are up to date.
    @inlinable
    static func deliver(_ owing: [Entry], updating dirtied: [ComputedNode] = []) {
        if owing.isEmpty, dirtied.isEmpty { return }
        withCurrent { loop in
            if loop.pointee.ready.isEmpty {
                loop.pointee.ready = owing
            } else {
                loop.pointee.ready += owing
            }
            if !dirtied.isEmpty { ComputedGraph.flush(dirtied, loop) }
        }
    }
}
