import Foundation

/// An exchange of which the server is a closure.
final class MemoryExchange: Sendable {
    let exchange = HTTPExchange()
    private let request: HTTPRequest
    private let limits: HTTPLimits
    private let clock: any Clock<Duration>
    private let server: @Sendable (HTTPRequest) -> Promise<HTTPResponse>
    private let work = Guarded<Promise<HTTPResponse>?>(nil)

    init(
        _ request: HTTPRequest,
        _ limits: HTTPLimits,
        _ clock: any Clock<Duration>,
        _ server: @escaping @Sendable (HTTPRequest) -> Promise<HTTPResponse>
    ) {
        self.request = request
        self.limits = limits
        self.clock = clock
        self.server = server
    }

    func play(_ effect: MemoryTransport.Step.Effect) {
        switch effect {
        case .pass: end(with: arrive())
        case .fail(let failure): exchange.end(.failure(failure))
        case .answer(let response):
            exchange.isSent()
            end(with: .value(response))
        case .loseAnswer(let reason):
            end(with: arrive().map { [exchange] _ in throw exchange.failure(reason) })
        case .duplicate: end(with: arrive().then { [self] _ in arrive() })
        case .delay(let duration): later(.timer(duration, clock))
        case .hold(let promise): later(promise.map {})
        }
        // Nobody else has the promise yet, so that an answer that is there at once needs no timer.
        if exchange.promise.isSettled { return }
        exchange.begin(limits.deadline, clock: clock) { [self] in
            work.withLock { $0.take() }?.cancel()
        }
    }

    private func arrive() -> Promise<HTTPResponse> {
        exchange.isSent()
        report(HTTPProgress(sent: size, toSend: size))
        return server(request)
    }

    private func later(_ time: Promise<Void>) {
        end(
            with: time.recover { [exchange] _ in throw exchange.failure(.connectionLost) }
                .then { [self] in arrive() }
        )
    }

    private func end(with answer: Promise<HTTPResponse>) {
        work.withLock { $0 = answer }
        answer.observe { [self] result in
            _ = work.withLock { $0.take() }
            exchange.end(result.mapError(failure).flatMap(received))
        }
    }

    /// What comes of an answer on its way through the limits.
    private func received(_ response: HTTPResponse) -> Result<HTTPResponse, HTTPFailure> {
        var response = response
        if !request.method.hasBody(in: response.status) { response.body = Data() }
        guard response.body.count <= limits.responseSize else {
            return .failure(exchange.failure(.tooLarge(limit: limits.responseSize)))
        }
        let count = response.body.count
        report(HTTPProgress(sent: size, toSend: size, received: count, toReceive: count))
        return .success(response)
    }

    private func failure(_ error: any Error) -> HTTPFailure {
        error as? HTTPFailure ?? exchange.failure(.other("\(error)"))
    }

    private var size: Int { request.body?.count ?? 0 }

    private func report(_ progress: HTTPProgress) {
        guard let notify = limits.progress, !exchange.promise.isSettled else { return }
        notify(progress)
    }
}
