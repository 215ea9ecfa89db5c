public import ModelKitValues

extension FieldCore {
    /// So many changes of a field wait at most.
    @usableFromInline static var queueLimit: Int { 1024 }

    /// Adds a change to the queue, and the field to those that this thread has to deliver.
    ///
    /// Unlocks; the lock must be held.
    @inlinable
    final func enqueue(
        _ change: Change<Value>,
        _ script: EditScript?,
        _ state: FieldState<Value>,
        _ deliveries: inout [DeliveryLoop.Entry],
        _ loop: UnsafeMutablePointer<DeliveryLoop>? = DeliveryLoop.current
    ) {
        var (queued, edits) = (change, script)
        if let loop {
            if loop.pointee.batchDepth > 0 { return hold(change, script, state, loop) }
            if let source = loop.pointee.delivering {
                let cause = loop.pointee.cause.following(ObjectIdentifier(self), setBy: source)
                queued.cause = cause
                if cause.isEndless {
                    state.withhold(change, script)
                    lock.unlock()
                    return reportEndless()
                }
            }
        }
        var full: FieldState<Value>.Merged?
        if state.withheld != nil || state.queue.count >= Self.queueLimit {
            full = state.join(&queued, &edits)
        }
        state.queue.append(queued, edits)
        let isOwed: Bool
        if state.isDraining {
            if state.drainer != loop { state.isContended = true }
            isOwed = false
        } else if let loop, state.scheduler == loop {
            isOwed = false
        } else {
            state.scheduler = loop
            isOwed = true
        }
        lock.unlock()
        // Not before: releasing a value may run code of the user.
        withExtendedLifetime(change) {}
        if isOwed { deliveries.append(DeliveryLoop.Entry(field: self, drain: Self.drain)) }
        if let full, full.mustReport { reportMerged(full.changes.count - 1) }
    }

    /// Keeps a change until the batch of this thread ends.
    ///
    /// Unlocks; the lock must be held.
    @usableFromInline @inline(never)
    final func hold(
        _ change: Change<Value>,
        _ script: EditScript?,
        _ state: FieldState<Value>,
        _ loop: UnsafeMutablePointer<DeliveryLoop>
    ) {
        state.withhold(change, script)
        let isNew = state.batcher != loop
        state.batcher = loop
        lock.unlock()
        withExtendedLifetime(change) {}
        if isNew {
            let entry = DeliveryLoop.Entry(field: self, drain: Self.releaseHeld)
            loop.pointee.backlog.pending.deliveries.append(entry)
        }
    }

    /// Queues what a batch has kept, unless a set of another thread has taken it along.
    static func releaseHeld(_ field: AnyField, _ loop: UnsafeMutablePointer<DeliveryLoop>) {
        // The entry was made for this type.
        let field = unsafeDowncast(field, to: FieldCore<Value>.self)
        field.lock.lock()
        if let state = field.state, state.batcher == loop { state.batcher = nil }
        var pending = Pending()
        field.enqueueWithheld(&pending.deliveries)
        DeliveryLoop.deliver(pending)
    }

    /// Queues what was withheld.
    ///
    /// Unlocks; the lock must be held.
    final func enqueueWithheld(_ deliveries: inout [DeliveryLoop.Entry]) {
        // An observer that came since was given the value when it was added.
        guard let state, let start = state.withheld.take() else { return lock.unlock() }
        var change = Change(
            old: start.old,
            new: storage,
            isChange: true,
            revision: lastRevision
        )
        change.join(from: start.old)
        change.isForced = start.isForced
        enqueue(change, start.script, state, &deliveries)
    }

    @usableFromInline @inline(never)
    final func reportEndless() {
        report(
            .endlessDelivery,
            "the observers of a field set it again and again; "
                + "the last change was stored, but is not delivered"
        )
    }

    @usableFromInline @inline(never)
    final func reportMerged(_ count: Int) {
        report(
            .mergedChanges,
            "\(count) changes waited for slow observers and were merged into one"
        )
    }
}
