extension Reading {
    /// Has the computations looked at that have read what was set, and the fields notified that they feed.
    @usableFromInline
    func deliverPostponed(on thread: ThreadState.Pointer) {
        guard let postponed = extras?.postponed else { return }
        // It is part of nothing any more, and on the way to nothing.
        let (wasOnWay, before) = (thread.pointee.isOnWay, thread.pointee.evaluating)
        (thread.pointee.isOnWay, thread.pointee.evaluating) = (false, nil)
        let pending = postponed.pending
        postponed.pending = Pending()
        DeliveryLoop.deliver(pending)
        (thread.pointee.isOnWay, thread.pointee.evaluating) = (wasOnWay, before)
    }

    /// Whether something was set since the evaluation began, so that it has to be done again: by
    /// another thread, and not if it has set something itself, which would be set again; that is left
    /// to whoever needs the value.
    ///
    /// What is part of another evaluation is not: that one looks at all of it, and were each of a chain
    /// done again, the numbers would multiply.
    @inlinable
    mutating func mayBeTorn(since start: UInt64, isPart: Bool) -> Bool {
        isTorn = (isOutdated || Revision.current != start) && isOtherNow(since: start, isPart)
        return isTorn && !isPart && ThreadState.current.pointee.setAt <= start
    }

    @usableFromInline @inline(never)
    func isOtherNow(since start: UInt64, _ isPart: Bool) -> Bool {
        // To ask those of a cycle again would lead into it.
        guard let dependencies, !hasCycle else { return false }
        if ThreadState.current.pointee.setAt > start {
            return !isPart && dependencies.wereSetByOthers(except: ownSets)
        }
        if !isPart { return ComputedNode.isOutdated(dependencies) }
        var room = 64
        return !dependencies.areSame(&room)
    }
}

/// Runs a computation and writes down what it reads.
@usableFromInline @inline(never)
func track(
    _ node: ComputedNode,
    _ reading: inout Reading,
    at now: UInt64,
    on thread: ThreadState.Pointer,
    _ body: () -> Void
) {
    // Not before: of models with computed fields that nobody reads, no read has to be noted.
    Tracking.turnOn(Tracking.computed)
    let outer = thread.pointee.tracker
    withUnsafeMutablePointer(to: &reading) { reading in
        var tracker = Tracker(node, reading, at: now, parent: outer)
        withUnsafeMutablePointer(to: &tracker) { pointer in
            thread.pointee.rawTracker = UnsafeMutableRawPointer(pointer)
            DeepStack.run(atDepth: pointer.pointee.depth, body)
            thread.pointee.rawTracker = UnsafeMutableRawPointer(outer)
            pointer.pointee.finish()
        }
    }
    reading.endTracking()
    // What was found in a cycle counts as right at this revision only.
    if reading.hasCycle { _ = Revision.next() }
    if let outer, outer.pointee.outermostReading.pointee.hasCycle { reading.hasCycle = true }
}
