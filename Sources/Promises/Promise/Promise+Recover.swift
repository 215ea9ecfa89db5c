extension Promise {
    /// A promise of the value, or of the one that `replacement` makes of the error.
    ///
    /// It fails with what `replacement` throws. A `CancellationError` of this promise is an error
    /// like any other.
    ///
    /// ```swift
    /// let page = download(url).recover { error in
    ///     guard error is Offline else { throw error }
    ///     return "an old page"
    /// }
    /// ```
    @inlinable
    public final func recover(
        on executor: PromiseExecutor? = nil,
        _ replacement: @escaping @Sendable (any Error) throws -> Value
    ) -> Promise {
        typealias Step = PromiseStep<any Error, Value, Value>
        let step = Step(replacement) { node, source, queue in
            let step = node.as(Step.self), source = source.as(Promise.self)
            guard let replacement = step.takeHandler() else { return }
            guard let error = source.error else {
                return _ = step.settle(value: source.settledValue, queue)
            }
            step.attempt(queue) { step.settle(value: try replacement(error), queue) }
        }
        return start(step, on: executor)
    }

    /// A promise of the value, or one that ends as the promise will that `replacement` returns for
    /// the error.
    ///
    /// ```swift
    /// let page = download(url).recoverWith { _ in download(mirror) }
    /// ```
    @inlinable
    public final func recoverWith(
        on executor: PromiseExecutor? = nil,
        _ replacement: @escaping @Sendable (any Error) throws -> Promise
    ) -> Promise {
        typealias Step = PromiseStep<any Error, Promise, Value>
        let step = Step(replacement) { node, source, queue in
            let step = node.as(Step.self), source = source.as(Promise.self)
            guard let replacement = step.takeHandler() else { return }
            guard let error = source.error else {
                return _ = step.settle(value: source.settledValue, queue)
            }
            step.attempt(queue) { step.follow(try replacement(error), queue) }
        }
        return start(step, on: executor)
    }

    /// Calls `body` with the error, if there is one: the end of a chain.
    ///
    /// The promise it returns succeeds when that is done, also if there was no error. A
    /// `CancellationError` is an error like any other.
    ///
    /// ```swift
    /// store.create(person).catch { error in print("not stored:", error) }
    /// ```
    @inlinable @discardableResult
    public final func `catch`(
        on executor: PromiseExecutor? = nil,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Promise<Void> {
        typealias Step = PromiseStep<any Error, Void, Void>
        let step = Step(body) { node, source, queue in
            let step = node.as(Step.self)
            guard let body = step.takeHandler() else { return }
            // The handler was given as one that does not throw.
            if let error = source.error { try? body(error) }
            step.settle(value: (), queue)
        }
        return start(step, on: executor)
    }
}
