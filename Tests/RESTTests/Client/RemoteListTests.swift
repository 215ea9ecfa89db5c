import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// A server of numbered customers that pages in five ways, by the first part of its paths.
private struct PagingServer {
    let count: Int

    func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        let parameters = try ParameterDecoder().parameters(of: request.query)
        let way = request.target.split(separator: "/").first.map(String.init) ?? ""
        let size = min(parameters["limit"].flatMap { Int($0) } ?? 3, 3)
        var start = 0
        switch way {
        case "offset": start = parameters["offset"].flatMap { Int($0) } ?? 0
        case "page": start = ((parameters["page"].flatMap { Int($0) } ?? 1) - 1) * 3
        default: start = parameters["from"].flatMap { Int($0) } ?? 0
        }
        let end = min(start + (way == "page" ? 3 : size), count)
        let items = (min(start, end)..<end).map { "{\"id\":\"c\($0)\",\"age\":\($0)}" }
            .joined(separator: ",")
        let next = end < count ? "/\(way)/customers?from=\(end)" : nil
        switch way {
        case "link":
            var headers: HTTPHeaders = ["Link": "</link/customers>; rel=\"first\""]
            if let next {
                headers.add("Link", "<\(example)\(next)>; title=\"a, b\"; rel=\"next last\"")
            }
            return .json("[\(items)]", 200, headers)
        case "body":
            let text = next.map { "\"\($0)\"" } ?? "null"
            return .json("{\"results\":[\(items)],\"next\":\(text),\"count\":\(count)}")
        case "cursor":
            let mark = next == nil ? "null" : "\(end)"
            return .json("{\"data\":[\(items)],\"meta\":{\"next\":\(mark)}}")
        case "offset": return .json("{\"results\":[\(items)],\"count\":\(count)}")
        default:
            if start >= count, start > 0 { return .json(#"{"detail":"Invalid page."}"#, 404) }
            return .json("[\(items)]")
        }
    }
}

@Suite struct RemoteListTests {
    private static let ways: [(String, RESTPagination, RESTEnvelope)] = [
        ("link", .link(size: "limit"), .bare),
        ("body", .next(size: "limit"), .list("results")),
        ("cursor", .cursor("from", at: ["meta", "next"], size: "limit"), .key("data")),
        ("offset", .offset(total: ["count"]), .list("results")), ("page", .page(), .bare),
    ]

    private func store(_ way: String, count: Int) throws -> (TestAPI, ClosureTransport) {
        let (name, pagination, envelope) = try #require(Self.ways.first { $0.0 == way })
        var dialect = RESTDialect(name: name, pagination: pagination, envelope: envelope)
        dialect.query = RESTDialect.djangoREST.query
        let server = PagingServer(count: count)
        let transport = ClosureTransport { request, _ in .attempt { try server.answer(request) } }
        var router = RESTRouter()
        router.prefix = name
        return (TestAPI(transport, dialect, router: router), transport)
    }

    @Test(arguments: ways.map(\.0))
    func `a list follows its pages to the end, or to its limit`(_ way: String) async throws {
        let (store, transport) = try store(way, count: 8)
        let all = try await store.list(Customer.self).value
        expect(all.map(\.age.value), equals: (0..<8).map { $0 })
        let before = transport.sent.count
        expect((3...4).contains(before))
        let some = try await store.list(Customer.self, limit: 4).value
        expect(some.map(\.age.value), equals: [0, 1, 2, 3])
        expect(some[0] === all[0])
        expect(transport.sent.count, equals: before + 2)
        try await expect(store.list(Customer.self, limit: 0).value.isEmpty)
        expect(transport.sent.count, equals: before + 2)
        let (empty, _) = try self.store(way, count: 0)
        try await expect(empty.list(Customer.self).value.isEmpty)
    }

    @Test func `a list by offset has pages of its own`() async throws {
        let (store, transport) = try store("offset", count: 8)
        var found: [Int?] = []
        var cursor: PageCursor?
        repeat {
            let page = try await store.page(Customer.self, limit: 2, after: cursor).value
            found += page.items.map(\.age.value)
            cursor = page.next
        } while cursor != nil && found.count < 20
        expect(found, equals: (0..<8).map { $0 })
        expect(transport.sent.all[1].target, equals: "/offset/customers?limit=3&offset=2")
    }

    @Test func `a link to another server is not followed, unless links count for their paths`()
        async throws
    {
        let page = HTTPResponse.json(
            #"{"results":[{"id":"c1"}],"next":"https://evil.example/customers?page=2"}"#
        )
        let last = HTTPResponse.json(#"{"results":[{"id":"c2"}],"next":null}"#)
        let transport = ClosureTransport(answers: [page, last])
        let error = await TestAPI(transport, .djangoREST).list(Customer.self).storeError
        expect(error?.code, equals: "unavailable")
        expect(error?.description.contains("https://evil.example"), equals: true)
        expect(transport.sent.count, equals: 1)

        var dialect = RESTDialect.djangoREST
        dialect.pagination.usesOwnOrigin = true
        let own = ClosureTransport(answers: [page, last])
        let found = try await TestAPI(own, dialect).list(Customer.self).value
        expect(found.map(\.id.value), equals: ["c1", "c2"])
        expect(own.sent.all[1].origin, equals: example)
        expect(own.sent.all[1].target, equals: "/customers?page=2")
    }

    @Test func `the same origin may be written in other ways`() async throws {
        let page = HTTPResponse.json(
            #"{"results":[{"id":"c1"}],"next":"HTTPS://EXAMPLE.com:443/customers?page=2"}"#
        )
        let last = HTTPResponse.json(#"{"results":[],"next":null}"#)
        let transport = ClosureTransport(answers: [page, last])
        let found = try await TestAPI(transport, .djangoREST).list(Customer.self).value
        expect(found.count, equals: 1)
    }

    @Test func `a list that goes in a circle, repeats itself or has no end is an error`()
        async throws
    {
        let circle = ClosureTransport { request, number in
            let next = number % 2 == 0 ? "/customers?page=1" : "/customers?page=2"
            return .value(.json("{\"results\":[{\"id\":\"c\(number)\"}],\"next\":\"\(next)\"}"))
        }
        let error = await TestAPI(circle, .djangoREST).list(Customer.self).storeError
        expect(error?.description.contains("circle"), equals: true)
        expect(circle.sent.count, equals: 3)

        // It does not know the parameter, and gives its first page again and again.
        var dialect = RESTDialect.djangoREST
        dialect.pagination = .offset()
        let same = ClosureTransport { _, _ in .value(.json(#"[{"id":"c1"},{"id":"c2"}]"#)) }
        let again = await TestAPI(same, dialect).list(Customer.self).storeError
        expect(again?.description.contains("same models"), equals: true)
        expect(same.sent.count, equals: 2)

        let endless = ClosureTransport { _, number in
            .value(.json("{\"results\":[{\"id\":\"c\(number)\"}],\"next\":\"/n?\(number)\"}"))
        }
        let store = TestAPI(endless, .djangoREST, maximumCount: 50)
        await expect(store.list(Customer.self).storeError?.description.contains("50"), equals: true)
        expect(endless.sent.count, equals: 51)
    }

    @Test func `a part that is not there is the end only of numbered pages`() async throws {
        let first = #"{"data":[{"id":"c1"},{"id":"c2"}],"meta":{"next":"x"},"count":5}"#
        for pagination in [
            RESTPagination.cursor("from", at: ["meta", "next"]), .offset(), .page(total: ["count"]),
        ] {
            let transport = ClosureTransport(answers: [.json(first), HTTPResponse(status: 404)])
            let dialect = RESTDialect(name: "any", pagination: pagination, envelope: .key("data"))
            let error = await TestAPI(transport, dialect).list(Customer.self).storeError
            expect(error?.code, equals: "unsupported")
            expect(transport.sent.count, equals: 2)
        }
    }

    @Test func `a list whose parts are empty without end is an error`() async throws {
        let pagination = RESTPagination.cursor("from", at: ["meta", "next"])
        let dialect = RESTDialect(name: "any", pagination: pagination, envelope: .key("data"))
        for (last, isError) in [(90, false), (300, true)] {
            let transport = ClosureTransport { _, number in
                let mark = number < last ? "\(number)" : "null"
                return .value(.json("{\"data\":[],\"meta\":{\"next\":\(mark)}}"))
            }
            let error = await TestAPI(transport, dialect).list(Customer.self).storeError
            expect((error?.code == "unavailable"), equals: isError)
            expect(transport.sent.count <= 101)
        }
    }

    @Test func `a model that has moved to the next page comes once`() async throws {
        let transport = ClosureTransport(answers: [
            .json(#"{"results":[{"id":"c1"},{"id":"c2"}],"next":"/customers?page=2"}"#),
            .json(#"{"results":[{"id":"c2"},{"id":"c3"}],"next":null}"#),
        ])
        let found = try await TestAPI(transport, .djangoREST).list(Customer.self).value
        expect(found.map(\.id.value), equals: ["c1", "c2", "c3"])
    }

    @Test func `an item that does not fit is an error that names its field`() async throws {
        let transport = ClosureTransport { _, _ in
            .value(.json(#"[{"id":"c1"},{"id":"c2","home_address":{"city_name":{"a":1}}}]"#))
        }
        let snake = ValueTransformerContext(name: "api", keyCase: .snake)
        let error = await TestAPI(transport, .djangoREST, context: snake).list(Customer.self)
            .storeError
        guard case .decoding("Customer", _, let issues)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        expect(issues.map(\.path), equals: [["homeAddress", "cityName"]])
        let nameless = ClosureTransport { _, _ in .value(.json(#"[{"firstName":"Ada"}]"#)) }
        let other = await TestAPI(nameless, .djangoREST).list(Customer.self).storeError
        expect(other?.code, equals: "decoding")
    }
}
