extension FieldCore {
    /// Adds an observer and delivers the value to it, if it asks for every set.
    @inlinable @discardableResult
    final func register(_ observer: Observer<Value>) -> Observation {
        let thread = ThreadState.current
        let details = lockDetails()
        let upstream = details.upstream
        if let upstream {
            lock.unlock()
            upstream.prepare()
            lock.lock()
        }
        if details.reportsDifferences { observer.takesSets = false }
        details.append(observer, of: self)
        let value = storage
        if withState({ !$0.isIdle || $0.withheld != nil }) == true {
            observer.start = Observer.Start(value, observer.since)
            observer.since = .max
        }
        let isFull = details.observers.count >= details.observerLimit
        lock.unlock()
        if isFull { removeOrphans(details) }
        upstream?.prepare()
        if observer.trigger == .everySet {
            DeliveryLoop.withCurrent(on: thread) { start(observer, with: value, $0, thread) }
        }
        // The others were ended, perhaps before this one was added.
        if let upstream, upstream.isOver { observer.cancel() }
        if thread.pointee.rawScope != nil { observer.joinScope() }
        return observer
    }

    /// Delivers the value to a new observer, then what came meanwhile, and lets it take part in
    /// deliveries.
    @inlinable
    final func start(
        _ observer: Observer<Value>,
        with value: Value?,
        _ loop: UnsafeMutablePointer<DeliveryLoop>,
        _ thread: ThreadState.Pointer
    ) {
        let tracker = Tracking.pause(on: thread)
        defer { Tracking.resume(tracker) }
        var script: EditScript?
        let first = Change(old: nil, new: value, isChange: true, revision: 0)
        observer.call(self, first, &script)
        repeat {
            lock.lock()
        } while observer.early != nil && notifyEarly(to: observer, loop)
        let isLive = observer.beginLife()
        let settled = withState { $0.settling.isEmpty ? [] : $0.takeSettled() } ?? []
        lock.unlock()
        if !isLive { observer.dispose() }
        for continuation in settled { continuation.resume() }
    }

    /// Delivers to a new observer what came while it received something else.
    ///
    /// The lock must be held; it is free afterwards if there was anything.
    ///
    /// - Returns: Whether there was.
    @usableFromInline @inline(never)
    final func notifyEarly(
        to observer: Observer<Value>,
        _ loop: UnsafeMutablePointer<DeliveryLoop>
    ) -> Bool {
        let changes = observer.early?.changes ?? []
        // `settled()` knows by it of those that are notified now.
        observer.early = changes.first.map { Observer.Early(since: $0.change.revision) }
        if changes.isEmpty { return false }
        lock.unlock()
        // The loop may be in the middle of another delivery, which added the observer.
        let outer = (loop.pointee.delivering, loop.pointee.cause)
        loop.pointee.delivering = ObjectIdentifier(self)
        for var next in changes where !observer.isCancelled {
            loop.pointee.cause = next.change.cause
            if next.change.isJoined { compare(&next.change) }
            notify(next.change, &next.script, to: observer)
        }
        (loop.pointee.delivering, loop.pointee.cause) = outer
        return true
    }
}
