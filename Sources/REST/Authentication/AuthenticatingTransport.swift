public import ModelKitStores

/// Puts the credentials of a session on the requests to one server, and gets new ones when it refuses
/// them.
///
/// A request that is answered with 401 is sent again, once, with the credentials that there are by then:
/// nothing was done, whatever it asks for. Where a request below this transport may have been carried out
/// before the 401, only what may be made twice is sent again, and else the 401 is the answer; so it is where
/// a redirect has led to another origin, which gets no credentials. Of many that are refused at the same
/// time the first has the session refreshed, and the others wait; those that were sent with older
/// credentials than there are do not even wait. Where there are none to be had the 401 is the answer. If refreshing fails, so do
/// all that wait: with its error, or an `HTTPFailure` that says that nothing was sent. A store knows by
/// either that nothing was done.
///
/// After a signing out, requests of before are not sent as somebody who signs in then: what was refused
/// stays so, and what still waits is sent without credentials.
///
/// Requests to other origins, and those that have the field already, are sent as they are.
///
/// ```swift
/// let session = AuthenticationSession(.bearer(token))
/// let transport = AuthenticatingTransport(base, origin: "https://example.com", session: session)
/// ```
public struct AuthenticatingTransport: HTTPReplying {
    private let base: any HTTPTransport
    private let origin: String
    private let session: AuthenticationSession
    private let clock: any Clock<Duration>

    /// Wraps a transport.
    ///
    /// - Parameters:
    ///   - base: What sends the requests, also those that refresh the session.
    ///   - origin: Who may see the credentials, as `https://example.com`; a path behind it, as that of a
    ///     store may have, says nothing.
    ///   - session: The credentials; it may be that of several transports.
    ///   - clock: What the deadline is measured with, which is that of all that a request takes.
    public init(
        _ base: any HTTPTransport,
        origin: String,
        session: AuthenticationSession,
        clock: any Clock<Duration> = SuspendingClock()
    ) {
        self.base = base
        self.origin = RemotePlace(origin).origin
        self.session = session
        self.clock = clock
    }

    public func reply(to request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPReply> {
        guard HTTPOrigin.areEqual(request.origin, origin), !session.isRenewing else {
            return HTTPReply.to(request, limits, over: base)
        }
        let watch = Stopwatch(clock)
        let signOuts = session.current.signOuts
        guard let flight = session.preparation(over: base) else {
            return send(request, limits, watch, signOuts)
        }
        return wait(for: flight.promise, limits).then { _ in
            send(request, limits.after(watch.elapsed), watch, signOuts)
        }
    }

    private func send(
        _ request: HTTPRequest,
        _ limits: HTTPLimits,
        _ watch: Stopwatch,
        _ signOuts: Int
    ) -> Promise<HTTPReply> {
        let current = session.current
        let isSame = current.signOuts == signOuts
        guard let signed = request.signed(with: isSame ? current.credentials : nil) else {
            return HTTPReply.to(request, limits, over: base)
        }
        let start = watch.elapsed
        return HTTPReply.to(signed, limits, over: base).then { reply in
            guard reply.response.status == 401, session.current.signOuts == signOuts,
                !reply.isFromElsewhere, request.method.isIdempotent || !reply.mayBeRepeated,
                let renewal = session.renewal(of: current.version, over: base)
            else { return .value(reply) }
            return wait(for: renewal, limits.after(watch.elapsed - start)).then { credentials in
                // Asked once the credentials are there, they are not those of somebody else.
                guard let credentials, session.current.signOuts == signOuts,
                    let signed = request.signed(with: credentials)
                else { return .value(reply) }
                let left = limits.after(watch.elapsed - start)
                return HTTPReply.to(signed, left, over: base)
                    .after(attempts: reply.attempts, mayBeSent: reply.mayBeRepeated)
            }
            .recover { error in throw reply.mayBeRepeated ? HTTPFailure.ofSent(error) : error }
        }
    }

    /// Waits for credentials, as long as the request has time.
    private func wait(
        for renewal: Promise<HTTPCredentials?>,
        _ limits: HTTPLimits
    ) -> Promise<HTTPCredentials?> {
        let bounded = limits.deadline.map { renewal.timeout($0, clock: clock) } ?? renewal
        return bounded.recover { error in
            switch error {
            case PromiseError.timedOut: throw HTTPFailure(.timedOut, mayBeSent: false)
            // Of the request that waits nothing was sent, or it was refused.
            case let failure as HTTPFailure: throw HTTPFailure(failure.reason, mayBeSent: false)
            default: throw UnsentError(error: error)
            }
        }
    }
}

extension HTTPRequest {
    /// Itself with credentials; nil if it has some of its own.
    fileprivate func signed(with credentials: HTTPCredentials?) -> HTTPRequest? {
        guard headers[credentials?.header ?? "Authorization"] == nil else { return nil }
        guard let credentials else { return self }
        var request = self
        request.headers[credentials.header] = credentials.value
        return request
    }
}
