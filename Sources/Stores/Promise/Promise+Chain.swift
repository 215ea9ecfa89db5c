extension Promise {
    /// A promise of what `transform` makes of the value.
    ///
    /// It fails with the error of this promise, for which `transform` is not called, or with what
    /// `transform` throws.
    @inlinable
    public final func map<Next: Sendable>(
        on executor: PromiseExecutor? = nil,
        _ transform: sending @escaping (Value) throws -> Next
    ) -> Promise<Next> {
        typealias Step = PromiseStep<Value, Next, Next>
        let step = Step(transform) { node, source, queue in
            let step = node.as(Step.self), source = source.as(Promise.self)
            guard let transform = step.takeHandler() else { return }
            if let error = source.error { return _ = step.settle(error: error, queue) }
            do {
                step.settle(value: try transform(source.settledValue), queue)
            } catch {
                step.settle(error: error, queue)
            }
        }
        return start(step, on: executor)
    }

    /// A promise that ends as the one will that `next` returns for the value.
    ///
    /// It fails with the error of this promise, for which `next` is not called, or with what `next`
    /// throws. Cancelling it before the call tells this promise, after it the one returned, that a
    /// consumer left.
    ///
    /// ```swift
    /// store.lookup(Person.self, identifier: id).then { store.delete($0) }
    /// ```
    @inlinable
    public final func then<Next: Sendable>(
        on executor: PromiseExecutor? = nil,
        _ next: sending @escaping (Value) throws -> Promise<Next>
    ) -> Promise<Next> {
        typealias Step = PromiseStep<Value, Promise<Next>, Next>
        let step = Step(next) { node, source, queue in
            let step = node.as(Step.self), source = source.as(Promise.self)
            guard let next = step.takeHandler() else { return }
            if let error = source.error { return _ = step.settle(error: error, queue) }
            do {
                step.follow(try next(source.settledValue), queue)
            } catch {
                step.settle(error: error, queue)
            }
        }
        return start(step, on: executor)
    }
}

extension Promise {
    /// A promise of the value, or of the one that `replacement` makes of the error.
    ///
    /// It fails with what `replacement` throws. A `CancellationError` of this promise is an error
    /// like any other.
    @inlinable
    public final func recover(
        on executor: PromiseExecutor? = nil,
        _ replacement: sending @escaping (any Error) throws -> Value
    ) -> Promise {
        typealias Step = PromiseStep<any Error, Value, Value>
        let step = Step(replacement) { node, source, queue in
            let step = node.as(Step.self), source = source.as(Promise.self)
            guard let replacement = step.takeHandler() else { return }
            guard let error = source.error else {
                return _ = step.settle(value: source.settledValue, queue)
            }
            do {
                step.settle(value: try replacement(error), queue)
            } catch {
                step.settle(error: error, queue)
            }
        }
        return start(step, on: executor)
    }

    /// A promise of the value, or one that ends as the promise will that `replacement` returns for
    /// the error.
    @inlinable
    public final func recoverWith(
        on executor: PromiseExecutor? = nil,
        _ replacement: sending @escaping (any Error) throws -> Promise
    ) -> Promise {
        typealias Step = PromiseStep<any Error, Promise, Value>
        let step = Step(replacement) { node, source, queue in
            let step = node.as(Step.self), source = source.as(Promise.self)
            guard let replacement = step.takeHandler() else { return }
            guard let error = source.error else {
                return _ = step.settle(value: source.settledValue, queue)
            }
            do {
                step.follow(try replacement(error), queue)
            } catch {
                step.settle(error: error, queue)
            }
        }
        return start(step, on: executor)
    }

    /// Calls `body` with the error, if there is one: the end of a chain.
    ///
    /// The promise it returns succeeds when that is done, also if there was no error. A
    /// `CancellationError` is an error like any other.
    @inlinable @discardableResult
    public final func `catch`(
        on executor: PromiseExecutor? = nil,
        _ body: sending @escaping (any Error) -> Void
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

extension Promise {
    /// Calls `body` with the outcome and passes it on unchanged.
    @inlinable
    public final func tap(
        on executor: PromiseExecutor? = nil,
        _ body: sending @escaping (Result<Value, any Error>) -> Void
    ) -> Promise {
        typealias Step = PromiseStep<Result<Value, any Error>, Void, Value>
        let step = Step(body) { node, source, queue in
            let step = node.as(Step.self), source = source.as(Promise.self)
            guard let body = step.takeHandler() else { return }
            // The handler was given as one that does not throw.
            try? body(source.settledResult)
            step.settle(like: source, queue)
        }
        return start(step, on: executor)
    }

    /// Calls `body` once, however this ends, and passes the outcome on unchanged.
    ///
    /// It is called also if the promise that it returns is cancelled: then at once, before the
    /// handlers of that promise, or in its turn if this one has ended by then.
    @inlinable
    public final func finally(
        on executor: PromiseExecutor? = nil,
        _ body: sending @escaping () -> Void
    ) -> Promise {
        typealias Step = PromiseStep<Void, Void, Value>
        let step = Step({ _ in body() }) { node, source, queue in
            let step = node.as(Step.self)
            // Not `takeHandler`: owed also if the step was cancelled. Nor does the handler throw.
            let body = step.handler
            step.handler = nil
            try? body?(())
            if !step.isSettled { step.settle(like: source.as(Promise.self), queue) }
        }
        step.alwaysRuns = true
        return start(step, on: executor)
    }

    /// Calls `body` with the outcome.
    ///
    /// That cannot be taken back: who observes stays a consumer, for whom the work goes on.
    @inlinable
    public final func observe(
        on executor: PromiseExecutor? = nil,
        _ body: sending @escaping (Result<Value, any Error>) -> Void
    ) {
        typealias Observer = PromiseObserver<Result<Value, any Error>>
        let observer = Observer(body) { node, source, _ in
            let observer = node.as(Observer.self)
            let body = observer.handler
            observer.handler = nil
            body?(source.as(Promise.self).settledResult)
        }
        if let executor { observer.hop(to: executor) }
        attach(observer)
    }
}
