import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// Every hook that the first ModelKit had, under its name.
@Suite struct RemoteHookTests {
    final class Hooked: RemoteModelStore {
        let session = StoreSession()
        let steps = Noted<String>()
        let sent: ClosureTransport
        let restoring: @Sendable () -> Promise<Void>
        let encoding: RESTEncoding

        init(
            _ answers: [HTTPResponse],
            encoding: RESTEncoding = .json,
            restoring: @escaping @Sendable () -> Promise<Void> = { .value(()) }
        ) {
            sent = ClosureTransport(answers: answers)
            self.encoding = encoding
            self.restoring = restoring
        }

        var origin: String { "https://example.com" }
        var transport: any HTTPTransport { sent }
        var limits: HTTPLimits { HTTPLimits(deadline: nil) }
        let valueTransformerContext = ValueTransformerContext(name: "api", keyCase: .snake)
        let router: RESTRouter = {
            var router = RESTRouter()
            router.route(Customer.self, to: "clients")
            return router
        }()

        var defaultHeaders: HTTPHeaders {
            steps.note("defaultHeaders")
            return ["X-Client": "tests", "Accept": "application/vnd.shop+json"]
        }

        func restoreSession() -> Promise<Void> {
            steps.note("restoreSession")
            return restoring()
        }

        func encodingForMethod(_ method: HTTPMethod) -> RESTEncoding {
            steps.note("encodingForMethod \(method)")
            return encoding
        }

        func formatPayload(
            _ payload: AttributeDictionary,
            of type: any Model.Type
        ) -> AttributeDictionary {
            steps.note("formatPayload \(type)")
            return ["client": .dictionary(payload)]
        }

        func serializeModel(
            _ type: any Model.Type,
            as object: AttributeDictionary
        ) throws -> AttributeDictionary {
            steps.note("serializeModel \(type)")
            var object = object
            object["via"] = "tests"
            return object
        }

        func deserializeModel(
            _ type: any Model.Type,
            from object: AttributeDictionary
        ) throws -> AttributeDictionary {
            steps.note("deserializeModel \(type)")
            var object = object
            object["first_name"] = object.removeValue(forKey: "called")
            return object
        }

        func constructResponse(
            _ response: HTTPResponse,
            to request: HTTPRequest
        ) throws -> RESTResponse {
            steps.note("constructResponse \(response.status)")
            var answer = RESTResponse(response)
            // This server says 200 whatever happens.
            if case .dictionary(let members)? = answer.value, members["error"] != nil {
                answer.error = .forbidden("not for you")
            }
            return answer
        }

        func handleError(_ error: StoreError, of request: HTTPRequest?) {
            steps.note("handleError \(error.code) \(request?.method.rawValue ?? "-")")
        }
    }

    @Test func `each hook is called in its turn`() async throws {
        let store = Hooked([.json(#"{"id":"c1","called":"ADA"}"#)])
        let customer = Customer("c1", "Ada")
        _ = try await store.create(customer).value
        expect(customer.firstName.value, equals: "ADA")
        let request = try #require(store.sent.sent.all.first)
        expect(
            request.summary,
            equals:
                #"POST /clients {"client":{"first_name":"Ada","id":"c1","is_active":true,"via":"tests"}}"#
        )
        expect(request.headers["X-Client"], equals: "tests")
        expect(request.headers["Accept"], equals: "application/vnd.shop+json")
        expect(
            store.steps.all,
            equals: [
                "serializeModel Customer", "formatPayload Customer", "restoreSession",
                "defaultHeaders",
                "encodingForMethod POST", "constructResponse 200", "deserializeModel Customer",
            ]
        )
    }

    @Test func `a response with an error is a failure whatever its status, reported once`()
        async throws
    {
        let store = Hooked([.json(#"{"error":"no"}"#)])
        let error = await store.lookup(Customer.self, identifier: "c1").storeError
        expect(error, equals: .forbidden("not for you"))
        expect(
            store.steps.all.filter { $0.hasPrefix("handleError") },
            equals: ["handleError forbidden GET"]
        )
    }

    @Test func `a session that cannot be restored is reported, and nothing is sent`() async throws {
        struct SignedOut: Error {}
        for isLate in [false, true] {
            let (gate, resolver) = Promise<Void>.withResolvers()
            let store = Hooked([]) { isLate ? gate : .failed(SignedOut()) }
            let creation: Promise = store.create(Customer("c1", "Ada"))
            if isLate { resolver.reject(SignedOut()) }
            await expect(creation.storeError?.code, equals: "unauthorized")
            expect(store.sent.sent.count, equals: 0)
            expect(store.steps.all.last, equals: "handleError unauthorized -")
            expect(!store.steps.all.contains("defaultHeaders"))
        }
    }

    @Test func `a request waits for its session`() async throws {
        let (gate, resolver) = Promise<Void>.withResolvers()
        let store = Hooked([.json(#"{"id":"c1","called":"Ada"}"#)]) { gate }
        let lookup: Promise = store.lookup(Customer.self, identifier: "c1")
        expect(store.sent.sent.count, equals: 0)
        resolver.fulfill()
        try await expect(lookup.value.firstName.value, equals: "Ada")
    }

    @Test func `what is sent may be a form, or in the address`() async throws {
        let answer = HTTPResponse.json(#"{"id":"c1","called":"Ada"}"#)
        let form = Hooked([answer], encoding: .form)
        let customer = Customer("c1", "Ada & Bob")
        customer.age.value = nil
        _ = try await form.create(customer).value
        let sent = try #require(form.sent.sent.all.first)
        expect(sent.headers["Content-Type"], equals: "application/x-www-form-urlencoded")
        expect(
            sent.body.map { String(decoding: $0, as: UTF8.self) },
            equals: "client%5Bage%5D=&client%5Bfirst_name%5D=Ada%20%26%20Bob&client%5Bid%5D=c1"
                + "&client%5Bis_active%5D=true&client%5Bvia%5D=tests"
        )
        let query = Hooked([answer], encoding: .query)
        _ = try await query.create(Customer("c1", "Ada")).value
        let other = try #require(query.sent.sent.all.first)
        expect(other.body, equals: nil)
        expect(
            other.target,
            equals: "/clients?client%5Bfirst_name%5D=Ada&client%5Bid%5D=c1"
                + "&client%5Bis_active%5D=true&client%5Bvia%5D=tests"
        )
    }

    @Test(arguments: [RESTEncoding.form, .query])
    func `an array that was emptied is not sent as if it had not been`(encoding: RESTEncoding)
        async throws
    {
        let answers = [#"{"id":"t1","tags":["red"]}"#, #"{"id":"t2","tags":[]}"#]
        let store = Hooked(answers.map { .json($0) }, encoding: encoding)
        let tagged = Tagged()
        tagged.id.value = "t1"
        tagged.tags.value = ["red"]
        _ = try await store.create(tagged).value
        tagged.tags.value = []
        let error = await store.update(tagged).storeError
        expect(error, equals: .unsupported("client.tags is empty, of which parameters say nothing"))
        expect(store.sent.sent.count, equals: 1)
        expect(tagged.tags.value, equals: [])
        // A new one need not say that it has none.
        let other = Tagged()
        other.id.value = "t2"
        other.tags.value = []
        _ = try await store.create(other).value
        expect(store.sent.sent.count, equals: 2)
    }

    @Test func `a store needs no more than an origin and a session`() {
        final class API: RemoteModelStore {
            let origin = "https://api.example.com/v1"
            let session = StoreSession()
        }
        let api = API()
        expect(api.dialect.name, equals: RESTDialect.plain.name)
        expect(api.transport is RetryingTransport)
        expect(api.encodingForMethod(.post), equals: .json)
        expect(api.limits.deadline, equals: .seconds(60))
        expect(api.router.collectionPath(for: Customer.self), equals: "/customers")
        expect(api.records is RemoteRecordStore)
    }
}
