import Dispatch
public import ModelKitValues
public import Synchronization

extension FieldCore {
    /// Calls the observers with one change.
    @inlinable @inline(__always)
    final func deliver(
        _ change: Change<Value>,
        _ script: EditScript?,
        to observers: [Observation],
        _ loop: UnsafeMutablePointer<DeliveryLoop>
    ) {
        let tracker = Tracking.pause(on: loop.pointee.thread)
        defer { Tracking.resume(tracker) }
        loop.pointee.delivering = ObjectIdentifier(self)
        loop.pointee.cause = change.cause
        var script = script
        let (new, isChange, revision) = (change.new, change.isChange, change.revision)
        // The array keeps the observers alive, so they need not be retained one by one.
        observers.withUnsafeBufferPointer { buffer in
            for index in buffer.indices {
                Unmanaged.passUnretained(buffer[index])._withUnsafeGuaranteedRef { observation in
                    // A field takes only observers of its own value type.
                    let observer = unsafeDowncast(observation, to: Observer<Value>.self)
                    let phase = observer.phase.load(ordering: .acquiring)
                    if phase == Observation.live {
                        if !observer.body.isEmpty, revision > observer.since {
                            if isChange || observer.takesSets { observer.body.call(new) }
                        } else {
                            notify(change, &script, to: observer)
                        }
                    } else if phase == Observation.starting {
                        deliverEarly(change, script, to: observer)
                    }
                }
            }
        }
        loop.pointee.delivering = nil
    }

    /// Delivers what waits, until nothing does or others have to take over.
    ///
    /// Unlocks; the lock must be held, and this thread must be the one that drains.
    @inlinable
    final func drainQueue(_ state: FieldState<Value>, _ loop: UnsafeMutablePointer<DeliveryLoop>) {
        var delivered = 1
        while true {
            // At the top, where nothing of the last round is left to be released.
            if delivered > 1 { lock.lock() }
            if state.queue.isEmpty, state.retired.isEmpty, state.settling.isEmpty {
                state.endTurn()
                state.reportedMerge = false
                return lock.unlock()
            }
            if state.queue.isEmpty || state.isTurnOver(after: delivered) {
                return endDraining(state, handingOver: !state.queue.isEmpty)
            }
            var next = state.queue.removeFirst()
            // Not even the empty list is copied where it is one: that would count a reference.
            let retired = state.retired.isEmpty ? nil : state.retired
            if retired != nil { state.retired = [] }
            let observers = state.observers
            lock.unlock()
            retired?.forEach { $0.dispose() }
            if next.change.isJoined { compare(&next.change) }
            deliver(next.change, next.script, to: observers, loop)
            delivered += 1
        }
    }

    /// Ends this thread's turn.
    ///
    /// Unlocks; the lock must be held.
    @usableFromInline @inline(never)
    final func endDraining(_ state: FieldState<Value>, handingOver: Bool) {
        state.endTurn()
        let retired = state.retired
        if !retired.isEmpty { state.retired = [] }
        if !handingOver { state.reportedMerge = false }
        let settled = state.settling.isEmpty ? [] : state.takeSettled()
        lock.unlock()
        for observation in retired { observation.dispose() }
        for continuation in settled { continuation.resume() }
        if handingOver {
            // The next set takes over; if none comes, this does.
            DispatchQueue.global().async { [self] in DeliveryLoop.run { Self.drain(self, $0) } }
        }
    }

    /// Delivers what waits on a field, for a loop.
    @inlinable
    static func drain(_ field: AnyField, _ loop: UnsafeMutablePointer<DeliveryLoop>) {
        let field = unsafeDowncast(field, to: FieldCore<Value>.self)
        field.lock.lock()
        let isDone: Void? = field.withState { state in
            if state.scheduler == loop { state.scheduler = nil }
            guard !state.isDraining, !state.queue.isEmpty else {
                return field.lock.unlock()
            }
            state.isDraining = true
            state.isContended = false
            state.drainer = loop
            field.drainQueue(state, loop)
        }
        if isDone == nil { field.lock.unlock() }
    }

    /// Whether the observers can be notified without the queue: nobody else delivers, nothing waits, and
    /// there is nothing else to do.
    ///
    /// The lock must be held.
    ///
    /// - Returns: The state of this thread; nil if they cannot.
    @inlinable @inline(__always)
    final func mayDeliverNow(_ state: FieldState<Value>) -> ThreadState.Pointer? {
        guard state.isUnbound, state.dependents.isEmpty, state.isIdle,
            state.withheld == nil, !state.observers.isEmpty
        else { return nil }
        let thread = ThreadState.current
        return thread.pointee.loop == nil ? thread : nil
    }

    /// Delivers a change to the observers.
    ///
    /// Unlocks; the lock must be held.
    @inlinable @inline(__always)
    final func deliverNow(
        _ change: Change<Value>,
        _ script: EditScript?,
        _ state: FieldState<Value>,
        _ thread: ThreadState.Pointer
    ) {
        state.isDraining = true
        state.isContended = false
        let observers = state.observers
        DeliveryLoop.run(on: thread) { loop in
            state.drainer = loop
            lock.unlock()
            deliver(change, script, to: observers, loop)
            lock.lock()
            drainQueue(state, loop)
        }
    }

    /// Delivers a change to an observer, unless the observer is newer.
    ///
    /// The script is the change's; the first who finds it keeps it there for the others.
    @inlinable @inline(__always)
    final func notify(
        _ change: Change<Value>,
        _ script: inout EditScript?,
        to observer: Observer<Value>
    ) {
        if change.revision > observer.since {
            observer.notify(self, change, &script)
        } else if observer.since == .max {
            notifyFirst(change, &script, to: observer)
        }
    }

    /// Delivers a change to an observer that was added while others waited: from the value on that it
    /// began with.
    @usableFromInline @inline(never)
    final func notifyFirst(
        _ change: Change<Value>,
        _ script: inout EditScript?,
        to observer: Observer<Value>
    ) {
        lock.lock()
        guard let start = observer.start, change.revision > start.since else {
            return lock.unlock()
        }
        (observer.start, observer.since) = (nil, start.since)
        lock.unlock()
        // Its value is released without the lock.
        defer { withExtendedLifetime(start) {} }
        guard change.isJoined else { return observer.notify(self, change, &script) }
        var first = change
        first.join(from: start.value)
        compare(&first)
        var ownScript: EditScript?
        observer.notify(self, first, &ownScript)
    }

    /// Keeps a change for an observer that another thread is giving its first value.
    @usableFromInline @inline(never)
    final func deliverEarly(
        _ change: Change<Value>,
        _ script: EditScript?,
        to observer: Observer<Value>
    ) {
        lock.lock()
        guard observer.phase.load(ordering: .acquiring) == Observation.starting else {
            lock.unlock()
            var script = script
            return observer.isCancelled ? () : notify(change, &script, to: observer)
        }
        let registered = observer.start?.since ?? observer.since
        guard change.revision > registered else { return lock.unlock() }
        let early = observer.early.orMade(Observer.Early(since: change.revision))
        early.since = min(early.since, change.revision)
        let merged = early.changes.count >= Self.queueLimit ? early.changes : []
        var last = Queued(change: change, script: script)
        last.join(merged)
        if !merged.isEmpty { early.changes = [] }
        early.changes.append(last)
        let mustReport = !merged.isEmpty && !early.reportedMerge
        if mustReport { early.reportedMerge = true }
        lock.unlock()
        withExtendedLifetime(merged) {}
        if mustReport { reportMerged(merged.count) }
    }
}
