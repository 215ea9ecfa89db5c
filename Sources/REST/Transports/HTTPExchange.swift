import Synchronization

/// A request on its way, which ends with whatever comes first: its answer, its deadline, or its being
/// cancelled.
final class HTTPExchange: Sendable {
    let promise: Promise<HTTPResponse>
    private let resolver: Resolver<HTTPResponse>
    private let mayBeSent = Atomic(false)
    private let timer = Guarded<Promise<Void>?>(nil)

    init() {
        (promise, resolver) = Promise.withResolvers()
    }

    /// Starts the time, and says how to stop the work: which is done once at most, and not when the work
    /// ends by itself.
    func begin(
        _ deadline: Duration?,
        clock: any Clock<Duration> = SuspendingClock(),
        stop: @escaping @Sendable () -> Void
    ) {
        resolver.whenCancelled { [self] in failure(.cancelled) }
        resolver.onCancel { [self] in
            endTimer()
            stop()
        }
        guard let deadline else { return }
        let timer = Promise<Void>.timer(deadline, clock)
        self.timer.withLock { $0 = timer }
        timer.observe { [self] result in
            guard case .success = result, fail(.timedOut) else { return }
            stop()
        }
        if promise.isSettled { endTimer() }
    }

    /// From now on the server may have got the request.
    func isSent() { mayBeSent.store(true, ordering: .releasing) }

    /// A failure for now.
    func failure(_ reason: HTTPFailure.Reason) -> HTTPFailure {
        HTTPFailure(reason, mayBeSent: mayBeSent.load(ordering: .acquiring))
    }

    /// Ends, unless it has; false if it has.
    @discardableResult
    func end(_ result: Result<HTTPResponse, HTTPFailure>) -> Bool {
        let isFirst = resolver.resolve(result.mapError { $0 })
        if isFirst { endTimer() }
        return isFirst
    }

    @discardableResult
    func fail(_ reason: HTTPFailure.Reason) -> Bool { end(.failure(failure(reason))) }

    private func endTimer() {
        timer.withLock { $0.take() }?.cancel()
    }
}
