public import Dispatch

extension Computed: ValueSource {
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

    /// Calls a closure with its owner, the old and the new value, while the owner lives.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ owner: Owner, _ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        output.observe(owner, when: trigger, body)
    }

    /// Notifies an object of the value: once now, if it does not ask for changes only, then whenever it
    /// differs.
    ///
    /// It is held weakly, and handed this computed field. A field is bound to this one instead, if
    /// it does not ask for changes only, and so is one that backs an object.
    ///
    /// - Returns: The observer.
    @discardableResult
    public func addObserver<Object: ValueObserver<Value>>(
        _ observer: Object,
        when trigger: ObservationTrigger = .everySet
    ) -> Object {
        if !Field.bind(self, to: observer, when: trigger) {
            output.notify(observer, of: self, when: trigger)
        }
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
        return output.bind(to: target)
    }

    /// Binds a field of another type: it takes what a closure makes of the value, now and whenever
    /// that differs.
    ///
    /// The field holds the computed field while it is bound.
    ///
    /// - Parameters:
    ///   - target: The field that takes the values.
    ///   - forward: Makes the target's value; of nil where the computation has failed. Called on the
    ///     thread that sets, with no lock held. What may fail belongs into a computation.
    /// - Returns: The field.
    @discardableResult
    public func bind<Target>(
        to target: Field<Target>,
        forward: @escaping @Sendable (_ value: Value?) -> Target?
    ) -> Field<Target> {
        target.retain(self, output)
        return output.bind(to: target, forward: forward)
    }

    /// Stops every observation of an owner or observer, the one of a token, and the binding to a
    /// field or to an object that is backed by one.
    public func removeObserver(_ owner: AnyObject) { output.removeObserver(owner) }

    /// Stops every observation, and every binding.
    public func removeAllObservers() {
        releaseTargets()
        output.removeAllObservers()
    }

    /// How many observers and bindings there are; those of dead owners may count.
    public var observerCount: Int { output.observerCount }

    /// Waits until the observers have been notified of every change made so far.
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

    /// The values as a sequence, which buffers for a slow consumer as `buffering` says.
    public func values(buffering: FieldBuffering) -> FieldValues<Value> {
        output.values(buffering: buffering)
    }

    /// The changes as a sequence, which gives a slow consumer all of them; it ends when the computed
    /// field dies.
    public var changes: FieldChanges<Value> { output.changes }

    /// The changes as a sequence, which buffers for a slow consumer as `buffering` says.
    public func changes(buffering: FieldBuffering) -> FieldChanges<Value> {
        output.changes(buffering: buffering)
    }
}
