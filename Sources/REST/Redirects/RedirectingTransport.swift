public import ModelKitStores

/// Follows redirects, as a policy says.
///
/// One that is refused makes it fail with `.other`, which says why. The deadline is that of all requests
/// together. A `HTTPReply` counts them all, and a failure behind a 303 says that the server has got the
/// first.
///
/// ```swift
/// let transport = RedirectingTransport(base, policy: RedirectPolicy(limit: 3))
/// ```
public struct RedirectingTransport: HTTPReplying {
    private let base: any HTTPTransport
    private let policy: RedirectPolicy
    private let clock: any Clock<Duration>

    /// Wraps a transport.
    public init(
        _ base: any HTTPTransport,
        policy: RedirectPolicy = RedirectPolicy(),
        clock: any Clock<Duration> = SuspendingClock()
    ) {
        self.base = base
        self.policy = policy
        self.clock = clock
    }

    public func reply(to request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPReply> {
        let watch = Stopwatch(clock)
        return follow(request, limits, [], limits, watch)
    }

    /// Sends a request that others have led to.
    private func follow(
        _ request: HTTPRequest,
        _ left: HTTPLimits,
        _ before: [HTTPRequest],
        _ limits: HTTPLimits,
        _ watch: Stopwatch
    ) -> Promise<HTTPReply> {
        HTTPReply.to(request, left, over: base).then { reply in
            guard 300..<400 ~= reply.response.status,
                let next = try next(after: request, reply, before)
            else {
                var reply = reply
                let isHome = before.allSatisfy { HTTPOrigin.areEqual($0.origin, request.origin) }
                if !isHome { reply.isFromElsewhere = true }
                return .value(reply)
            }
            // It was carried out where it is not what is sent next.
            let isDone = next.method != request.method && !request.method.isSafe
            return follow(next, limits.after(watch.elapsed), before + [request], limits, watch)
                .after(attempts: reply.attempts, mayBeSent: reply.mayBeRepeated || isDone)
        }
    }

    private func next(
        after request: HTTPRequest,
        _ reply: HTTPReply,
        _ before: [HTTPRequest]
    ) throws(HTTPFailure) -> HTTPRequest? {
        do {
            guard let next = try policy.next(after: request, reply.response) else { return nil }
            guard !(before + [request]).contains(where: next.isAtPlace) else {
                throw RedirectRefusal.loop
            }
            guard before.count < policy.limit else {
                throw RedirectRefusal.tooMany(limit: policy.limit)
            }
            return next
        } catch {
            // A 307 and a 308 say that nothing was done.
            let isUntouched = request.method.isSafe || [307, 308].contains(reply.response.status)
            let mayBeSent = reply.mayBeRepeated || !isUntouched
            throw HTTPFailure(.other("\(error)"), mayBeSent: mayBeSent)
        }
    }
}

extension HTTPRequest {
    /// Whether another asks for the same of the same place.
    fileprivate func isAtPlace(of other: HTTPRequest) -> Bool {
        method == other.method && target == other.target
            && HTTPOrigin.areEqual(origin, other.origin)
    }
}
