import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// What a store makes of the answer to a write that is made.
@Suite struct RemoteReceiptTests {
    private static let tagged: RESTDialect = {
        var dialect = RESTDialect.djangoREST
        dialect.honoursIfMatch = true
        return dialect
    }()

    @Test(
        arguments: [
            (202, #"{"id":991,"title":"queued"}"#, ModelKitStores.Outcome.unknown),
            (202, "", .unknown), (200, #"{"id":991,"title":"queued"}"#, .applied),
        ],
        [true, false]
    )
    func `an update that is answered with another model leaves its own as it is`(
        _ answer: (status: Int, body: String, outcome: ModelKitStores.Outcome),
        _ isPlain: Bool
    ) async throws {
        let transport = ClosureTransport { request, _ in
            .value(
                request.method == .get
                    ? .json(#"{"id":7,"title":"a"}"#) : .json(answer.body, answer.status)
            )
        }
        let store = TestAPI(transport, isPlain ? .plain : .djangoREST)
        let ticket = try await store.lookup(Ticket.self, identifier: 7).value
        ticket.title.value = "b"
        for _ in 0..<2 {
            let error = await store.update(ticket).storeError
            expect(error?.code == "unavailable" && error?.outcome == answer.outcome)
            expect(ticket.id.value == 7 && ticket.title.value == "b")
            expect(transport.summaries.last, equals: #"PATCH /tickets/7 {"title":"b"}"#)
        }
        expect(transport.sent.count, equals: 3)
    }

    @Test func `a saved model is not another one`() async throws {
        let answer = HTTPResponse.json(#"{"id":"job-1","firstName":"queued"}"#)
        for dialect in [RESTDialect.plain, .djangoREST] {
            let transport = ClosureTransport { _, _ in .value(answer) }
            let customer = Customer("c1", "Ada")
            let save: Promise = TestAPI(transport, dialect).save(customer, onConflict: .replace)
            await expect(save.storeError?.outcome, equals: .applied)
            expect(customer.id.value == "c1" && customer.firstName.value == "Ada")
        }
    }

    @Test func `an identifier may be written otherwise, and that of the only model be another`()
        async throws
    {
        let lower = ClosureTransport { _, _ in .value(.json(#"{"id":"ab-1","age":3}"#)) }
        let customer = Customer("AB-1", "Ada")
        _ = try await TestAPI(lower, .djangoREST).update(customer).value
        expect(customer.age.value, equals: 3)
        var router = RESTRouter()
        router.route(Customer.self, toSingleton: "me")
        let own = ClosureTransport { _, _ in .value(.json(#"{"id":"c7","age":3}"#)) }
        let me = Customer("me", "Ada")
        _ = try await TestAPI(own, .djangoREST, router: router).update(me).value
        expect(me.age.value, equals: 3)
    }

    @Test(arguments: [
        HTTPResponse(status: 204), HTTPResponse(status: 204, headers: ["ETag": "\"x2\""]),
        .json(#"{"id":"c1","age":36}"#),
    ])
    func `what was written is not null any more, and what was set to nil is`(
        _ answer: HTTPResponse
    ) async throws {
        let others =
            #""isActive":true,"createdAt":null,"homeAddress":{"cityName":null},"visitCount":null"#
        let transport = ClosureTransport { request, _ in
            switch (request.method, request.target) {
            case (.put, _): .value(answer)
            // The list leaves out a field.
            case (_, "/customers"): .value(.json("[{\"id\":\"c1\",\"age\":36,\(others)}]"))
            default:
                .value(.json("{\"id\":\"c1\",\"firstName\":null,\"age\":36,\(others)}"))
            }
        }
        var dialect = RESTDialect(name: "the shop")
        dialect.updateMethod = .put
        dialect.honoursIfMatch = true
        let store = TestAPI(transport, dialect)
        let customer = try await store.lookup(Customer.self, identifier: "c1").value
        func edit(_ name: String?, thenAge age: Int) async throws -> StoreError? {
            customer.firstName.value = name
            _ = try await store.update(customer).value
            customer.unload()
            _ = try await store.list(Customer.self).value
            customer.age.value = age
            return await store.update(customer).storeError
        }
        let error = try await edit("X", thenAge: 37)
        expect(error?.code, equals: "unsupported")
        expect(error?.description.contains("firstName"), equals: true)
        expect(!transport.summaries.contains { $0.contains(#""firstName":null"#) })
        try await expect(edit(nil, thenAge: 38), equals: nil)
        expect(transport.summaries.last?.contains(#""firstName":null"#), equals: true)
        expect(transport.summaries.last?.contains(#""age":38"#), equals: true)
    }

    @Test func `what a read has found is not null any more, with a dialect of our own, too`()
        async throws
    {
        var dialect = RESTDialect.plain
        dialect.updateMethod = .put
        let transport = ClosureTransport(answers: [
            .json(#"{"id":"d","label":null,"floor":"f"}"#),
            .json(#"{"id":"d","label":"red","floor":"f"}"#), HTTPResponse(status: 204),
        ])
        let store = TestAPI(transport, dialect, router: RESTRouter(maxPathDepth: 0))
        let desk = try await store.lookup(Desk.self, identifier: "d").value
        _ = try await store.lookup(Desk.self, identifier: "d").value
        desk.unload()
        desk.floor.value = Floor("g", of: nil)
        await expect(store.update(desk).storeError?.code, equals: "unsupported")
        expect(transport.sent.count, equals: 2)
    }

    @Test func `an update that is answered with a text is made`() async throws {
        func error(
            _ body: String,
            _ type: String,
            _ dialect: RESTDialect
        ) async throws -> StoreError? {
            let answer = HTTPResponse.json(body, 200, ["Content-Type": type])
            let transport = ClosureTransport { request, _ in
                .value(request.method == .get ? .json(#"{"id":7,"title":"a"}"#) : answer)
            }
            let store = TestAPI(transport, dialect)
            let ticket = try await store.lookup(Ticket.self, identifier: 7).value
            ticket.title.value = "b"
            let error = await store.update(ticket).storeError
            expect(ticket.id.value == 7 && ticket.title.value == "b")
            if error == nil {
                // There is nothing left to send.
                _ = try await store.update(ticket).value
                _ = try await store.delete(ticket).value
                expect(transport.sent.all.map(\.method), equals: [.get, .patch, .delete])
            }
            return error
        }
        for dialect in [RESTDialect.djangoREST, .plain] {
            for type in ["text/plain", "Text/Plain; charset=utf-8"] {
                try await expect(error("OK", type, dialect), equals: nil)
            }
            let answer = HTTPResponse.json("OK", 200, ["Content-Type": "text/plain"])
            let saving = TestAPI(ClosureTransport { _, _ in .value(answer) }, dialect)
            _ = try await saving.save(Customer("c1", "Ada"), onConflict: .replace).value
            for (body, type) in [
                ("<html>Sign in</html>", "text/html"), ("OK", "application/json"),
                (#"{"state":"queued"}"#, "text/html"),
            ] {
                try await expect(error(body, type, dialect)?.outcome, equals: .unknown)
            }
        }
    }

    @Test func `a value that is set back makes no version of before`() async throws {
        let body = #"{"id":"c1","firstName":"Ada","isActive":true}"#
        let transport = ClosureTransport { request, _ in
            switch (request.method, request.target) {
            case (.get, "/customers"): .value(.json("[\(body)]"))
            case (.get, _): .value(.json(body, 200, ["ETag": "\"x1\""]))
            default: .value(HTTPResponse(status: 204))
            }
        }
        let store = TestAPI(transport, Self.tagged)
        let customer = try await store.lookup(Customer.self, identifier: "c1").value
        for isActive in [false, true] {
            customer.isActive.value = isActive
            _ = try await store.update(customer).value
        }
        _ = try await store.list(Customer.self).value
        customer.firstName.value = "Bob"
        _ = try await store.update(customer).value
        expect(
            transport.sent.all.map { $0.headers["If-Match"] },
            equals: [nil, "\"x1\"", nil, nil, nil]
        )
    }
}
