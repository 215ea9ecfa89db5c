extension Promise {
    /// A promise of what `transform` makes of the value.
    ///
    /// It fails with the error of this promise, for which `transform` is not called, or with what
    /// `transform` throws.
    ///
    /// ```swift
    /// let name = store.lookup(Person.self, identifier: id).map { $0.name.value ?? "nobody" }
    /// ```
    @inlinable
    public final func map<Next: Sendable>(
        on executor: PromiseExecutor? = nil,
        _ transform: @escaping @Sendable (Value) throws -> Next
    ) -> Promise<Next> {
        typealias Step = PromiseStep<Value, Next, Next>
        let step = Step(transform) { node, source, queue in
            let step = node.as(Step.self), source = source.as(Promise.self)
            guard let transform = step.takeHandler() else { return }
            if let error = source.error { return _ = step.settle(error: error, queue) }
            step.attempt(queue) { step.settle(value: try transform(source.settledValue), queue) }
        }
        return start(step, on: executor)
    }

    /// A promise that ends as the one will that `next` returns for the value.
    ///
    /// It fails with the error of this promise, for which `next` is not called, or with what `next`
    /// throws. Cancelling it before the call removes a consumer of this promise, after it one of
    /// the promise returned.
    ///
    /// ```swift
    /// let deleted = store.lookup(Person.self, identifier: id).then { store.delete($0) }
    /// ```
    @inlinable
    public final func then<Next: Sendable>(
        on executor: PromiseExecutor? = nil,
        _ next: @escaping @Sendable (Value) throws -> Promise<Next>
    ) -> Promise<Next> {
        typealias Step = PromiseStep<Value, Promise<Next>, Next>
        let step = Step(next) { node, source, queue in
            let step = node.as(Step.self), source = source.as(Promise.self)
            guard let next = step.takeHandler() else { return }
            if let error = source.error { return _ = step.settle(error: error, queue) }
            step.attempt(queue) { step.follow(try next(source.settledValue), queue) }
        }
        return start(step, on: executor)
    }
}
