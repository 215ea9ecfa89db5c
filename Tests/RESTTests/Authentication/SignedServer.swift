import ModelKitFields
import ModelKitREST
import ModelKitStores

/// A server that takes one token, and gives out the next when it is asked to.
// Safe: the variable is guarded by the lock.
final class SignedServer: HTTPTransport, @unchecked Sendable {
    let sent = Noted<HTTPRequest>()
    let renewals = Noted<HTTPCredentials?>()
    private let lock = Lock()
    private var valid: Int

    init(valid: Int) { self.valid = valid }

    /// The token that it takes.
    var token: HTTPCredentials { .bearer("\(lock.withLock { valid })") }

    func expire() { lock.withLock { valid += 1 } }

    func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
        sent.note(request)
        let isSigned = request.headers["Authorization"] == token.value
        return .value(HTTPResponse(status: isSigned || request.target == "/login" ? 200 : 401))
    }

    /// Asks for the next token, over the transport that it is handed.
    func renew(_ old: HTTPCredentials?, _ transport: any HTTPTransport) -> Promise<HTTPCredentials?>
    {
        renewals.note(old)
        return transport.send(HTTPRequest(.post, example, "/login"), .patient).map { _ in
            self.token
        }
    }

    func transport(_ session: AuthenticationSession) -> AuthenticatingTransport {
        AuthenticatingTransport(self, origin: example, session: session)
    }
}

/// A refresh that ends when a test ends it.
final class HeldRenewal: Sendable {
    let calls = Noted<HTTPCredentials?>()
    private let pair = Promise<HTTPCredentials?>.withResolvers()

    func renew(_ old: HTTPCredentials?, _ transport: any HTTPTransport) -> Promise<HTTPCredentials?>
    {
        calls.note(old)
        return pair.promise
    }

    func end(_ result: Result<HTTPCredentials?, any Error>) { pair.resolver.resolve(result) }

    var isEnded: Bool { pair.promise.result != nil }
}
