public import Observation

extension Computed: Observable {}

extension Computed: ValueSource {
    public var observerList: ObserverList<Value> { ObserverList(output) }

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
}
