import ModelKitFields
import ModelKitModels
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
        /// Whether the transport was called.
        var isSent = false
        /// What it has promised, one or the other; nil while it is called.
        var reply: Promise<HTTPReply>?
        var response: Promise<HTTPResponse>?
        var isCancelled = false
    }

    private let use = Guarded(Use())

    init(_ records: RemoteRecordStore, isWrite: Bool) {
        store = records.store
        state = records.state
        dialect = store.dialect
        context = store.valueTransformerContext
        router = store.router
        self.isWrite = isWrite
    }

    /// Does the work, and makes what it fails with an error of stores.
    func run<Value: Sendable>(
        _ body: (RemoteOperation) throws -> Promise<Value>
    ) -> Promise<Value> {
        let work: Promise<Value>
        do { work = try body(self) } catch { return .failed(fail(error)) }
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
        let (isSent, reply, response) = use.withLock { use in
            use.isCancelled = true
            return (use.isSent, use.reply, use.response)
        }
        stop()
        let failure = (reply?.failure ?? response?.failure) as? HTTPFailure
        let mayBeDone = isWrite && isSent && failure?.mayBeSent != false
        let error = StoreError.cancelled(mayBeDone ? .unknown : .notApplied)
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
        let unsent = error as? UnsentError
        let mayBeSent = unsent == nil && isWrite && use.withLock { $0.isSent }
        let outcome: Outcome = mayBeSent ? .unknown : .notApplied
        switch unsent?.error ?? error {
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
        let (limits, transport) = (store.limits, store.transport)
        let request: HTTPRequest
        do {
            request = try self.request(draft)
            try request.check()
            try begin(request)
        } catch {
            return .failed(error)
        }
        if let transport = state.replying(transport) {
            let reply = transport.reply(to: request, limits)
            use.withLock { $0.reply = reply }
            return reply.map { [self] in try read($0, to: request, draft) }
        }
        let response = transport.send(request, limits)
        use.withLock { $0.response = response }
        return response.map { [self] in try read(HTTPReply($0), to: request, draft) }
    }

    /// Notes that a request is being sent, unless nobody waits for it any more.
    private func begin(_ request: HTTPRequest) throws(CancellationError) {
        // The answer to the part of a list before is let go of after the lock.
        let (isCancelled, old) = use.withLock { use in
            let old = (use.reply, use.response)
            if !use.isCancelled {
                (use.request, use.isSent) = (request, true)
                (use.reply, use.response) = (nil, nil)
            }
            return (use.isCancelled, old)
        }
        withExtendedLifetime(old) {}
        if isCancelled { throw CancellationError() }
    }

    private func read(
        _ reply: HTTPReply,
        to request: HTTPRequest,
        _ asked: RemoteRequest
    ) throws -> RemoteAnswer {
        let response = try store.constructResponse(reply.response, to: request)
        if let error = response.error { throw error }
        return RemoteAnswer(asked: asked, response: response, wasTried: reply.mayBeRepeated)
    }
}

/// An answer, and what it answers.
struct RemoteAnswer: Sendable {
    var asked: RemoteRequest
    var response: RESTResponse
    /// Whether a request before the last one may have had its effect.
    let wasTried: Bool

    /// Whether a request before the one that is answered may have had its effect: a replay answers the first.
    var mayBeRepeated: Bool { wasTried && response.http.headers["Idempotent-Replayed"] != "true" }

    var schema: ModelSchema { asked.schema }
    var status: Int { response.http.status }
    var isMissing: Bool { status == 404 || status == 410 }
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
        case .invalidRequest where !failure.mayBeSent: self = .unsupported(failure.description)
        default: self = .unavailable(failure.description, outcome)
        }
    }
}

extension Promise {
    /// What it has failed with.
    fileprivate var failure: (any Error)? {
        if case .failure(let error)? = result { error } else { nil }
    }
}
