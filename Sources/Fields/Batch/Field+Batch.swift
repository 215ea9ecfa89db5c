import ModelKitValues

extension AnyField {
    /// Notes that a batch has ended which may have set it last.
    final func leaveBatch(of loop: UnsafeMutablePointer<DeliveryLoop>) {
        lock.withLock { if details?.batcher == loop { details?.batcher = nil } }
    }
}

extension Field {
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
            loop.pointee.backlog.held.append(
                DeliveryLoop.Entry(field: self, drain: Self.releaseHeld)
            )
        }
    }

    /// Queues what a batch has kept, unless a set of another thread has taken it along.
    static func releaseHeld(_ field: AnyField, _ loop: UnsafeMutablePointer<DeliveryLoop>) {
        // The entry was made for this type.
        let field = unsafeDowncast(field, to: Field<Value>.self)
        field.lock.lock()
        if let state = field.state, state.batcher == loop { state.batcher = nil }
        var owing: [DeliveryLoop.Entry] = []
        field.enqueueWithheld(&owing)
        DeliveryLoop.deliver(owing)
    }

    /// Queues what was withheld.
    ///
    /// Unlocks; the lock must be held.
    final func enqueueWithheld(_ owing: inout [DeliveryLoop.Entry]) {
        // An observer that came since was told the value when it was added.
        guard let state, let start = state.withheld.take() else { return lock.unlock() }
        var change = Change(
            old: start.old,
            new: storage,
            isChange: true,
            revision: lastRevision
        )
        change.join(from: start.old)
        change.isForced = start.isForced
        enqueue(change, start.script, state, &owing)
    }
}
