import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// Versions that models of a list have in a member, and what else a dialect says of requests.
@Suite struct RemoteVersionTests {
    struct Way: Sendable, CustomTestStringConvertible {
        let path: [String]
        let member: String
        let tag: String
        var testDescription: String { member }
    }

    static let ways = [
        Way(
            path: ["last_modified"],
            member: #""last_modified":1700000000123"#,
            tag: #""1700000000123""#
        ),
        Way(path: ["_etag"], member: #""_etag":"a1b2""#, tag: #""a1b2""#),
        Way(path: ["_etag"], member: #""_etag":"\"a1b2\"""#, tag: #""a1b2""#),
        Way(path: ["meta", "version"], member: #""meta":{"version":4}"#, tag: #""4""#),
    ]

    private func dialect(_ path: [String]?) -> RESTDialect {
        var dialect = RESTDialect(name: "versioned")
        dialect.versionPath = path
        dialect.honoursIfMatch = true
        return dialect
    }

    @Test(arguments: ways)
    func `a stale copy from a list meets a conflict`(way: Way) async throws {
        let transport = ClosureTransport { request, _ in
            switch request.method {
            case .get where request.target == "/customers":
                return .value(.json("[{\"id\":\"c1\",\"age\":8,\(way.member)}]"))
            case .get: return .value(.json(#"{"id":"c1","age":9}"#, 200, ["ETag": "\"next\""]))
            default:
                return .value(HTTPResponse(status: request.headers["If-Match"] == nil ? 200 : 412))
            }
        }
        let store = TestAPI(transport, dialect(way.path))
        let customer = try #require(try await store.list(Customer.self).value.first)
        customer.age.value = 10
        let error = await store.update(customer).storeError
        guard case .conflict(let conflict)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        expect(conflict.theirs["age"], equals: 9)
        expect(transport.sent.all[1].headers["If-Match"], equals: way.tag)
    }

    static let none: [([String]?, String)] = [
        (nil, #","_etag":"a""#), (["_etag"], ""), (["_etag"], #","_etag":null"#),
        (["_etag"], #","_etag":"a\"b""#), (["_etag"], #","_etag":"W/\"a\"""#),
        (["_etag"], #","_etag":"a\nb""#), (["_etag", "x"], #","_etag":"a""#),
    ]

    @Test(arguments: none)
    func `no version is made up`(path: [String]?, member: String) async throws {
        let transport = ClosureTransport(answers: [
            .json("[{\"id\":\"c1\",\"age\":8\(member)}]"), .json(#"{"id":"c1","age":10}"#),
        ])
        let store = TestAPI(transport, dialect(path))
        let customer = try #require(try await store.list(Customer.self).value.first)
        customer.age.value = 10
        _ = try await store.update(customer).value
        expect(transport.sent.all[1].headers["If-Match"], equals: nil)
    }

    @Test func `the answer to a write has the version for the next one`() async throws {
        let transport = ClosureTransport { request, number in
            .value(.json("{\"id\":\"c1\",\"age\":\(number),\"_etag\":\"v\(number)\"}"))
        }
        let store = TestAPI(transport, dialect(["_etag"]))
        let customer = try await store.create(Customer("c1")).value
        for age in [20, 30] {
            customer.age.value = age
            _ = try await store.update(customer).value
        }
        expect(
            transport.sent.all.map { $0.headers["If-Match"] },
            equals: [nil, #""v1""#, #""v2""#]
        )
    }

    @Test func `reads have the parameters of their type, and a PATCH its media type`() async throws
    {
        var dialect = RESTDialect.djangoREST
        dialect.readParameters = { type in
            type == Customer.self ? [.init(name: "include", value: "a,b")] : []
        }
        dialect.patchContentType = "application/merge-patch+json"
        let transport = ClosureTransport { request, _ in
            .value(request.target.hasPrefix("/customers?") ? .json("[]") : .json(#"{"id":"c1"}"#))
        }
        let store = TestAPI(transport, dialect)
        _ = try await store.list(Customer.self, where: \.age >= 3).value
        let customer = try await store.lookup(Customer.self, identifier: "c1").value
        customer.age.value = 4
        _ = try await store.update(customer).value
        _ = try await store.create(Customer("c1")).value
        expect(
            transport.sent.all.map(\.target),
            equals: [
                "/customers?age__gte=3&include=a%2Cb", "/customers/c1?include=a%2Cb",
                "/customers/c1", "/customers",
            ]
        )
        expect(
            transport.sent.all.map { $0.headers["Content-Type"] },
            equals: [
                nil, nil, "application/merge-patch+json", "application/json",
            ]
        )
    }

    @Test func `a number and its text are two conditions`() async throws {
        var dialect = RESTDialect(name: "typed")
        dialect.query = RESTDialect.query { condition in
            .init(name: condition.names[0], value: condition.jsonText)
        } order: { _ in
            nil
        }
        let transport = ClosureTransport { _, _ in .value(.json("[]")) }
        let store = TestAPI(transport, dialect)
        for condition in [
            \Customer.age == 36, \.firstName == "36", \.isActive == true,
            .isIn(\.firstName, ["a", "36"]), .isIn(\.age, []),
        ] as [Condition<Customer>] {
            _ = try await store.list(Customer.self, where: condition).value
        }
        let asked = try transport.sent.all.map { request in
            try ParameterDecoder().parameters(of: request.query).map { "\($0.name)=\($0.value)" }
        }
        expect(
            asked,
            equals: [
                ["age=36"], [#"firstName="36""#], ["isActive=true"], [#"firstName=["a","36"]"#],
                ["age=[]"],
            ]
        )
    }
}
