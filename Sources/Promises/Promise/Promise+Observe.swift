extension Promise {
    /// Calls `body` with the outcome and passes it on unchanged.
    ///
    /// ```swift
    /// let page = download(url).tap { outcome in print("downloaded:", outcome) }
    /// ```
    @inlinable
    public final func tap(
        on executor: PromiseExecutor? = nil,
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
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
    /// It is called also if the promise that it returns is cancelled: then before the handlers of that
    /// promise, without an executor at once; or in its turn if this one has ended by then.
    ///
    /// ```swift
    /// let page = download(url).finally { spinner.stop() }
    /// ```
    @inlinable
    public final func finally(
        on executor: PromiseExecutor? = nil,
        _ body: @escaping @Sendable () -> Void
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
    ///
    /// ```swift
    /// download(url).observe { outcome in print("downloaded:", outcome) }
    /// ```
    @inlinable
    public final func observe(
        on executor: PromiseExecutor? = nil,
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
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
