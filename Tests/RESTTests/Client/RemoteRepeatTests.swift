import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// Answers to writes that may have been carried out before.
@Suite struct RemoteRepeatTests {
    /// A transport that may have sent every write twice.
    private struct Repeating: HTTPReplying {
        let base: ClosureTransport

        init(_ answers: HTTPResponse...) { base = ClosureTransport(answers: answers) }

        func reply(to request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPReply> {
            base.send(request, limits).map {
                HTTPReply($0, attempts: 2, mayBeRepeated: !request.method.isSafe)
            }
        }
    }

    private static let tagged: RESTDialect = {
        var dialect = RESTDialect.djangoREST
        dialect.honoursIfMatch = true
        return dialect
    }()
    private static let missing = HTTPResponse.json(#"{"detail":"Not found."}"#, 404)
    private static let ada = HTTPResponse.json(
        #"{"id":"c1","firstName":"Ada","isActive":true,"_meta":{"revision":1}}"#,
        200,
        ["ETag": "\"x1\""]
    )
    private static let eve = HTTPResponse.json(
        #"{"id":"c1","firstName":"Eve","isActive":true,"_meta":{"revision":1}}"#
    )
    private static let underWay = HTTPResponse.json(
        #"{"status":409,"code":"idempotency","detail":"the first request is under way"}"#,
        409,
        ["Retry-After": "0"]
    )

    @Test func `a deletion that finds no record is a success, whatever its condition`()
        async throws
    {
        let transport = Repeating(Self.ada, HTTPResponse(status: 412), Self.missing)
        let store = TestAPI(transport, Self.tagged)
        let customer = try await store.lookup(Customer.self, identifier: "c1").value
        _ = try await store.delete(customer).value
        expect(
            transport.base.summaries,
            equals: [
                "GET /customers/c1", "DELETE /customers/c1", "GET /customers/c1",
            ]
        )
        expect(transport.base.sent.all.dropFirst().first?.headers["If-Match"], equals: "\"x1\"")
        // What is still there, was not deleted.
        let other = TestAPI(
            Repeating(Self.ada, HTTPResponse(status: 412), Self.eve),
            Self.tagged
        )
        let second = try await other.lookup(Customer.self, identifier: "c1").value
        await expect(other.delete(second).storeError?.code, equals: "conflict")
    }

    @Test func `what is under way is not known, and no conflict`() async throws {
        let store = TestAPI(Repeating(Self.ada, Self.underWay, Self.ada))
        let customer = try await store.lookup(Customer.self, identifier: "c1").value
        let unknown = StoreError.unavailable(
            "the server answered 409: the first request is under way",
            .unknown
        )
        await expect(store.delete(customer).storeError, equals: unknown)
        let other = TestAPI(Repeating(Self.underWay, Self.eve))
        let save: Promise = other.save(Customer("c1", "Ada"), onConflict: .replace)
        await expect(save.storeError, equals: unknown)
        let third = TestAPI(Repeating(Self.underWay, Self.missing))
        _ = try await third.delete(Customer("c1")).value
    }

    @Test func `what is under way is asked for again`() async throws {
        let underWay = Self.underWay
        let transport = ClosureTransport { _, number in
            switch number {
            case 1: .failed(HTTPFailure(.connectionLost, mayBeSent: true))
            case 2: .value(underWay)
            default: .value(HTTPResponse(status: 204))
            }
        }
        _ = try await TestAPI(RetryingTransport(transport, jitter: { 0 }))
            .delete(Customer("c1")).value
        expect(transport.sent.count, equals: 3)
    }

    @Test func `a model is saved if its record is there as it was sent`() async throws {
        let taken = HTTPResponse.json(
            #"{"status":409,"code":"alreadyExists","model":"Customer","identifier":"c1"}"#,
            409
        )
        let customer = Customer("c1", "Ada")
        let transport = Repeating(taken, Self.ada)
        let store = TestAPI(transport)
        _ = try await store.save(customer).value
        _ = try await store.update(customer).value
        expect(transport.base.sent.count, equals: 2)
        let error = await TestAPI(Repeating(taken, Self.eve)).save(Customer("c1", "Ada"))
            .storeError
        expect(error, equals: .alreadyExists(type: "Customer", identifier: "c1", field: nil))
    }

    @Test(arguments: [401, 403, 404, 405, 413, 418], [true, false])
    func `a refusal says nothing of the attempt before`(
        _ status: Int,
        _ isPlain: Bool
    ) async throws {
        let answer = HTTPResponse.json(#"{"code":"forbidden","detail":"Not you."}"#, status)
        let dialect = isPlain ? RESTDialect.plain : .djangoREST
        let error = await TestAPI(Repeating(answer), dialect).create(Customer("c1", "Ada"))
            .storeError
        expect(error, equals: .unavailable("the server answered \(status): Not you.", .unknown))
    }

    @Test func `a refusal that cannot be looked after says nothing of the attempt before`()
        async throws
    {
        // What the server makes cannot be asked for.
        let answer = HTTPResponse.json(#"{"title":["must be unique"]}"#, 400)
        let error = await TestAPI(Repeating(answer), .djangoREST).create(Ticket("a")).storeError
        expect(error?.code == "unavailable" && error?.outcome == .unknown)
        expect(error?.description.contains("must be unique"), equals: true)
        let broken = Repeating(HTTPResponse(status: 409), HTTPResponse(status: 500))
        let other = await TestAPI(broken, .djangoREST).create(Customer("c1", "Ada")).storeError
        expect(other?.code == "unavailable" && other?.outcome == .unknown)
    }

    @Test(arguments: [
        (503, "unavailable"), (503, "cancelled"), (504, "timedOut"), (429, "unavailable"),
        (501, "unsupported"), (500, "corrupt"), (500, "none"),
    ])
    func `a server that has done nothing says nothing of the attempt before`(
        _ status: Int,
        _ code: String
    ) async throws {
        let body = "{\"code\":\"\(code)\",\"outcome\":\"notApplied\",\"detail\":\"Later.\"}"
        let answer = HTTPResponse.json(body, status)
        for dialect in [RESTDialect.plain, .djangoREST] {
            let deletion: Promise = TestAPI(Repeating(answer), dialect).delete(Customer("c1"))
            await expect(deletion.storeError?.outcome, equals: .unknown)
            let save: Promise = TestAPI(Repeating(answer), dialect)
                .save(Customer("c1", "Ada"), onConflict: .replace)
            await expect(save.storeError?.outcome, equals: .unknown)
        }
        let first = await TestAPI(ClosureTransport(answers: [answer])).delete(Customer("c1"))
            .storeError
        expect(first?.outcome, equals: (code == "none" ? .unknown : .notApplied))
        if first?.outcome == .notApplied { expect(first?.code, equals: code) }
    }

    @Test func `a batch that is refused may be made, unless that was the first answer`()
        async throws
    {
        var answer = HTTPResponse.json(
            #"{"status":409,"code":"alreadyExists","model":"Customer","identifier":"b"}"#,
            409
        )
        func error() async -> StoreError? {
            await TestAPI(Repeating(answer)).create([Customer("a"), Customer("b")]).storeError
        }
        await expect(error(), equals: .unavailable("the server answered 409", .unknown))
        answer.headers["Idempotent-Replayed"] = "true"
        await expect(error(), equals: .alreadyExists(type: "Customer", identifier: "b"))
    }

    @Test(arguments: [
        // The server does not send what can only be written.
        (#"{"id":"c1","firstName":"Bob","isActive":true}"#, true),
        // It may be what the server has made of the value, or somebody else's.
        (#"{"id":"c1","firstName":"B.","isActive":true}"#, false), (#"{"id":"c1"}"#, false),
    ])
    func `an update is made if the server has the values that it sends`(
        _ body: String,
        _ isMade: Bool
    ) async throws {
        let transport = Repeating(Self.ada, HTTPResponse(status: 412), .json(body))
        let store = TestAPI(transport, Self.tagged)
        let customer = try await store.lookup(Customer.self, identifier: "c1").value
        customer.firstName.value = "Bob"
        customer.visitCount.value = 5
        let error = await store.update(customer).storeError
        expect(transport.base.sent.all.dropFirst().first?.headers["If-Match"], equals: "\"x1\"")
        if isMade {
            expect(error, equals: nil)
        } else {
            expect(error?.code == "unavailable" && error?.outcome == .unknown)
        }
    }

    @Test func `a refusal that is replayed is that of the first attempt`() async throws {
        let replayed: HTTPHeaders = ["Idempotent-Replayed": "true"]
        let refused = HTTPResponse(status: 412, headers: replayed)
        let other = HTTPResponse.json(#"{"id":"c1","firstName":"B.","isActive":true}"#)
        let store = TestAPI(Repeating(Self.ada, refused, other), Self.tagged)
        let customer = try await store.lookup(Customer.self, identifier: "c1").value
        customer.firstName.value = "Bob"
        await expect(store.update(customer).storeError?.code, equals: "conflict")
        // What is gone was gone before.
        let gone = Repeating(HTTPResponse(status: 404, headers: replayed))
        let deletion: Promise = TestAPI(gone).delete(Customer("c1"))
        await expect(deletion.storeError, equals: .notFound(type: "Customer", identifier: "c1"))
    }

    @Test func `what has an identifier that was made here is made here`() async throws {
        // The server has made another text of it.
        let made = HTTPResponse.json(#"{"firstName":"Ada","isActive":true}"#)
        let transport = Repeating(HTTPResponse(status: 409), made)
        let customer = Customer(nil, "ada ")
        _ = try await TestAPI(transport, .djangoREST).create(customer).value
        expect(customer.firstName.value, equals: "Ada")
        expect(transport.base.sent.all.last?.method, equals: .get)
    }
}
