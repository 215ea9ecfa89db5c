import Dispatch
public import ModelKitStores

/// Who somebody is for a server, for as long as that is known: credentials, and how to get new ones.
///
/// ```swift
/// let session = AuthenticationSession(
///     restore: { _, _ in .value(.bearer("stored")) },
///     refresh: { old, transport in
///         let login = HTTPRequest(.post, "https://example.com", "/token")
///         return transport.send(login, HTTPLimits()).map { answer in
///             answer.status == 200 ? .bearer(String(decoding: answer.body, as: UTF8.self)) : nil
///         }
///     }
/// )
/// let transport = AuthenticatingTransport(base, origin: "https://example.com", session: session)
/// session.credentials = nil  // signed out
/// ```
///
/// What it is given to call is called by one request at a time, however many wait for the outcome, but for what gets
/// credentials in whose place others were set meanwhile; a request that is cancelled only stops waiting. Requests that it sends by the transport that it is
/// handed, or in its own task, are sent as they are.
public final class AuthenticationSession: Sendable {
    /// Gets credentials: from those before, if there were any, over a transport that puts none on requests.
    ///
    /// None is a success as well: there are none to be had, and what was refused stays so.
    public typealias Renewal =
        @Sendable (_ old: HTTPCredentials?, _ transport: any HTTPTransport) -> Promise<
            HTTPCredentials?
        >

    /// The sessions of which the code that runs gets credentials.
    @TaskLocal static var renewing: Set<ObjectIdentifier> = []

    private struct State {
        private(set) var current: Current
        var flight: Flight?
        var isRestored: Bool
        /// When the last refreshes began.
        var starts: [Duration] = []

        init(_ credentials: HTTPCredentials?, isRestored: Bool) {
            current = Current(credentials: credentials)
            self.isRestored = isRestored
        }

        mutating func set(_ new: HTTPCredentials?) {
            current.credentials = new
            current.version += 1
            if new == nil { current.signOuts += 1 }
        }

        /// Whether credentials were set since it began.
        func isReplaced(_ flight: Flight) -> Bool { flight.old.version != current.version }

        mutating func takeOff(isRefresh: Bool) -> Flight {
            let (promise, resolver) = Promise<HTTPCredentials?>.withResolvers()
            let flight = Flight(
                promise: promise,
                resolver: resolver,
                isRefresh: isRefresh,
                old: current
            )
            self.flight = flight
            return flight
        }
    }

    /// The credentials, and which they are.
    struct Current {
        var credentials: HTTPCredentials?
        /// Counts the credentials, to know what was sent with which.
        var version = 0
        /// Counts how often there were none any more: who signs in after that may be somebody else.
        var signOuts = 0
    }

    /// Getting credentials, under way.
    struct Flight: Sendable {
        let promise: Promise<HTTPCredentials?>
        let resolver: Resolver<HTTPCredentials?>
        let isRefresh: Bool
        let old: Current
    }

    private let state: Guarded<State>
    private let restore: Renewal?
    private let refresh: Renewal?
    private let limit: (refreshes: Int, interval: Duration, deadline: Duration)
    private let clock: any Clock<Duration>
    private let watch: Stopwatch

    /// A session.
    ///
    /// - Parameters:
    ///   - credentials: Those of the first request.
    ///   - restore: Is waited for before the first request. If it fails, so do the requests that wait, and
    ///     the next request calls it again. None leaves `credentials` as they are.
    ///   - refresh: Is called when the server has refused credentials (401), also none.
    ///   - maxRefreshes: How often `refresh` is called within `interval`: a server that refuses whatever it
    ///     gives out is not asked for ever.
    ///   - interval: See `maxRefreshes`.
    ///   - deadline: How long `restore` and `refresh` may take.
    ///   - clock: What is measured with.
    public init(
        _ credentials: HTTPCredentials? = nil,
        restore: Renewal? = nil,
        refresh: Renewal? = nil,
        maxRefreshes: Int = 5,
        interval: Duration = .seconds(30),
        deadline: Duration = .seconds(60),
        clock: any Clock<Duration> = SuspendingClock()
    ) {
        state = Guarded(State(credentials, isRestored: restore == nil))
        self.restore = restore
        self.refresh = refresh
        limit = (maxRefreshes, interval, deadline)
        self.clock = clock
        watch = Stopwatch(clock)
    }

    /// What is put on requests now.
    ///
    /// To set it, as at signing in and out, takes the place of what is being restored or refreshed. Nil is
    /// a signing out: requests of before are not sent with credentials that are set after it.
    public var credentials: HTTPCredentials? {
        get { current.credentials }
        set {
            state.withLock { state in
                state.set(newValue)
                state.isRestored = true
            }
        }
    }

    var current: Current { state.withLock { $0.current } }

    /// Whether the code that runs gets its credentials.
    var isRenewing: Bool {
        let renewing = Self.renewing
        return !renewing.isEmpty && renewing.contains(ObjectIdentifier(self))
    }

    /// What is to be waited for before a request is sent; nil for nothing.
    func preparation(over transport: any HTTPTransport) -> Flight? {
        let (flight, isNew) = state.withLock { state -> (Flight?, Bool) in
            if let flight = state.flight, !state.isReplaced(flight) { return (flight, false) }
            return state.isRestored ? (nil, false) : (state.takeOff(isRefresh: false), true)
        }
        if isNew, let flight { start(flight, restore, over: transport) }
        return flight
    }

    /// What is to be waited for after credentials were refused; nil if it is not worth it.
    func renewal(of version: Int, over transport: any HTTPTransport) -> Promise<HTTPCredentials?>? {
        let now = watch.elapsed
        let (known, flight) = state.withLock { state -> (Promise<HTTPCredentials?>?, Flight?) in
            if let flight = state.flight, !state.isReplaced(flight) { return (flight.promise, nil) }
            let current = state.current
            guard version == current.version else { return (.value(current.credentials), nil) }
            state.starts.removeAll { $0 <= now - limit.interval }
            guard refresh != nil, state.starts.count < limit.refreshes else { return (nil, nil) }
            state.starts.append(now)
            return (nil, state.takeOff(isRefresh: true))
        }
        guard let flight else { return known }
        start(flight, refresh, over: transport)
        return flight.promise
    }

    private func start(_ flight: Flight, _ renewal: Renewal?, over transport: any HTTPTransport) {
        // Stays when all who wait are cancelled: what a server has given out would be lost.
        flight.promise.observe { _ in }
        let renewing = Self.renewing.union([ObjectIdentifier(self)])
        let promise = Self.$renewing.withValue(renewing) {
            renewal?(flight.old.credentials, transport) ?? .value(nil)
        }
        // Elsewhere, as those who wait are not part of the task that may have ended here.
        promise.timeout(limit.deadline, clock: clock).observe(on: .queue(.global())) {
            self.land(flight, $0)
        }
    }

    private func land(_ flight: Flight, _ result: Result<HTTPCredentials?, any Error>) {
        let (landed, outcome) = state.withLock { state in
            let isCurrent = state.flight.map { $0.promise === flight.promise } ?? false
            let landed = isCurrent ? state.flight : nil
            if isCurrent { state.flight = nil }
            // What was set meanwhile counts, also where this has failed.
            if !state.isReplaced(flight) {
                guard case .success(let credentials) = result else { return (landed, result) }
                if flight.isRefresh || credentials != nil { state.set(credentials) }
            }
            state.isRestored = true
            return (landed, .success(state.current.credentials))
        }
        flight.resolver.resolve(outcome)
        // Freed here, not under the lock.
        withExtendedLifetime(landed) {}
    }
}
