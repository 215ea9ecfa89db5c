import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

@Suite struct RemoteVerbTests {
    @Test func `create posts what was set, with a key, and takes what the server made`()
        async throws
    {
        let answer = HTTPResponse.json(
            #"{"id":"c1","firstName":"ADA","isActive":true,"createdAt":"2026-01-02T03:04:05Z","#
                + #""visitCount":1,"_meta":{"revision":1,"place":7}}"#,
            201
        )
        let transport = ClosureTransport(answers: [answer])
        let store = TestAPI(transport)
        let customer = Customer("c1", "Ada")
        let same = try await store.create(customer).value
        expect(same === customer)
        let request = try #require(transport.sent.all.first)
        expect(
            request.summary,
            equals: #"POST /customers {"firstName":"Ada","id":"c1","isActive":true}"#
        )
        expect(request.origin, equals: example)
        expect(request.headers["Content-Type"], equals: "application/json")
        expect(request.headers["Accept"], equals: "application/json, application/problem+json")
        let key = try #require(request.headers["Idempotency-Key"])
        expect(key.count == 38 && key.hasPrefix("\"") && key.hasSuffix("\""))
        expect(customer.firstName.value, equals: "ADA")
        expect(customer.createdAt.value, equals: Date(timeIntervalSince1970: 1_767_323_045))
        expect(customer.visitCount.value, equals: 1)
        // There is nothing left to send.
        _ = try await store.update(customer).value
        expect(transport.sent.count, equals: 1)
        expect(store.errors.count, equals: 0)
    }

    @Test func `update patches the edited fields, null for nil, and nothing else`() async throws {
        let known =
            #"{"id":"c1","firstName":"Ada","age":36,"isActive":true,"_meta":{"revision":4}}"#
        let transport = ClosureTransport(answers: [
            .json(known),
            .json(
                #"{"id":"c1","firstName":"Ada L.","age":null,"isActive":true,"_meta":{"revision":5}}"#
            ),
            HTTPResponse(status: 204, headers: ["ETag": "\"6\""]),
            HTTPResponse(status: 204),
        ])
        let store = TestAPI(transport)
        let customer = try await store.lookup(Customer.self, identifier: "c1").value
        customer.firstName.value = "Ada L."
        customer.age.value = nil
        _ = try await store.update(customer).value
        customer.cityName.value = "Rome"
        _ = try await store.update(customer).value
        _ = try await store.delete(customer).value
        expect(
            transport.summaries,
            equals: [
                "GET /customers/c1",
                #"PATCH /customers/c1 {"age":null,"firstName":"Ada L."}"#,
                #"PATCH /customers/c1 {"homeAddress":{"cityName":"Rome"}}"#,
                "DELETE /customers/c1",
            ]
        )
        expect(
            transport.sent.all.map { $0.headers["If-Match"] },
            equals: [nil, "\"4\"", "\"5\"", "\"6\""]
        )
        expect(transport.sent.all[0].headers["Idempotency-Key"], equals: nil)
        expect(
            Set(transport.sent.all.compactMap { $0.headers["Idempotency-Key"] }).count,
            equals: 3
        )
    }

    @Test func `nil that was set is null over a default value, and absent where it was not set`()
        async throws
    {
        let transport = ClosureTransport { request, _ in
            .value(HTTPResponse(status: 201, headers: ["Location": "/customers/c1"]))
        }
        let store = TestAPI(transport)
        let customer = Customer("c1")
        customer.isActive.value = nil
        _ = try await store.create(customer).value
        expect(transport.summaries, equals: [#"POST /customers {"id":"c1","isActive":null}"#])

        var silent = ValueTransformerContext(name: "silent", explicitNull: false)
        silent.keyCase = .snake
        let other = TestAPI(transport, context: silent)
        let second = Customer("c2", "Bob")
        second.age.value = nil
        _ = try await other.create(second).value
        expect(
            transport.summaries[1],
            equals: #"POST /customers {"first_name":"Bob","id":"c2","is_active":true}"#
        )
        // An update says null whatever is said of nulls.
        second.firstName.value = nil
        _ = try await other.update(second).value
        expect(transport.summaries[2], equals: #"PATCH /customers/c2 {"first_name":null}"#)
    }

    @Test func `a model without a number gets that of the server`() async throws {
        let transport = ClosureTransport(answers: [
            .json(#"{"id":41,"title":"a"}"#, 201),
            HTTPResponse(status: 201, headers: ["Location": "https://example.com/tickets/42/"]),
            HTTPResponse(status: 201),
        ])
        let store = TestAPI(transport, .djangoREST)
        let tickets = ["a", "b", "c"].map { Ticket($0) }
        try await expect(store.create(tickets[0]).value.id.value, equals: 41)
        try await expect(store.create(tickets[1]).value.id.value, equals: 42)
        let error = await store.create(tickets[2]).storeError
        expect(error?.outcome, equals: .applied)
        expect(transport.summaries[0], equals: #"POST /tickets {"title":"a"}"#)
    }

    @Test func `what is not there is not found`() async throws {
        let transport = ClosureTransport { _, _ in
            .value(.json(#"{"detail":"Not found."}"#, 404))
        }
        let store = TestAPI(transport, .djangoREST)
        let missing = StoreError.notFound(type: "Customer", identifier: "c1")
        await expect(store.lookup(Customer.self, identifier: "c1").storeError, equals: missing)
        await expect(store.update(Customer("c1", "A")).storeError, equals: missing)
        await expect(store.delete(Customer("c1")).storeError, equals: missing)
        // There is no collection.
        await expect(store.list(Customer.self).storeError?.code, equals: "unsupported")
        await expect(store.create(Customer("c1")).storeError?.code, equals: "unsupported")
        // A lookup that finds nothing is no failure of the request.
        expect(
            store.errors.all.map(\.code),
            equals: ["notFound", "notFound", "unsupported", "unsupported"]
        )
    }

    @Test func `a dialect may have the whole model put`() async throws {
        var dialect = RESTDialect(name: "the shop")
        dialect.updateMethod = .put
        let whole =
            #"{"id":"c1","firstName":"Ada","age":36,"isActive":true,"createdAt":null,"#
            + #""homeAddress":{"cityName":null},"visitCount":null}"#
        let short = #"{"id":"c1","firstName":"Ada","age":36,"isActive":true}"#
        for (answer, absentIsNull) in [(whole, false), (short, true)] {
            dialect.absentIsNull = absentIsNull
            let transport = ClosureTransport { request, _ in
                switch request.target {
                // A list may send less.
                case "/customers":
                    .value(.json("[\(absentIsNull ? answer : #"{"id":"c1","age":40}"#)]"))
                default:
                    .value(request.method == .get ? .json(answer) : HTTPResponse(status: 204))
                }
            }
            let store = TestAPI(transport, dialect)
            let customer = try await store.lookup(Customer.self, identifier: "c1").value
            for age in [37, 38] {
                _ = try await store.list(Customer.self).value
                customer.age.value = age
                _ = try await store.update(customer).value
                expect(
                    transport.summaries.last,
                    equals: "PUT /customers/c1 {\"age\":\(age),\"createdAt\":null,"
                        + #""firstName":"Ada","homeAddress":{"cityName":null},"id":"c1","#
                        + #""isActive":true,"visitCount":null}"#
                )
            }
            expect(transport.sent.count, equals: 5)
            expect(transport.sent.all[2].headers["If-Match"], equals: nil)
        }
    }

    @Test func `a model that is not known whole is not put`() async throws {
        var dialect = RESTDialect(name: "the shop")
        dialect.updateMethod = .put
        let transport = ClosureTransport { request, _ in
            let identifier = request.target.hasSuffix("c2") ? "c2" : "c1"
            return .value(.json("{\"id\":\"\(identifier)\",\"firstName\":\"Ada\",\"age\":36}"))
        }
        let store = TestAPI(transport, dialect)
        let customer = try await store.lookup(Customer.self, identifier: "c1").value
        customer.age.value = 37
        // Its default value is not that of the server.
        let error = await store.update(customer).storeError
        expect(error?.code, equals: "unsupported")
        expect(error?.description.contains("isActive"), equals: true)
        let write = RecordWrite(.update("c1", ["age": 1], revision: nil), of: Customer.schema)
        await expect(store.records.perform([write]).storeError?.code, equals: "unsupported")
        expect(transport.sent.count, equals: 1)
        // What was set is known.
        customer.isActive.value = false
        customer.cityName.value = "Rome"
        customer.createdAt.value = Date(timeIntervalSince1970: 0)
        customer.visitCount.value = nil
        _ = try await store.update(customer).value
        expect(transport.sent.all.last?.method, equals: .put)
        // A save says that it is whole.
        _ = try await store.save(Customer("c2", "Eve"), onConflict: .replace).value
        expect(
            transport.summaries.last,
            equals: #"PUT /customers/c2 {"firstName":"Eve","id":"c2","isActive":true}"#
        )
    }

    @Test func `saving is put with its condition, or made of what there is`() async throws {
        let plain = ClosureTransport { _, _ in
            .value(.json(#"{"id":"c1","firstName":"Ada","_meta":{"revision":1}}"#, 201))
        }
        _ = try await TestAPI(plain).save(Customer("c1", "Ada"), onConflict: .merge).value
        expect(
            plain.summaries,
            equals: [
                #"PUT /customers/c1?on-conflict=merge {"firstName":"Ada","id":"c1"}"#
            ]
        )
        let django = ClosureTransport { request, number in
            .value(
                request.method == .post
                    ? .json(#"{"id":"c1","firstName":"Ada"}"#, 201)
                    : .json(#"{"detail":"Not found."}"#, 404)
            )
        }
        let store = TestAPI(django, .djangoREST)
        for onConflict in [OnConflict.fail, .merge, .replace] {
            _ = try await store.save(Customer("c1", "Ada"), onConflict: onConflict).value
        }
        expect(
            django.sent.all.map(\.method),
            equals: [.post, .patch, .get, .post, .put, .get, .post]
        )
    }

    @Test func `several writes are a batch where the server has batches, and refused elsewhere`()
        async throws
    {
        let transport = ClosureTransport { _, _ in .value(HTTPResponse(status: 500)) }
        let store = TestAPI(transport, .djangoREST)
        let error = await store.create([Customer("a"), Customer("b")]).storeError
        expect(error?.code, equals: "unsupported")
        expect(error?.description.contains("Django REST framework"), equals: true)
        expect(transport.sent.count, equals: 0)
    }

    @Test func `the origin may have a path, and requests have it`() async throws {
        for origin in ["https://example.com/api/v1", "https://example.com/api/v1/"] {
            let transport = ClosureTransport { _, _ in .value(.json(#"{"items":[]}"#)) }
            let store = TestAPI(transport, origin: origin)
            _ = try await store.list(Customer.self).value
            expect(transport.sent.all[0].origin, equals: example)
            expect(transport.sent.all[0].target, equals: "/api/v1/customers")
        }
    }

    @Test func `what cannot be kept is refused before it is sent`() async throws {
        let transport = ClosureTransport { _, _ in .value(HTTPResponse(status: 500)) }
        let records = TestAPI(transport).records
        func code(_ action: RecordWrite.Action) async -> String? {
            let writes = [RecordWrite(action, of: Customer.schema)]
            return await records.perform(writes).storeError?.code
        }
        await expect(code(.create("c1", ["age": "many"])), equals: "schema")
        await expect(code(.create("c1", ["shoes": 1])), equals: "schema")
        await expect(code(.update("c1", ["shoes": 1], revision: nil)), equals: "schema")
        await expect(code(.update("c1", ["id": "c2"], revision: nil)), equals: "unsupported")
        let query = RecordQuery(order: [RecordQuery.Order("shoes")])
        await expect(records.fetch(query, of: Customer.schema).storeError?.code, equals: "schema")
        expect(transport.sent.count, equals: 0)
    }
}
