import ModelKitStores
import Synchronization

/// A request on its way, which ends with whatever comes first: its answer, its deadline, or its being
/// cancelled.
final class HTTPExchange: Sendable {
    let promise: Promise<HTTPResponse>
    private let resolver: Resolver<HTTPResponse>
    private let deadline: Promise<Void>?
    private let mayBeSent = Atomic(false)

    init(_ limits: HTTPLimits, clock: any Clock<Duration> = SuspendingClock()) {
        (promise, resolver) = Promise.withResolvers()
        deadline = limits.deadline.map { .timer($0, clock) }
    }

    /// Tells how to stop the work, which is done once at most, and not when the work ends by itself.
    func begin(stop: @escaping @Sendable () -> Void) {
        resolver.whenCancelled { [self] in failure(.cancelled) }
        resolver.onCancel { [self] in
            deadline?.cancel()
            stop()
        }
        deadline?.observe { [self] result in
            guard case .success = result, fail(.timedOut) else { return }
            stop()
        }
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
        if isFirst { deadline?.cancel() }
        return isFirst
    }

    @discardableResult
    func fail(_ reason: HTTPFailure.Reason) -> Bool { end(.failure(failure(reason))) }
}
