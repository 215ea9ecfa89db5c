public import ModelKitStores

/// A transport without a network, for tests: a closure is the server, and a script says what goes wrong.
///
/// ```swift
/// let transport = MemoryTransport { request in
///     HTTPResponse(status: request.target == "/people/1" ? 200 : 404)
/// }
/// transport.script = [.fail(.refused, on: .post), .loseAnswer(on: .post)]
/// // The first POST does not arrive, the second is done and fails all the same, the third is answered.
/// ```
///
/// It keeps to the rules of a transport: what no server could be sent is refused, an answer to HEAD
/// has no body, and deadlines, limits and cancelling are obeyed. It records how often it was used, and nothing
/// of what was sent.
public final class MemoryTransport: HTTPTransport {
    private let server: @Sendable (HTTPRequest) -> Promise<HTTPResponse>
    private let clock: any Clock<Duration>
    private let steps = Guarded<[Step]>([])
    private let arrivals = Guarded<[HTTPMethod: Int]>([:])

    /// - Parameters:
    ///   - clock: What deadlines and delays go by.
    ///   - server: What answers, later: called by `send`, on its thread. It is cancelled with the request.
    public init(
        clock: any Clock<Duration> = SuspendingClock(),
        server: @escaping @Sendable (HTTPRequest) -> Promise<HTTPResponse>
    ) {
        self.clock = clock
        self.server = server
    }

    /// - Parameters:
    ///   - clock: What deadlines and delays go by.
    ///   - server: What answers: called by `send`, on its thread. An error that is no `HTTPFailure` becomes
    ///     one of `.other`.
    public convenience init(
        clock: any Clock<Duration> = SuspendingClock(),
        server: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse
    ) {
        self.init(clock: clock, server: { request in .attempt { try server(request) } })
    }

    /// What is still to happen, the next one first.
    ///
    /// A request takes the first step that is for it, and does nothing with those that are for others.
    public var script: [Step] {
        get { steps.withLock { $0 } }
        set {
            let old = steps.withLock { steps in
                defer { steps = newValue }
                return steps
            }
            withExtendedLifetime(old) {}
        }
    }

    /// How many requests have come to the server.
    ///
    /// - Parameter method: Of which method; nil for all.
    /// - Returns: The number.
    public func count(of method: HTTPMethod? = nil) -> Int {
        let arrivals = arrivals.withLock { $0 }
        return method.map { arrivals[$0] ?? 0 } ?? arrivals.values.reduce(0, +)
    }

    public func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
        do { try request.check() } catch { return .failed(error) }
        let passage = MemoryExchange(request, limits, clock) { [self] request in
            arrivals.withLock { $0[request.method, default: 0] += 1 }
            return server(request)
        }
        passage.play(take(request)?.effect ?? .pass)
        return passage.exchange.promise
    }

    private func take(_ request: HTTPRequest) -> Step? {
        steps.withLock { steps in
            guard let index = steps.firstIndex(where: { $0.fits(request) }) else { return nil }
            return steps.remove(at: index)
        }
    }
}
