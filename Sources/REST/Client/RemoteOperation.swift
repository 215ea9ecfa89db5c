import ModelKitFields
import ModelKitStores

/// One use of a remote store, which takes a request, or several after each other.
final class RemoteOperation: Sendable {
    let store: any RemoteModelStore
    let state: RemoteState
    let dialect: RESTDialect
    let context: ValueTransformerContext
    let router: RESTRouter
    let isWrite: Bool

    private struct Use {
        var request: HTTPRequest?
        var sent: Sent?
        var isCancelled = false
    }

    private let use = Guarded(Use())

    /// What is under way.
    private enum Sent {
        /// The transport is being called.
        case beginning
        case response(Promise<HTTPResponse>)
        case reply(Promise<HTTPReply>)

        /// Whether the server may have got it; nil where it has answered.
        var failure: HTTPFailure? {
            let error: any Error
            switch self {
            case .beginning: return nil
            case .response(let promise):
                guard case .failure(let found)? = promise.result else { return nil }
                error = found
            case .reply(let promise):
                guard case .failure(let found)? = promise.result else { return nil }
                error = found
            }
            return error as? HTTPFailure
        }
    }

    init(_ records: RemoteRecordStore, isWrite: Bool) {
        store = records.store
        state = records.state
        dialect = store.dialect
        context = store.valueTransformerContext
        router = store.router
        self.isWrite = isWrite
    }

    /// Does the work, and makes what it fails with an error of stores.
    func run<Value: Sendable>(_ body: () throws -> Promise<Value>) -> Promise<Value> {
        let work: Promise<Value>
        do { work = try body() } catch { return .failed(fail(error)) }
        if case .success? = work.result { return work }
        let (promise, resolver) = Promise<Value>.withResolvers()
        resolver.whenCancelled { [self] in cancel { work.cancel() } }
        work.observe { [self] result in
            switch result {
            case .success(let value): resolver.fulfill(value)
            case .failure(let error): resolver.reject(fail(error))
            }
        }
        return promise
    }

    /// Stops what is under way, and returns whether it may have been done.
    private func cancel(_ stop: () -> Void) -> StoreError {
        let sent = use.withLock { use in
            use.isCancelled = true
            return use.sent
        }
        stop()
        var outcome = Outcome.notApplied
        if isWrite, let sent, sent.failure?.mayBeSent != false { outcome = .unknown }
        let error = StoreError.cancelled(outcome)
        store.handleError(error, of: use.withLock { $0.request })
        return error
    }

    /// What the use fails with.
    private func fail(_ error: any Error) -> StoreError {
        let error = self.error(error)
        let (request, isCancelled) = use.withLock { ($0.request, $0.isCancelled) }
        // Who has cancelled it knows.
        if !isCancelled { store.handleError(error, of: request) }
        return error
    }

    private func error(_ error: any Error) -> StoreError {
        if let unsent = error as? UnsentError { return self.error(unsent.error, .notApplied) }
        let mayBeSent = isWrite && use.withLock { $0.sent != nil }
        return self.error(error, mayBeSent ? .unknown : .notApplied)
    }

    private func error(_ error: any Error, _ outcome: Outcome) -> StoreError {
        switch error {
        case let error as StoreError: return error
        case let failure as HTTPFailure: return StoreError(failure, isWrite: isWrite)
        case RouteError.noIdentifier(let type): return .noIdentifier(type: type)
        case let error as RouteError: return .unsupported(error.description)
        case let error as ParameterError: return .unsupported(error.description)
        case is CancellationError: return .cancelled(outcome)
        default: return .unavailable("\(error)", outcome)
        }
    }

    /// Makes a request, and reads its answer.
    func exchange(_ draft: RemoteRequest) -> Promise<RemoteAnswer> {
        let restored = store.restoreSession()
        if case .success? = restored.result { return send(draft) }
        return restored.recover { error in
            throw error is StoreError ? error : StoreError.unauthorized("\(error)")
        }
        .then { [self] in send(draft) }
    }

    private func send(_ draft: RemoteRequest) -> Promise<RemoteAnswer> {
        let request: HTTPRequest
        do {
            request = try self.request(draft)
            try request.check()
        } catch {
            return .failed(error)
        }
        let limits = store.limits
        let transport = store.transport
        do { try begin(request) } catch { return .failed(error) }
        if let transport = state.replying(transport) {
            let reply = transport.reply(to: request, limits)
            note(.reply(reply))
            return reply.map { [self] in try read($0, to: request, draft) }
        }
        let response = transport.send(request, limits)
        note(.response(response))
        return response.map { [self] in try read(HTTPReply($0), to: request, draft) }
    }

    /// Notes that a request is being sent, unless nobody waits for it any more.
    private func begin(_ request: HTTPRequest) throws(CancellationError) {
        // The answer to the part of a list before is let go of after the lock.
        let (isCancelled, old) = use.withLock { use in
            let old = use.sent
            if !use.isCancelled { (use.request, use.sent) = (request, .beginning) }
            return (use.isCancelled, old)
        }
        withExtendedLifetime(old) {}
        if isCancelled { throw CancellationError() }
    }

    private func note(_ new: Sent) { use.withLock { $0.sent = new } }

    private func read(
        _ reply: HTTPReply,
        to request: HTTPRequest,
        _ draft: RemoteRequest
    ) throws -> RemoteAnswer {
        let response = try store.constructResponse(reply.response, to: request)
        if let error = response.error { throw error }
        return RemoteAnswer(
            request: request,
            response: response,
            mayBeRepeated: reply.mayBeRepeated
        )
    }
}

/// An answer, and what it answers.
struct RemoteAnswer: Sendable {
    let request: HTTPRequest
    var response: RESTResponse
    /// Whether a request before this one may have had its effect.
    let mayBeRepeated: Bool

    var status: Int { response.http.status }
    var isSuccess: Bool { 200..<300 ~= status }
    var tag: EntityTag? { response.http.headers["ETag"].flatMap { EntityTag($0) } }
}

extension StoreError {
    /// The failure of a transport.
    init(_ failure: HTTPFailure, isWrite: Bool) {
        let outcome: Outcome = isWrite && failure.mayBeSent ? .unknown : .notApplied
        switch failure.reason {
        case .timedOut: self = .timedOut(outcome)
        case .cancelled: self = .cancelled(outcome)
        case .invalidRequest: self = .unsupported(failure.description)
        default: self = .unavailable(failure.description, outcome)
        }
    }
}
