import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// The examples of the documentation of remote stores and dialects.
@Suite struct RemoteExampleTests {
    final class API: RemoteModelStore {
        let origin = "https://api.example.com/v1"
        let session = StoreSession()
        let transport: any HTTPTransport
        var defaultHeaders: HTTPHeaders { ["X-Client": "contacts"] }
        var limits: HTTPLimits { .patient }

        init(_ transport: any HTTPTransport) { self.transport = transport }

        func constructResponse(_ response: HTTPResponse, to request: HTTPRequest) -> RESTResponse {
            var answer = RESTResponse(response)
            // This server says 200 whatever happens.
            if case .dictionary(let members)? = answer.value, members["error"] != nil {
                answer.error = .unsupported("the server refuses it")
            }
            return answer
        }

        func encodingForMethod(_ method: HTTPMethod) -> RESTEncoding {
            method == .post ? .form : .json
        }
    }

    @Test func `a store is asked and written to`() async throws {
        let transport = ClosureTransport(answers: [
            .json(#"{"id":"7","firstName":"A"}"#), HTTPResponse(status: 204),
            .json(#"{"error":"no"}"#), .json(#"{"id":"7","firstName":"B"}"#),
        ])
        let store = API(transport)
        let customer = try await store.lookup(Customer.self, identifier: "7").value
        customer.firstName.value = "Ada"
        _ = try await store.update(customer).value
        let error = await store.create(Customer("8")).storeError
        expect(error, equals: .unsupported("the server refuses it"))
        let record = try await RemoteRecordStore(store).record("7", of: Customer.schema).value
        expect(record?.values["firstName"], equals: "B")
        expect(
            transport.summaries.prefix(2),
            equals: [
                "GET /v1/customers/7", #"PATCH /v1/customers/7 {"firstName":"Ada"}"#,
            ]
        )
        expect(
            transport.sent.all[2].headers["Content-Type"],
            equals: "application/x-www-form-urlencoded"
        )
        expect(transport.sent.all.allSatisfy { $0.headers["X-Client"] == "contacts" })
    }

    @Test func `a dialect is made of a few parts`() async throws {
        var shop = RESTDialect(
            name: "the shop",
            query: RESTDialect.query { condition in
                condition.comparison == .equal
                    ? .init(name: condition.names.joined(separator: "."), value: condition.text)
                    : nil
            } order: { orders in
                .init(
                    name: "sort",
                    value: orders.map { ($0.isDescending ? "-" : "") + $0.names[0] }
                        .joined(separator: ",")
                )
            },
            pagination: .cursor("cursor", at: ["meta", "next"], size: "limit"),
            envelope: .key("data")
        )
        shop.problem = { response in
            guard case .dictionary(let members)? = response.value,
                case .string(let text)? = members["reason"]
            else { return nil }
            return RESTProblem(message: text)
        }
        let transport = ClosureTransport(answers: [
            .json(#"{"data":[{"id":"a"}],"meta":{"next":"x y"}}"#),
            .json(#"{"data":[{"id":"b"}],"meta":{}}"#), .json(#"{"reason":"closed"}"#, 403),
        ])
        let store = TestAPI(transport, shop)
        let found = try await store.list(
            Customer.self,
            where: \.age == 18,
            orderBy: .descending(\.firstName),
            limit: 5
        ).value
        expect(found.map(\.id.value), equals: ["a", "b"])
        expect(
            transport.sent.all.map(\.target),
            equals: [
                "/customers?age=18&sort=-firstName&limit=5",
                "/customers?age=18&sort=-firstName&limit=5&cursor=x%20y",
            ]
        )
        let error = await store.list(Customer.self).storeError
        expect(error, equals: .forbidden("the server answered 403: closed"))
    }

    @Test func `the parts of dialects can be anything`() async throws {
        var dialect = RESTDialect(name: "the shop")
        dialect.query = { listing in
            [.init(name: "q", value: try listing.conditions().map(\.text).joined(separator: " "))]
        }
        dialect.pagination = RESTPagination { page in
            page.count < 100
                ? nil : .parameters([.init(name: "skip", value: "\(page.before + 100)")])
        }
        dialect.envelope = RESTEnvelope(list: [.name("page"), .name("rows")])
        let transport = ClosureTransport { _, _ in .value(.json(#"{"page":{"rows":[]}}"#)) }
        let store = TestAPI(transport, dialect)
        _ = try await store.list(Customer.self, where: \.age == 18 && \.firstName == "Ada").value
        expect(transport.sent.all[0].target, equals: "/customers?q=18%20Ada")
        dialect.pagination = .page("page", size: "per_page")
        dialect.query = RESTDialect.djangoREST.query
        let pages = ClosureTransport { _, _ in .value(.json("[]")) }
        _ = try await TestAPI(pages, dialect).list(Customer.self, limit: 3).value
        expect(pages.sent.all[0].target, equals: "/customers?per_page=3")
        let headers: HTTPHeaders = ["Link": "</people?page=2>; rel=\"next\""]
        expect(headers.link(to: "next"), equals: "/people?page=2")
    }

    @Test func `a request that is cancelled closes its connection`() async throws {
        let server = try LoopbackServer { _, _ in .hang }
        let store = TestAPI(URLSessionTransport(), origin: server.origin)
        let creation: Promise = store.create(Customer("c1", "Ada"))
        await expect(eventually { server.count(of: "/customers") == 1 })
        creation.cancel()
        await expect(creation.storeError, equals: .cancelled(.unknown))
        await expect(eventually { server.hangups == 1 })
    }
}
