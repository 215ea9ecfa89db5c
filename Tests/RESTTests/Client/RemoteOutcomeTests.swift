import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct RemoteOutcomeTests {
    /// A store whose session is restored by a test.
    private final class Waiting: RemoteModelStore {
        let origin = example
        let session = StoreSession()
        let transport: any HTTPTransport
        let gate: Promise<Void>
        init(_ transport: any HTTPTransport, _ gate: Promise<Void>) {
            self.transport = transport
            self.gate = gate
        }
        func restoreSession() -> Promise<Void> { gate }
    }

    private static let made = HTTPResponse.json(
        #"{"id":"c1","firstName":"Ada","isActive":true}"#,
        201
    )

    @Test(arguments: [
        (HTTPFailure.Reason.refused, false, "unavailable"), (.connectionLost, true, "unavailable"),
        (.truncated, true, "unavailable"), (.timedOut, false, "timedOut"),
        (.timedOut, true, "timedOut"), (.tooLarge(limit: 9), true, "unavailable"),
        (.cancelled, true, "cancelled"), (.invalidRequest("x"), false, "unsupported"),
    ])
    func `a failure says whether the write may be done`(
        _ reason: HTTPFailure.Reason,
        _ mayBeSent: Bool,
        _ code: String
    ) async throws {
        let transport = ClosureTransport(.failed(reason, mayBeSent: mayBeSent))
        let store = TestAPI(transport)
        let write = await store.create(Customer("c1", "Ada")).storeError
        expect(write?.code, equals: code)
        expect(write?.outcome, equals: (mayBeSent ? .unknown : .notApplied))
        let read = await store.lookup(Customer.self, identifier: "c1").storeError
        expect(read?.code, equals: code)
        expect(read?.outcome, equals: .notApplied)
    }

    @Test func `a write whose answer leads to no valid address may be done`() async throws {
        let memory = MemoryTransport { _ in
            HTTPResponse(status: 303, headers: ["Location": "/customers/50%"])
        }
        let error = await TestAPI(RedirectingTransport(memory)).create(Customer("c1", "Ada"))
            .storeError
        expect(error?.code == "unavailable" && error?.outcome == .unknown)
        expect(memory.count(), equals: 1)
    }

    @Test func `a lost acknowledgement is unknown, and the row is made once`() async throws {
        let server = CountingServer()
        let memory = MemoryTransport { try server.answer($0) }
        memory.script = [.loseAnswer(on: .post)]
        let store = TestAPI(RetryingTransport(memory, jitter: { 0 }), .djangoREST)
        let customer = Customer("c1", "Ada")
        await expect(store.create(customer).storeError?.outcome, equals: .unknown)
        expect(server.rows, equals: 1)
        // A retry by hand fails, as the row is there.
        await expect(store.create(customer).storeError?.code, equals: "alreadyExists")
        expect(server.rows, equals: 1)
    }

    @Test(arguments: [true, false])
    func `a model whose creation may be done has the identifier, if that was sent`(
        _ isSent: Bool
    ) async throws {
        let transport = ClosureTransport(.failed(.connectionLost, mayBeSent: true))
        var dialect = RESTDialect.djangoREST
        dialect.sendsMadeIdentifiers = isSent
        let store = TestAPI(transport, dialect)
        let customer = Customer(nil, "Ada")
        for _ in 0..<2 {
            await expect(store.create(customer).storeError?.outcome, equals: .unknown)
            expect((customer.identifier != nil), equals: isSent)
        }
        let sent = Set(transport.summaries)
        expect(sent.count, equals: 1, "both are of one model")
        expect(sent.first?.contains("\"id\""), equals: isSent)
    }

    @Test func `with a key that is honoured it is tried again, and made once`() async throws {
        let server = CountingServer(honoursKeys: true)
        let memory = MemoryTransport { try server.answer($0) }
        memory.script = [.loseAnswer(on: .post), .loseAnswer(.truncated, on: .post)]
        let retrying = RetryingTransport(memory, jitter: { 0 }, honoursKey: { _ in true })
        let customer = Customer("c1", "Ada")
        let store = TestAPI(retrying, .djangoREST)
        _ = try await store.create(customer).value
        expect(server.rows, equals: 1)
        expect(server.keys.count, equals: 1)
        expect(memory.count(), equals: 3)
    }

    @Test func `a repeated creation that finds its own record is a success`() async throws {
        // The key is said to be honoured, and is not.
        let server = CountingServer()
        let memory = MemoryTransport { try server.answer($0) }
        memory.script = [.loseAnswer(on: .post)]
        let retrying = RetryingTransport(memory, jitter: { 0 }, honoursKey: { _ in true })
        let store = TestAPI(retrying, .djangoREST)
        let customer = Customer("c1", "Ada")
        _ = try await store.create(customer).value
        expect(server.rows, equals: 1)
        _ = try await store.update(customer).value
        expect(memory.count(of: .patch), equals: 0)

        // What somebody else has made is not ours.
        let theirs = CountingServer()
        _ = try theirs.answer(
            HTTPRequest(.post, "/customers", body: Data(#"{"id":"c1","firstName":"Eve"}"#.utf8))
        )
        let other = MemoryTransport { try theirs.answer($0) }
        other.script = [.fail(.connectionLost, mayBeSent: true, on: .post)]
        let second = RetryingTransport(other, jitter: { 0 }, honoursKey: { _ in true })
        let error = await TestAPI(second, .djangoREST).create(Customer("c1", "Ada")).storeError
        expect(error?.code, equals: "alreadyExists")
    }

    @Test func `a repeated deletion that finds nothing is a success`() async throws {
        let server = CountingServer()
        let memory = MemoryTransport { try server.answer($0) }
        let store = TestAPI(RetryingTransport(memory, jitter: { 0 }), .djangoREST)
        let customer = try await store.create(Customer("c1", "Ada")).value
        memory.script = [.loseAnswer(on: .delete)]
        _ = try await store.delete(customer).value
        expect(server.rows, equals: 0)
        expect(memory.count(of: .delete), equals: 2)
        await expect(store.delete(customer).storeError?.code, equals: "notFound")
    }

    @Test func `cancelling reaches the transport, and says whether it may be done`() async throws {
        let cancelled = Noted<HTTPMethod>()
        let held = Noted<Resolver<HTTPResponse>>()
        let transport = ClosureTransport { request, _ in
            let (promise, resolver) = Promise<HTTPResponse>.withResolvers()
            held.note(resolver)
            resolver.whenCancelled {
                cancelled.note(request.method)
                return HTTPFailure(.cancelled, mayBeSent: request.method != .patch)
            }
            return promise
        }
        let store = TestAPI(transport)
        let creation: Promise = store.create(Customer("c1", "Ada"))
        creation.cancel()
        await expect(creation.storeError, equals: .cancelled(.unknown))
        let update: Promise = store.update(Customer("c2", "Ada"))
        update.cancel()
        await expect(update.storeError, equals: .cancelled(.notApplied))
        let list = store.records.fetch(RecordQuery(), of: Customer.schema)
        list.cancel()
        await expect(list.storeError, equals: .cancelled(.notApplied))
        let lookup: Promise = store.lookup(Customer.self, identifier: "c1")
        lookup.cancel()
        _ = await lookup.storeError
        expect(cancelled.all, equals: [.post, .patch, .get, .get])
        expect(
            store.errors.all.prefix(3).map(\.code),
            equals: ["cancelled", "cancelled", "cancelled"]
        )
        withExtendedLifetime(held) {}
    }

    @Test func `a write that is refused and finds no credentials is not done`() async throws {
        struct LoginNeeded: Error {}
        func creation(_ outcomes: [Outcome]) -> Promise<Customer> {
            let base = ClosureTransport { _, number in outcomes[number - 1].promise }
            let session = AuthenticationSession(
                .bearer("1"),
                refresh: { _, _ in .failed(LoginNeeded()) },
                clock: ManualClock()
            )
            let signed = AuthenticatingTransport(base, origin: example, session: session)
            let transport = RetryingTransport(signed, jitter: { 0 }, honoursKey: { _ in true })
            return TestAPI(transport).create(Customer("c1", "Ada"))
        }
        let refused = await creation([.status(401)]).storeError
        expect(refused, equals: .unavailable("LoginNeeded()", .notApplied))
        // An attempt before it may have been carried out.
        let lost = Outcome.failed(.connectionLost, mayBeSent: true)
        let repeated = await creation([lost, .status(401)]).storeError
        expect(repeated, equals: .unavailable("LoginNeeded()", .unknown))
    }

    @Test(arguments: [false, true])
    func `a write that is cancelled in a pause was done if an attempt was`(isSent: Bool)
        async throws
    {
        let clock = ManualClock()
        let base = ClosureTransport(
            .failed(isSent ? .connectionLost : .refused, mayBeSent: isSent)
        )
        let transport = RetryingTransport(
            base,
            clock: clock,
            jitter: { 1 },
            honoursKey: { _ in true }
        )
        let creation: Promise = TestAPI(transport).create(Customer("c1", "Ada"))
        await clock.wait(for: 1)
        creation.cancel()
        await expect(creation.storeError, equals: .cancelled(isSent ? .unknown : .notApplied))
        await clock.wait(for: 0)
        expect(base.sent.count, equals: 1)
    }

    @Test(arguments: [false, true], [false, true])
    func `one that is cancelled in an attempt reports what the transport knows`(
        isSent: Bool,
        isFirst: Bool
    ) async throws {
        let held = Noted<Resolver<HTTPResponse>>()
        let base = ClosureTransport { _, number in
            if number == 1, !isFirst { return .failed(HTTPFailure(.refused, mayBeSent: false)) }
            let (promise, resolver) = Promise<HTTPResponse>.withResolvers()
            resolver.whenCancelled { HTTPFailure(.cancelled, mayBeSent: isSent) }
            held.note(resolver)
            return promise
        }
        let creation: Promise = TestAPI(RetryingTransport(Replying(base: base), jitter: { 0 }))
            .create(Customer("c1", "Ada"))
        expect(held.count, equals: 1)
        creation.cancel()
        await expect(creation.storeError, equals: .cancelled(isSent ? .unknown : .notApplied))
    }

    @Test func `what waits for its session is not sent when it is cancelled`() async throws {
        let (gate, resolver) = Promise<Void>.withResolvers()
        let transport = ClosureTransport { _, _ in .value(Self.made) }
        let creation: Promise = Waiting(transport, gate).create(Customer("c1", "Ada"))
        creation.cancel()
        await expect(creation.storeError, equals: .cancelled(.notApplied))
        resolver.fulfill()
        expect(transport.sent.count, equals: 0)
    }

    @Test func `what is cancelled while it is being sent may be done`() async throws {
        let (gate, resolver) = Promise<Void>.withResolvers()
        let creations = Noted<Promise<Customer>>()
        let transport = ClosureTransport { _, _ in
            creations.all[0].cancel()
            return .value(Self.made)
        }
        let creation: Promise = Waiting(transport, gate).create(Customer("c1", "Ada"))
        creations.note(creation)
        resolver.fulfill()
        await expect(creation.storeError, equals: .cancelled(.unknown))
        expect(transport.sent.count, equals: 1)
    }

    @Test func `a store with a deadline says whether it may be done`() async throws {
        let held = Noted<Resolver<HTTPResponse>>()
        let transport = ClosureTransport { _, _ in
            let (promise, resolver) = Promise<HTTPResponse>.withResolvers()
            held.note(resolver)
            return promise
        }
        let store = TestAPI(transport).with(deadline: .milliseconds(50))
        let error = await store.create(Customer("c1", "Ada")).storeError
        // On a busy machine the time may be over before it is sent.
        expect(error, equals: .timedOut(transport.sent.count == 0 ? .notApplied : .unknown))
        let lookup: Promise = store.lookup(Customer.self, identifier: "c1")
        await expect(lookup.storeError, equals: .timedOut(.notApplied))
        withExtendedLifetime(held) {}
    }
}

/// A transport that hands on with what its base is cancelled.
private struct Replying: HTTPReplying {
    let base: ClosureTransport

    func reply(to request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPReply> {
        let (promise, resolver) = Promise<HTTPReply>.withResolvers()
        let response = base.send(request, limits)
        resolver.whenCancelled {
            response.cancel()
            guard case .failure(let error)? = response.result else { return nil }
            return error
        }
        response.observe { resolver.resolve($0.map { HTTPReply($0) }) }
        return promise
    }
}

/// A server of customers that counts its rows.
// Safe: the variables are guarded by the lock.
final class CountingServer: @unchecked Sendable {
    private let lock = Lock()
    private let honoursKeys: Bool
    private var bodies: [String: Data] = [:]
    private var answers: [String: HTTPResponse] = [:]

    init(honoursKeys: Bool = false) { self.honoursKeys = honoursKeys }

    var rows: Int { lock.withLock { bodies.count } }
    var keys: Set<String> { lock.withLock { Set(answers.keys) } }

    func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        try lock.withLock {
            let key = request.headers["Idempotency-Key"]
            if honoursKeys, let key, let known = answers[key] { return known }
            let response = try carryOut(request)
            if honoursKeys, let key { answers[key] = response }
            return response
        }
    }

    private func carryOut(_ request: HTTPRequest) throws -> HTTPResponse {
        let missing = HTTPResponse.json(#"{"detail":"Not found."}"#, 404)
        let identifier = request.target.split(separator: "/").dropFirst().first.map(String.init)
        switch (request.method, identifier) {
        case (.post, nil):
            guard let body = request.body,
                case .dictionary(let members) = try AttributeValue(json: body),
                case .string(let identifier)? = members["id"]
            else { return HTTPResponse(status: 400) }
            if bodies[identifier] != nil { return .json(#"{"detail":"It is there."}"#, 409) }
            bodies[identifier] = body
            return HTTPResponse(status: 201, body: body)
        case (.get, let identifier?):
            return bodies[identifier].map { HTTPResponse(status: 200, body: $0) } ?? missing
        case (.delete, let identifier?):
            return bodies.removeValue(forKey: identifier) == nil
                ? missing : HTTPResponse(status: 204)
        default: return HTTPResponse(status: 405)
        }
    }
}
