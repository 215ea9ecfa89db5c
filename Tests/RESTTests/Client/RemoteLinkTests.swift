import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// Lists of servers that give their next part by `Link`, where the dialect looks elsewhere.
@Suite struct RemoteLinkTests {
    private static let last = HTTPResponse.json(#"[{"id":"c2"}]"#)

    private static func first(_ address: String, _ rows: String = #"{"id":"c1"}"#) -> HTTPResponse {
        .json("[\(rows)]", 200, ["Link": "<\(address)>; rel=\"next\""])
    }

    @Test func `a list is as long as what the server has, whatever the dialect looks for`()
        async throws
    {
        let own = [RESTPagination.none, .cursor("from", at: ["next"])].map {
            RESTDialect(name: "any", pagination: $0, envelope: .key("data"))
        }
        for dialect in [.plain, .djangoREST] + own {
            let transport = ClosureTransport(answers: [
                Self.first("/customers?page=2"), Self.last,
            ])
            let found = try await TestAPI(transport, dialect).list(Customer.self).value
            expect(found.map(\.id.value), equals: ["c1", "c2"])
            expect(transport.summaries, equals: ["GET /customers", "GET /customers?page=2"])
        }
    }

    @Test func `a number of all that is that of a page is not the end`() async throws {
        for pagination in [RESTPagination.offset(total: ["total"]), .page(total: ["total"])] {
            let transport = ClosureTransport(answers: [
                .json(
                    #"{"data":[{"id":"c1"}],"total":1}"#,
                    200,
                    ["Link": "</customers?page=2>; rel=next"]
                ),
                .json(#"{"data":[{"id":"c2"}],"total":1}"#),
            ])
            let dialect = RESTDialect(
                name: "any",
                pagination: pagination,
                envelope: .key("data")
            )
            let found = try await TestAPI(transport, dialect).list(Customer.self).value
            expect(found.map(\.id.value), equals: ["c1", "c2"])
        }
    }

    @Test func `what the dialect has found counts more`() async throws {
        let transport = ClosureTransport(answers: [
            .json(
                #"{"results":[{"id":"c1"}],"next":"/customers?from=a"}"#,
                200,
                ["Link": "</customers?page=2>; rel=\"next\""]
            ),
            .json(#"{"results":[{"id":"c2"}],"next":null}"#),
        ])
        let found = try await TestAPI(transport, .djangoREST).list(Customer.self).value
        expect(found.map(\.id.value), equals: ["c1", "c2"])
        expect(transport.summaries[1], equals: "GET /customers?from=a")
    }

    @Test func `no more is asked for than the limit, nor after a part without models`()
        async throws
    {
        for (rows, limit) in [(#"{"id":"c1"}"#, 1), ("", nil)] as [(String, Int?)] {
            let transport = ClosureTransport(answers: [Self.first("/customers?page=2", rows)])
            let found = try await TestAPI(transport).list(Customer.self, limit: limit).value
            expect(found.count, equals: limit ?? 0)
            expect(transport.sent.count, equals: 1)
        }
    }

    @Test func `such a link leads to no other server, and in no circle`() async throws {
        let answers = [Self.first("https://evil.example/customers?page=2"), Self.last]
        let other = ClosureTransport(answers: answers)
        let error = await TestAPI(other).list(Customer.self).storeError
        expect(error?.code == "unavailable" && error?.outcome == .notApplied)
        expect(error?.description.contains("https://evil.example"), equals: true)
        expect(other.sent.count, equals: 1)
        let own = ClosureTransport(answers: answers)
        var dialect = RESTDialect(name: "any", pagination: .none)
        dialect.pagination.usesOwnOrigin = true
        try await expect(TestAPI(own, dialect).list(Customer.self).value.count, equals: 2)
        let circle = ClosureTransport { _, number in
            .value(Self.first("/customers?page=1", "{\"id\":\"c\(number)\"}"))
        }
        let again = await TestAPI(circle).list(Customer.self).storeError
        expect(again?.description.contains("circle"), equals: true)
    }

    @Test func `a way to go on of one's own is taken at its word`() async throws {
        let transport = ClosureTransport(answers: [Self.first("/customers?page=2"), Self.last])
        let dialect = RESTDialect(name: "any", pagination: RESTPagination { _ in nil })
        try await expect(TestAPI(transport, dialect).list(Customer.self).value.count, equals: 1)
        expect(transport.sent.count, equals: 1)
    }
}
