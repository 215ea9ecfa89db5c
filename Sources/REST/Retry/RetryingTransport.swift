public import ModelKitEssentials
import ModelKitModels
public import ModelKitStores

/// Sends a request again where that can help and does no harm, as a policy says.
///
/// Every request that is not safe gets an `Idempotency-Key`
/// (draft-ietf-httpapi-idempotency-key-header), unless it has one, which all its attempts have in
/// common. The deadline is that of all attempts together, and progress begins anew with each. To
/// cancel it cancels the attempt, or the pause. A failure says whether the server may have got any
/// of the attempts; so does that of a cancelled `reply`. What is no `HTTPFailure` is not tried again.
///
/// It belongs around transports that authenticate or follow redirects, so that what these send again
/// is the same request with the same key.
///
/// ```swift
/// let transport = RetryingTransport(base, policy: RetryPolicy(attempts: 3), honoursKey: { request in
///     request.target.hasPrefix("/payments")
/// })
/// ```
public struct RetryingTransport: HTTPReplying {
    private let base: any HTTPTransport
    private let policy: RetryPolicy
    private let clock: any Clock<Duration>
    private let date: @Sendable () -> Date
    private let jitter: @Sendable () -> Double
    private let honoursKey: @Sendable (HTTPRequest) -> Bool

    /// Wraps a transport.
    ///
    /// - Parameters:
    ///   - base: What sends each attempt.
    ///   - policy: When there is another one.
    ///   - clock: What pauses and the budget are measured with.
    ///   - date: The time of day, for a server that names one.
    ///   - jitter: Numbers by chance, from 0 to 1.
    ///   - honoursKey: Whether the server is known to carry out a request once, however often it comes with
    ///     the same key.
    public init(
        _ base: any HTTPTransport,
        policy: RetryPolicy = RetryPolicy(),
        clock: any Clock<Duration> = SuspendingClock(),
        date: @escaping @Sendable () -> Date = { Date() },
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        honoursKey: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false }
    ) {
        self.base = base
        self.policy = policy
        self.clock = clock
        self.date = date
        self.jitter = jitter
        self.honoursKey = honoursKey
    }

    public func reply(to request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPReply> {
        var request = request
        if !request.method.isSafe, request.headers["Idempotency-Key"] == nil {
            request.headers["Idempotency-Key"] = "\"\(UUIDv7.make().uuidString.lowercased())\""
        }
        let run = Run(
            request: request,
            limits: limits,
            isKeyHonoured: request.headers["Idempotency-Key"] != nil && honoursKey(request),
            watch: Stopwatch(self.clock)
        )
        let (promise, resolver) = Promise<HTTPReply>.withResolvers()
        let work = attempt(1, of: run, mayBeRepeated: false)
        resolver.whenCancelled {
            run.course.cancel()
            work.cancel()
            return HTTPFailure(.cancelled, mayBeSent: run.course.mayBeSent)
        }
        work.observe { resolver.resolve($0) }
        return promise
    }

    /// What all attempts have in common.
    private struct Run: Sendable {
        let request: HTTPRequest
        let limits: HTTPLimits
        let isKeyHonoured: Bool
        let watch: Stopwatch
        let course = RetryCourse()
    }

    private func attempt(_ number: Int, of run: Run, mayBeRepeated: Bool) -> Promise<HTTPReply> {
        let limits = number == 1 ? run.limits : run.limits.after(run.watch.elapsed)
        guard run.course.begin() else { return .failed(CancellationError()) }
        let attempt = HTTPReply.to(run.request, limits, over: base)
        run.course.note(attempt)
        return attempt.map { Result<HTTPReply, any Error>.success($0) }
            .recover { .failure($0) }
            .then { try ended($0, number, of: run, mayBeRepeated: mayBeRepeated) }
    }

    private func ended(
        _ result: Result<HTTPReply, any Error>,
        _ number: Int,
        of run: Run,
        mayBeRepeated: Bool
    ) throws -> Promise<HTTPReply> {
        let outcome: Result<HTTPResponse, HTTPFailure>
        let attempts: Int
        var mayBeDone = mayBeRepeated
        do {
            let reply = try result.get()
            outcome = .success(reply.response)
            attempts = reply.attempts
            // Too slow or too soon, it was not looked at; behind anything else may be an effect.
            let isDone = ![408, 429].contains(reply.response.status)
            mayBeDone = mayBeDone || reply.mayBeRepeated || isDone
        } catch let failure as HTTPFailure {
            outcome = .failure(failure)
            attempts = 1
            mayBeDone = mayBeDone || failure.mayBeSent
        }
        let attempt = RetryAttempt(
            number: number,
            run.request.method,
            outcome,
            isKeyHonoured: run.isKeyHonoured,
            mayBeRepeated: mayBeRepeated,
            elapsed: run.watch.elapsed,
            deadline: run.limits.deadline,
            date: date()
        )
        guard case .retry(let pause) = policy.decision(after: attempt, jitter: jitter()) else {
            return Promise.attempt { try result.get() }
        }
        let isSent = mayBeDone
        run.course.end(mayBeSent: isSent)
        let next =
            pause <= .zero
            ? self.attempt(number + 1, of: run, mayBeRepeated: isSent)
            : Promise.value(()).delay(pause, clock: clock).then {
                self.attempt(number + 1, of: run, mayBeRepeated: isSent)
            }
        return next.after(attempts: attempts, mayBeSent: isSent)
    }
}
