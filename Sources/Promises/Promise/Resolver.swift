/// The one who settles a promise, once; later attempts change nothing and return false.
///
/// May be used from any thread, and handed to any number of callbacks. When the last reference to it
/// is dropped before the promise is settled, the promise fails with ``PromiseError/broken``, which is
/// not reported unless somebody waits for it and lets it go unhandled.
///
/// ```swift
/// let (promise, resolver) = Promise<Int>.withResolvers()
/// let timer = startTimer { resolver.fulfill(1) }
/// resolver.onCancel { timer.stop() }
/// ```
public final class Resolver<Value: Sendable>: Sendable {
    /// The promise that it settles.
    public let promise: Promise<Value>

    @inlinable
    init(_ promise: Promise<Value>) {
        self.promise = promise
    }

    deinit {
        if promise.isSettled { return }
        // Nobody is missing a promise that nobody looked at; who waits for it gets the error.
        if reject(PromiseError.broken) { promise.markHandled() }
    }
}

extension Resolver {
    /// Gives the promise its value; false if it was settled or follows another.
    ///
    /// Its handlers without an executor have been called when this returns, unless it is called
    /// inside a handler, or another thread is busy calling them.
    @inlinable @discardableResult
    public func fulfill(_ value: Value) -> Bool {
        promise.settle(byResolver: true, queue: nil) { promise.outcome = value }
    }

    /// Makes the promise fail; false if it was settled or follows another.
    @inlinable @discardableResult
    public func reject(_ error: any Error) -> Bool {
        promise.settle(byResolver: true, queue: nil) { promise.error = error }
    }

    /// Settles the promise; false if it was settled or follows another.
    @inlinable @discardableResult
    public func resolve(_ result: Result<Value, any Error>) -> Bool {
        switch result {
        case .success(let value): fulfill(value)
        case .failure(let error): reject(error)
        }
    }

    /// Settles the promise with what a callback was given: the error if there is one, else the value,
    /// else ``PromiseError/noResult``.
    @inlinable @discardableResult
    public func resolve(_ value: Value?, _ error: (any Error)?) -> Bool {
        if let error { return reject(error) }
        if let value { return fulfill(value) }
        return reject(PromiseError.noResult)
    }

    /// Makes the promise end as another will; false if it was settled or follows one already.
    ///
    /// From now on nothing else settles it, but for cancelling: that removes one consumer of
    /// `other`, and no longer calls the `onCancel` closures. Following itself, also through others that
    /// wait for it, makes the promise fail with ``PromiseError/selfResolution``; a circle through
    /// `all` is not seen.
    @inlinable @discardableResult
    public func follow(_ other: Promise<Value>) -> Bool {
        promise.follow(other, nil)
    }

    /// Registers how to stop the work, for when the promise is cancelled.
    ///
    /// Called once, after the promise has failed and before its handlers run; at once if it was
    /// cancelled already. Several are called in the order in which they were added. They are freed
    /// when the promise is settled.
    public func onCancel(_ stop: @escaping @Sendable () -> Void) {
        promise.onCancel(stop)
    }

    /// Registers what decides about cancelling the promise, instead of its failing with
    /// `CancellationError` whatever happens.
    ///
    /// It is called each time that the promise is to be cancelled, before that has any effect, on the
    /// thread that cancels. It returns the error to fail with; or nil, where the work cannot be stopped any
    /// more: then the promise stays as it is, and a cancelled task that was the last to wait for it waits
    /// for its end. A later call takes the place of the one before. A task that
    /// waits for this promise itself gets the error; promises that were made of this one, and are cancelled,
    /// have failed with `CancellationError` by then.
    ///
    /// ```swift
    /// resolver.whenCancelled { job.remove() ? StoreError.cancelled(.notApplied) : nil }
    /// ```
    public func whenCancelled(_ decide: @escaping @Sendable () -> (any Error)?) {
        promise.whenCancelled(decide)
    }
}

extension Resolver where Value == Void {
    /// Makes the promise succeed; false if it was settled or follows another.
    @inlinable @discardableResult
    public func fulfill() -> Bool {
        fulfill(())
    }
}
