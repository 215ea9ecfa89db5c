import Dispatch
import ModelKitFields
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
/// What it is given to call is called by one request at a time, however many wait for the outcome; a
/// request that is cancelled only stops waiting. Requests that it sends by the transport that it is
/// handed, or in its own task, are sent as they are.
// Safe: `state` is guarded by the lock.
public final class AuthenticationSession: @unchecked Sendable {
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
        private(set) var credentials: HTTPCredentials?
        /// Counts the credentials, to know what was sent with which.
        private(set) var version = 0
        /// Counts how often there were none any more: who signs in after that may be somebody else.
        private(set) var signOuts = 0
        var flight: Flight?
        var isRestored: Bool
        /// When the last refreshes began.
        var starts: [Duration] = []

        init(_ credentials: HTTPCredentials?, isRestored: Bool) {
            self.credentials = credentials
            self.isRestored = isRestored
        }

        mutating func set(_ new: HTTPCredentials?) {
            credentials = new
            version += 1
            if new == nil { signOuts += 1 }
        }
    }

    /// The credentials, and which they are.
    struct Current {
        let credentials: HTTPCredentials?
        let version: Int
        let signOuts: Int
    }

    /// Getting credentials, under way.
    struct Flight: Sendable {
        let promise: Promise<HTTPCredentials?>
        let resolver: Resolver<HTTPCredentials?>
        let isRefresh: Bool
        let old: HTTPCredentials?
        let version: Int
    }

    private let lock = Lock()
    private var state: State
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
        state = State(credentials, isRestored: restore == nil)
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
            lock.withLock {
                state.set(newValue)
                state.isRestored = true
            }
        }
    }

    var current: Current {
        lock.withLock {
            Current(
                credentials: state.credentials,
                version: state.version,
                signOuts: state.signOuts
            )
        }
    }

    /// Whether the code that runs gets its credentials.
    var isRenewing: Bool {
        let renewing = Self.renewing
        return !renewing.isEmpty && renewing.contains(ObjectIdentifier(self))
    }

    /// What is to be waited for before a request is sent; nil for nothing.
    func preparation(over transport: any HTTPTransport) -> Flight? {
        lock.lock()
        if state.flight != nil || state.isRestored {
            defer { lock.unlock() }
            return state.flight
        }
        let flight = takeOff(isRefresh: false)
        lock.unlock()
        start(flight, restore, over: transport)
        return flight
    }

    /// What is to be waited for after credentials were refused; nil if it is not worth it.
    func renewal(of version: Int, over transport: any HTTPTransport) -> Promise<HTTPCredentials?>? {
        let now = watch.elapsed
        lock.lock()
        if let flight = state.flight {
            lock.unlock()
            return flight.promise
        }
        guard version == state.version else {
            defer { lock.unlock() }
            return .value(state.credentials)
        }
        state.starts.removeAll { $0 <= now - limit.interval }
        guard refresh != nil, state.starts.count < limit.refreshes else {
            lock.unlock()
            return nil
        }
        state.starts.append(now)
        let flight = takeOff(isRefresh: true)
        lock.unlock()
        start(flight, refresh, over: transport)
        return flight.promise
    }

    /// Under the lock.
    private func takeOff(isRefresh: Bool) -> Flight {
        let (promise, resolver) = Promise<HTTPCredentials?>.withResolvers()
        let flight = Flight(
            promise: promise,
            resolver: resolver,
            isRefresh: isRefresh,
            old: state.credentials,
            version: state.version
        )
        state.flight = flight
        return flight
    }

    private func start(_ flight: Flight, _ renewal: Renewal?, over transport: any HTTPTransport) {
        // Stays when all who wait are cancelled: what a server has given out would be lost.
        flight.promise.observe { _ in }
        let renewing = Self.renewing.union([ObjectIdentifier(self)])
        let promise = Self.$renewing.withValue(renewing) {
            renewal?(flight.old, transport) ?? .value(nil)
        }
        // Elsewhere, as those who wait are not part of the task that may have ended here.
        promise.timeout(limit.deadline, clock: clock).observe(on: .queue(.global())) {
            self.land(flight, $0)
        }
    }

    private func land(_ flight: Flight, _ result: Result<HTTPCredentials?, any Error>) {
        let landed = lock.withLock {
            let landed = state.flight
            state.flight = nil
            guard case .success(let credentials) = result else { return landed }
            if state.version == flight.version, flight.isRefresh || credentials != nil {
                state.set(credentials)
            }
            state.isRestored = true
            return landed
        }
        flight.resolver.resolve(result.map { _ in credentials })
        // Freed here, not under the lock.
        withExtendedLifetime(landed) {}
    }
}
