import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

@Suite struct RemoteErrorTests {
    private static let snake = ValueTransformerContext(name: "api", keyCase: .snake)

    /// What a creation fails with that a server answers so.
    private func error(
        _ response: HTTPResponse,
        _ dialect: RESTDialect = .djangoREST
    ) async -> StoreError? {
        let transport = ClosureTransport { _, _ in .value(response) }
        return await TestAPI(transport, dialect, context: Self.snake)
            .create(Customer("c1", "Ada")).storeError
    }

    /// How servers say the same.
    private static let shapes: [String] = [
        """
        {"first_name": ["is too short"], "home_address": {"city_name": ["is unknown"]}}
        """,
        """
        {"errors": {"first_name": ["is too short"], "home_address": {"city_name": ["is unknown"]}}}
        """,
        """
        {"message": "no", "data": {"first_name": {"code": "x", "message": "is too short"},
         "home_address": {"city_name": {"code": "x", "message": "is unknown"}}}}
        """,
        """
        {"errors": [
          {"source": {"pointer": "/data/attributes/first_name"}, "detail": "is too short"},
          {"source": {"pointer": "/data/attributes/home_address/city_name"}, "title": "is unknown"}]}
        """,
        """
        {"title": "no", "errors": [{"pointer": "#/first_name", "detail": "is too short"},
         {"pointer": "/home_address/city_name", "detail": "is unknown"}]}
        """,
        """
        {"invalid-params": [{"name": "first_name", "reason": "is too short"},
         {"name": "home_address.city_name", "reason": "is unknown"}]}
        """,
        """
        {"detail": "no", "extra": [{"key": "first_name", "message": "is too short"},
         {"key": "home_address.city_name", "message": "is unknown"}]}
        """,
        """
        {"detail": [{"loc": ["body", "first_name"], "msg": "is too short"},
         {"loc": ["body", "home_address", "city_name"], "msg": "is unknown"}]}
        """,
    ]

    @Test(arguments: shapes, [400, 422])
    func `what is wrong with values is on their fields`(_ body: String, _ status: Int) async throws
    {
        let error = await error(.json(body, status))
        guard case .validation(let issues)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        expect(issues.map(\.path), equals: [["firstName"], ["homeAddress", "cityName"]])
        expect(issues.map(\.message), equals: ["is too short", "is unknown"])
    }

    @Test func `a field may be called as a member of problems is`() async throws {
        let body = #"{"title":["is too short"],"status":400}"#
        let transport = ClosureTransport { _, _ in .value(.json(body, 400)) }
        let issues = await TestAPI(transport, .djangoREST).create(Ticket("a")).storeError?.issues
        expect(issues?.map(\.path), equals: [["title"]])
    }

    @Test func `what is wrong with the whole is on none`() async throws {
        let body = #"{"non_field_errors":["must be unique together"],"tags":[{},{"name":["no"]}]}"#
        let issues = await error(.json(body, 400))?.issues
        expect(issues?.map(\.path), equals: [[], ["tags", 1, "name"]])
    }

    @Test func `a problem of our own server is the error that it was`() async throws {
        let error = await error(
            .json(
                #"{"status":409,"code":"alreadyExists","model":"Customer","identifier":"c7","#
                    + #""field":["home_address","city_name"]}"#,
                409
            ),
            .plain
        )
        expect(
            error,
            equals: .alreadyExists(
                type: "Customer",
                identifier: "c7",
                field: ["homeAddress", "cityName"]
            )
        )
    }

    @Test(arguments: [
        (401, "unauthorized", ModelKitStores.Outcome.notApplied), (403, "forbidden", .notApplied),
        (400, "unsupported", .notApplied), (404, "unsupported", .notApplied),
        (405, "unsupported", .notApplied), (413, "unsupported", .notApplied),
        (415, "unsupported", .notApplied), (409, "alreadyExists", .notApplied),
        (418, "unavailable", .notApplied), (429, "unavailable", .notApplied),
        (503, "unavailable", .unknown), (500, "unavailable", .unknown),
        (502, "unavailable", .unknown), (504, "unavailable", .unknown),
        (302, "unavailable", .unknown), (303, "unavailable", .unknown),
        (307, "unavailable", .notApplied), (308, "unavailable", .notApplied),
        (199, "unavailable", .unknown),
    ])
    func `a status is an error with its outcome`(
        _ status: Int,
        _ code: String,
        _ outcome: ModelKitStores.Outcome
    ) async throws {
        for response in [
            HTTPResponse(status: status),
            HTTPResponse(
                status: status,
                headers: ["Content-Type": "text/html; charset=utf-8"],
                body: Data("<html><h1>\(status)</h1></html>".utf8)
            ),
        ] {
            let error = await error(response)
            expect(error?.code, equals: code)
            expect(error?.outcome, equals: outcome)
            expect(error?.description.contains("<html>"), equals: false)
        }
    }

    @Test func `a request whose key is in use is no record that is there`() async throws {
        let body = #"{"status":409,"code":"idempotency","detail":"it is under way"}"#
        let error = await error(.json(body, 409), .plain)
        expect(error, equals: .unavailable("the server answered 409: it is under way", .unknown))
    }

    @Test func `a server that names a time to come again has done nothing`() async throws {
        let answer = HTTPResponse(status: 503, headers: ["Retry-After": "120"])
        let error = await error(answer)
        expect(error?.outcome, equals: .notApplied)
        expect(error?.description.contains("120"), equals: true)
        // Nothing is applied by a read.
        let transport = ClosureTransport { _, _ in .value(HTTPResponse(status: 500)) }
        let read = await TestAPI(transport).lookup(Customer.self, identifier: "c1").storeError
        expect(read?.outcome, equals: .notApplied)
    }

    @Test func `what a server says is reported, as far as it can be read`() async throws {
        let error = await error(.json(#"{"detail":"You are not on the list."}"#, 403))
        expect(error, equals: .forbidden("the server answered 403: You are not on the list."))
    }

    @Test(arguments: [
        ("{\"id\":", "application/json"), ("<html></html>", "text/html"), ("OK", "text/plain"),
        ("[]", "application/json"), ("\"c1\"", "application/json"), ("", "application/json"),
    ])
    func `a success that makes no sense is none`(_ body: String, _ type: String) async throws {
        let response = HTTPResponse.json(body, 200, ["Content-Type": type])
        let transport = ClosureTransport { _, _ in .value(response) }
        let store = TestAPI(transport, .djangoREST)
        let lookup = await store.lookup(Customer.self, identifier: "c1").storeError
        expect(lookup?.code, equals: "unavailable")
        expect(lookup?.outcome, equals: .notApplied)
        if body != "[]" {
            await expect(store.list(Customer.self).storeError?.code, equals: "unavailable")
        }
        if !body.isEmpty {
            let creation = await store.create(Customer("c1", "Ada")).storeError
            expect(creation?.code, equals: "unavailable")
            expect(creation?.outcome, equals: .unknown)
        }
    }

    @Test func `a request that would break its head is not sent`() async throws {
        final class Broken: RemoteModelStore {
            let origin = example
            let session = StoreSession()
            let transport: any HTTPTransport
            var defaultHeaders: HTTPHeaders { ["X-Name": "Ada\r\nX-Admin: yes"] }
            init(_ transport: any HTTPTransport) { self.transport = transport }
        }
        let transport = ClosureTransport { _, _ in .value(HTTPResponse(status: 204)) }
        let error = await Broken(transport).create(Customer("c1")).storeError
        expect(error?.code, equals: "unsupported")
        expect(error?.outcome, equals: .notApplied)
        expect(transport.sent.count, equals: 0)
    }

    @Test func `JSON of another type is read all the same`() async throws {
        let answer = HTTPResponse.json(#"{"id":"c1"}"#, 200, ["Content-Type": "text/plain"])
        let transport = ClosureTransport { _, _ in .value(answer) }
        let customer = try await TestAPI(transport).lookup(Customer.self, identifier: "c1").value
        expect(customer.id.value, equals: "c1")
    }

    @Test func `an answer that does not fit the model leaves the write made`() async throws {
        let answer = HTTPResponse.json(#"{"id":"c1","age":"many"}"#, 201)
        let error = await error(answer)
        expect(error?.outcome, equals: .applied)
    }

    @Test func `a body that is too deep or too long is refused`() async throws {
        let deep = String(repeating: "[", count: 100_000)
        let transport = ClosureTransport { _, _ in .value(.json(deep)) }
        await expect(TestAPI(transport).list(Customer.self).storeError?.code, equals: "unavailable")
        let memory = MemoryTransport { _ in .json("[" + String(repeating: " ", count: 5_000) + "]")
        }
        final class Small: RemoteModelStore {
            let origin = example
            let session = StoreSession()
            let transport: any HTTPTransport
            var limits: HTTPLimits { HTTPLimits(deadline: nil, responseSize: 1_000) }
            init(_ transport: any HTTPTransport) { self.transport = transport }
        }
        let error = await Small(memory).list(Customer.self).storeError
        expect(error?.description.contains("1000 bytes"), equals: true)
    }
}
