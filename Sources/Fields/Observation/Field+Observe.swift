public import ModelKitValues

extension Field {
    /// Calls a closure with the value: once now, then whenever the field is set.
    ///
    /// The closure runs on the thread that sets the field (or on one that already delivers other
    /// changes), with no lock held.
    @inlinable @discardableResult
    public final func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ value: Value?) -> Void
    ) -> Observation {
        register(Observer(trigger, .value(body)))
    }

    /// Calls a closure with the old and the new value: once now, when the old one is nil, then
    /// whenever the field is set.
    ///
    /// Each old value is the new one of the call before.
    @inlinable @discardableResult
    public final func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        register(Observer(trigger, .change(body)))
    }

    /// Calls a closure with its owner and the value, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @inlinable @discardableResult
    public final func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ owner: Owner, _ value: Value?) -> Void
    ) -> Observation {
        let action = Observer<Value>.Action.owned { object, new in
            // The observer hands in the owner it was made with.
            body(unsafeDowncast(object, to: Owner.self), new)
        }
        return register(Observer(trigger, owner: owner, action))
    }

    /// Calls a closure with its owner, the old and the new value, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @discardableResult
    public final func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ owner: Owner, _ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        let action = Observer<Value>.Action.edits { observer, change, _ in
            guard let object = observer.owner else { return }
            // The observer has the owner that it was made with.
            body(unsafeDowncast(object, to: Owner.self), change.old, change.new)
        }
        return register(Observer(trigger, owner: owner, action))
    }

    /// Notifies an object of the value: once now, if it does not ask for changes only, then whenever
    /// the field is set.
    ///
    /// It is held weakly. A field that asks for every set is bound to this one, and so is one that
    /// backs an object; of changes they are notified like others.
    ///
    /// - Returns: The observer.
    @discardableResult
    public final func addObserver<Object: ValueObserver<Value>>(
        _ observer: Object,
        when trigger: ObservationTrigger = .everySet
    ) -> Object {
        if Field.bind(self, to: observer, when: trigger) { return observer }
        let action = Observer<Value>.Action.object { object, field, new in
            // The observer hands in the object it was made with.
            unsafeDowncast(object, to: Object.self).valueChanged(field, value: new)
        }
        register(Observer(trigger, owner: observer, action))
        return observer
    }

    /// Adds an observer and delivers the value to it, if it asks for every set.
    @inlinable @discardableResult
    final func register(_ observer: Observer<Value>) -> Observation {
        let details = lockDetails()
        let upstream = details.upstream
        if let upstream {
            lock.unlock()
            upstream.prepare()
            lock.lock()
        }
        if details.tellsDifferences { observer.takesSets = false }
        details.append(observer, of: self)
        let value = storage
        if let state, !state.isIdle || state.withheld != nil {
            observer.since = .max
            observer.start = Observer.Start(value)
        }
        let isFull = details.observers.count >= details.observerLimit
        lock.unlock()
        if isFull { removeOrphans(details) }
        upstream?.prepare()
        if observer.trigger == .everySet {
            if let loop = DeliveryLoop.current {
                start(observer, with: value, details, loop)
            } else {
                DeliveryLoop.run { loop in start(observer, with: value, details, loop) }
            }
        }
        // The others were ended, perhaps before this one was added.
        if let upstream, upstream.isOver { observer.cancel() }
        if let thread = ThreadState.known, thread.pointee.scope != nil { observer.joinScope() }
        return observer
    }

    /// Delivers the value to a new observer, then what came meanwhile, and lets it take part in
    /// deliveries.
    @inlinable
    final func start(
        _ observer: Observer<Value>,
        with value: Value?,
        _ details: FieldDetails,
        _ loop: UnsafeMutablePointer<DeliveryLoop>
    ) {
        let tracker = Tracking.pause()
        defer { Tracking.resume(tracker) }
        var script: EditScript?
        let first = Change(old: nil, new: value, isChange: true, revision: 0)
        observer.call(self, first, &script)
        repeat {
            lock.lock()
        } while details.hasEarlyChanges && notifyEarly(to: observer, loop)
        let isLive = observer.beginLife()
        let settled = details.settling.isEmpty ? [] : state?.takeSettled() ?? []
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
        let key = ObjectIdentifier(observer)
        guard let state, let changes = state.early.removeValue(forKey: key)?.changes else {
            return false
        }
        guard let first = changes.first else {
            state.hasEarlyChanges = !state.early.isEmpty
            return false
        }
        // It stays, so that `settled()` knows of those that are notified now.
        state.early[key] = Early(changes: [], pending: first.change.revision)
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
