import Dispatch
public import Synchronization

extension Field {
    /// Calls the observers with one change.
    @inlinable @inline(__always)
    final func deliver(
        _ change: Change<Value>,
        to observers: [Observation],
        _ state: FieldState<Value>,
        _ loop: UnsafeMutablePointer<DeliveryLoop>
    ) {
        loop.pointee.delivering = ObjectIdentifier(self)
        loop.pointee.cause = change.cause
        // The array keeps the observers alive, so they need not be retained one by one.
        observers.withUnsafeBufferPointer { buffer in
            for index in buffer.indices {
                Unmanaged.passUnretained(buffer[index])._withUnsafeGuaranteedRef { observation in
                    // A field takes only observers of its own value type.
                    let observer = unsafeDowncast(observation, to: Observer<Value>.self)
                    let phase = observer.phase.load(ordering: .acquiring)
                    if phase == Observation.live {
                        if change.revision > observer.since { observer.notify(self, change) }
                    } else if phase == Observation.starting {
                        deliverEarly(change, to: observer, state)
                    }
                }
            }
        }
        loop.pointee.delivering = nil
    }

    /// Keeps a change for an observer that another thread is telling its first value.
    @usableFromInline @inline(never)
    final func deliverEarly(
        _ change: Change<Value>,
        to observer: Observer<Value>,
        _ state: FieldState<Value>
    ) {
        guard change.revision > observer.since else { return }
        lock.lock()
        if observer.phase.load(ordering: .acquiring) == Observation.starting {
            state.early[ObjectIdentifier(observer), default: []].append(change)
            state.hasEarlyChanges = true
            return lock.unlock()
        }
        lock.unlock()
        if !observer.isCancelled { observer.notify(self, change) }
    }

    /// Delivers what waits, until nothing does or others have to take over.
    ///
    /// This thread must be the one that drains.
    @inlinable
    final func drainQueue(
        _ state: FieldState<Value>,
        _ loop: UnsafeMutablePointer<DeliveryLoop>
    ) {
        var delivered = 1
        while true {
            lock.lock()
            if state.head == state.queue.count || state.isTurnOver(after: delivered) {
                return endDraining(state, handingOver: state.head < state.queue.count)
            }
            let hasRetired = !state.retired.isEmpty
            let retired = hasRetired ? state.retired : []
            if hasRetired { state.retired = [] }
            let next = state.queue[state.head]
            state.queue[state.head] = nil
            state.head += 1
            if state.head == state.queue.count {
                state.queue.removeAll(keepingCapacity: true)
                state.head = 0
            }
            let observers = state.observers
            lock.unlock()
            for observation in retired { observation.dispose() }
            if let next { deliver(next, to: observers, state, loop) }
            delivered += 1
        }
    }

    /// Ends this thread's turn.
    ///
    /// Unlocks; the lock must be held.
    @usableFromInline @inline(never)
    final func endDraining(_ state: FieldState<Value>, handingOver: Bool) {
        state.isDraining = false
        state.turnStart = 0
        state.drainer = nil
        let retired = state.retired
        if !retired.isEmpty { state.retired = [] }
        if !handingOver { state.reportedMerge = false }
        var settled: [CheckedContinuation<Void, Never>] = []
        if !state.settling.isEmpty { settled = state.takeSettled() }
        lock.unlock()
        for observation in retired { observation.dispose() }
        for continuation in settled { continuation.resume() }
        if handingOver {
            // The next set takes over; if none comes, this does.
            DispatchQueue.global().async { [self] in resumeDelivery() }
        }
    }

    /// Delivers what waits on a field, for a loop.
    @inlinable
    static func drain(_ field: AnyField, _ loop: UnsafeMutablePointer<DeliveryLoop>) {
        let field = unsafeDowncast(field, to: Field<Value>.self)
        field.lock.lock()
        guard let state = field.state else { return field.lock.unlock() }
        if state.scheduler == loop { state.scheduler = nil }
        guard !state.isDraining, state.head < state.queue.count else { return field.lock.unlock() }
        state.isDraining = true
        state.isContended = false
        state.drainer = loop
        field.lock.unlock()
        field.drainQueue(state, loop)
    }
}
