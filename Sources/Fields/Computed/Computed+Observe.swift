public import Dispatch

extension Computed {
    /// Calls a closure with the value: once now, if it does not ask for changes only, then whenever it
    /// differs.
    ///
    /// As with fields, the observation lives until it is cancelled or the computed field dies.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ value: Value?) -> Void
    ) -> Observation {
        output.observe(when: trigger, body)
    }

    /// Calls a closure with the old and the new value; in the first call, if there is one, the old
    /// one is nil.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        output.observe(when: trigger, body)
    }

    /// Calls a closure once now, if it does not ask for changes only, then whenever the value
    /// differs.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable () -> Void
    ) -> Observation {
        output.observe(when: trigger, body)
    }

    /// Calls a closure with its owner and the value, while the owner lives.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ owner: Owner, _ value: Value?) -> Void
    ) -> Observation {
        output.observe(owner, when: trigger, body)
    }

    /// Tells an object of the value: once now, then whenever it differs.
    ///
    /// It is held weakly, and handed this computed field. A field as observer is bound to this one.
    ///
    /// - Returns: The observer.
    @discardableResult
    public func addObserver<Object: ValueObserver<Value>>(_ observer: Object) -> Object {
        if let field = observer as? Field<Value> {
            bind(to: field)
            return observer
        }
        let action = Observer<Value>.Action.owned { [weak self] object, new in
            // The observer hands in the object it was made with.
            if let self { unsafeDowncast(object, to: Object.self).valueChanged(self, value: new) }
        }
        output.register(Observer(.everySet, owner: observer, action))
        return observer
    }

    /// Binds a field: it takes the value now and whenever it differs, before the set returns that
    /// changes something this has read.
    ///
    /// The field holds the computed field while it is bound, so one that nobody else holds lives on.
    ///
    /// - Returns: The field.
    @discardableResult
    public func bind(to target: Field<Value>) -> Field<Value> {
        target.retain(self, output)
        output.bind(to: target)
        return target
    }

    /// Stops every observation of an owner or observer, and a binding to it.
    public func removeObserver(_ owner: AnyObject) {
        output.removeObserver(owner)
        if let field = owner as? AnyField { field.release(self) }
    }

    /// Stops every observation, and every binding.
    public func removeAllObservers() {
        releaseTargets()
        output.removeAllObservers()
    }

    /// How many observers and bindings there are; those of dead owners may count.
    public var observerCount: Int { output.observerCount }

    /// Waits until the observers have been told of every change made so far.
    public func settled() async {
        // Another thread may be about to bring them one.
        if output.isObservedOrBound { Upstream(node).prepare() }
        await output.settled()
    }

    /// The computed field as the main thread sees it.
    public var onMain: OnMain<Value> { output.onMain }

    /// The computed field as a dispatch queue sees it.
    public func on(_ queue: DispatchQueue) -> OnQueue<Value> { output.on(queue) }

    /// The values as a sequence, which gives a slow consumer the newest; it ends when the computed
    /// field dies.
    public var values: FieldValues<Value> { output.values }

    /// The values as a sequence, which keeps for a slow consumer what it is told to.
    public func values(buffering: FieldBuffering) -> FieldValues<Value> {
        output.values(buffering: buffering)
    }

    /// The changes as a sequence, which gives a slow consumer all of them; it ends when the computed
    /// field dies.
    public var changes: FieldChanges<Value> { output.changes }

    /// The changes as a sequence, which keeps for a slow consumer what it is told to.
    public func changes(buffering: FieldBuffering) -> FieldChanges<Value> {
        output.changes(buffering: buffering)
    }
}

/// Binds a field to a computed one.
@discardableResult
public func --> <Value>(source: Computed<Value>, target: Field<Value>) -> Field<Value> {
    source.bind(to: target)
}

/// Adds an observer, which is told the value now and whenever it differs.
@discardableResult
public func --> <Value, Observer: ValueObserver<Value>>(
    source: Computed<Value>,
    observer: Observer
) -> Observer {
    source.addObserver(observer)
}

/// Calls a closure with the value, now and whenever it differs.
@discardableResult
public func --> <Value>(
    source: Computed<Value>,
    body: @escaping @Sendable (_ value: Value?) -> Void
) -> Observation {
    source.observe(body)
}

/// Calls a closure with the old and the new value, now and whenever it differs.
@discardableResult
public func --> <Value>(
    source: Computed<Value>,
    body: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
) -> Observation {
    source.observe(body)
}

/// Calls a closure now and whenever the value differs.
@discardableResult
public func --> <Value>(
    source: Computed<Value>,
    body: @escaping @Sendable () -> Void
) -> Observation {
    source.observe(body)
}

/// Calls an owner's closure with the value, now and whenever it differs, while the owner lives.
@discardableResult
public func --> <Value>(source: Computed<Value>, closure: OwnedClosure<Value?>) -> Observation {
    source.output.observeOwned(closure)
}

/// Binds the left field to a computed one.
///
/// - Returns: The computed field.
@discardableResult
public func <-- <Value>(target: Field<Value>, source: Computed<Value>) -> Computed<Value> {
    source.bind(to: target)
    return source
}

/// Stops every observation that belongs to an owner or observer, and the binding to a field.
public func -/-> <Value>(source: Computed<Value>, observer: AnyObject) {
    source.removeObserver(observer)
}
