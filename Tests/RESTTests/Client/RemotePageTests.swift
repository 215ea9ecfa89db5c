import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import TestSupport
import Testing

/// A server of numbered customers that gives at most five at once, and goes on in the way of another product.
enum PagingProduct: String, CaseIterable, Sendable {
    case kinto, jsonAPI, django, gitHub, cursor, numbered, counted, offset, whole

    var dialect: RESTDialect {
        var dialect = RESTDialect.djangoREST
        dialect.name = rawValue
        switch self {
        case .kinto:
            dialect.envelope = .key("data")
            dialect.pagination = RESTPagination(
                first: { limit in limit.map { [.init(name: "_limit", value: "\($0)")] } ?? [] },
                next: { page in page.response.http.headers["Next-Page"].map { .address($0) } }
            )
        case .jsonAPI:
            dialect.envelope = .key("data")
            dialect.pagination = .next(at: ["links", "next"], size: "page[limit]")
        case .django: dialect.pagination = .next(size: "page_size")
        case .gitHub:
            dialect.envelope = .bare
            dialect.pagination = .link(size: "per_page", maximum: 5)
        case .cursor:
            dialect.pagination = .cursor("after", at: ["meta", "next"], size: "limit")
        case .numbered: dialect.pagination = .page(size: "size", maximum: 5)
        case .counted: dialect.pagination = .page(size: "size", maximum: 5, total: ["count"])
        case .offset: dialect.pagination = .offset(maximum: 5, total: ["count"])
        case .whole: dialect.pagination = .none
        }
        return dialect
    }

    func answer(_ request: HTTPRequest, count: Int) throws -> HTTPResponse {
        let asked = try ParameterDecoder().parameters(of: request.query)
        func number(_ names: String...) -> Int? {
            names.lazy.compactMap { asked[$0].flatMap { Int($0) } }.first
        }
        let wanted = number("_limit", "page[limit]", "page_size", "per_page", "limit", "size")
        if [.gitHub, .numbered, .counted, .offset].contains(self), wanted ?? 0 > 5 {
            return .json(#"{"detail":"too many"}"#, 422)
        }
        let size = self == .whole ? count : min(wanted ?? 3, 5)
        let start = number("start", "after", "offset") ?? ((number("page") ?? 1) - 1) * size
        if self == .numbered, start >= count, start > 0 { return HTTPResponse(status: 404) }
        let end = min(start + size, count)
        let isDescending = asked["ordering"] == "-age"
        let items = (min(start, end)..<end).map { place in
            "{\"id\":\"c\(place)\",\"age\":\(isDescending ? count - 1 - place : place)}"
        }
        .joined(separator: ",")
        var others = request.query.split(separator: "&").filter { !$0.hasPrefix("start=") }
        others.append("start=\(end)")
        let path = request.target.prefix { $0 != "?" }
        let next = end < count ? "\(example)\(path)?\(others.joined(separator: "&"))" : nil
        let json = next.map { "\"\($0)\"" } ?? "null"
        switch self {
        case .kinto:
            return .json("{\"data\":[\(items)]}", 200, next.map { ["Next-Page": $0] } ?? [:])
        case .jsonAPI: return .json("{\"data\":[\(items)],\"links\":{\"next\":\(json)}}")
        case .django: return .json("{\"count\":\(count),\"results\":[\(items)],\"next\":\(json)}")
        case .gitHub:
            return .json("[\(items)]", 200, next.map { ["Link": "<\($0)>; rel=\"next\""] } ?? [:])
        case .cursor:
            let mark = end < count ? "\(end)" : "null"
            return .json("{\"results\":[\(items)],\"meta\":{\"next\":\(mark)}}")
        default: return .json("{\"count\":\(count),\"results\":[\(items)]}")
        }
    }
}

@Suite struct RemotePageTests {
    static let limits = [1, 2, 3, 4, 5, 7, 12, 100]

    private func store(_ product: PagingProduct, _ count: Int) -> (TestAPI, ClosureTransport) {
        let transport = ClosureTransport { request, _ in
            .attempt { try product.answer(request, count: count) }
        }
        return (TestAPI(transport, product.dialect), transport)
    }

    @Test(arguments: PagingProduct.allCases, limits)
    func `pages go on in every pagination, with an order and without, also after a restart`(
        product: PagingProduct,
        limit: Int
    ) async throws {
        for (count, isOrdered) in [(12, false), (12, true), (1, false), (0, false)] {
            var (found, pages): ([Int], Int) = ([], 0)
            var text: String?
            repeat {
                let (store, _) = store(product, count)
                let cursor = try text.map { try #require(PageCursor($0)) }
                let page =
                    isOrdered
                    ? try await store.page(
                        Customer.self,
                        where: \.age >= 0,
                        orderBy: .descending(\.age),
                        limit: limit,
                        after: cursor
                    ).value
                    : try await store.page(Customer.self, limit: limit, after: cursor).value
                expect(page.items.count <= limit)
                found += page.items.compactMap(\.age.value)
                text = page.next?.description
                pages += 1
            } while text != nil && pages < 50
            let all = Array(0..<count)
            expect(found, equals: (isOrdered ? all.reversed() : all))
            let needed = max(1, (count + limit - 1) / limit)
            // Only the number of a page does not say whether it is the last one.
            let isBlind = product == .numbered && count > 0 && count % limit == 0
            expect(pages, equals: (isBlind ? needed + 1 : needed))
        }
    }

    @Test func `a handler of such a store refuses pages, as marks come back from anybody`()
        async throws
    {
        let (store, _) = store(.django, 12)
        let handler = try RESTHandler(store, [Customer.self])
        for query in ["limit=5", "limit=5&sort=-age"] {
            let answer = await handler.handle(HTTPRequest(.get, "/customers?\(query)"))
            expect(answer.status, equals: 400)
            expect(String(decoding: answer.body, as: UTF8.self).contains("places"))
        }
        let all = await handler.handle(HTTPRequest(.get, "/customers?limit=20"))
        expect(all.status, equals: 200)
    }

    @Test func `the limit may be another one on each page`() async throws {
        for product in PagingProduct.allCases {
            let (store, _) = store(product, 12)
            var (found, cursor): ([Int], PageCursor?) = ([], nil)
            for limit in [2, 1, 4, 5] {
                let page = try await store.page(Customer.self, limit: limit, after: cursor).value
                found += page.items.compactMap(\.age.value)
                cursor = page.next
            }
            expect(found, equals: Array(0..<12), "\(product)")
        }
    }

    @Test func `a page that is as large as the server's takes one request`() async throws {
        for product in [PagingProduct.kinto, .jsonAPI, .django, .gitHub, .cursor, .counted] {
            let (store, transport) = store(product, 12)
            let first = try await store.page(Customer.self, limit: 4).value
            let second = try await store.page(Customer.self, limit: 4, after: first.next).value
            expect(second.items.map(\.age.value), equals: [4, 5, 6, 7])
            expect(transport.sent.count, equals: 2, "\(product)")
        }
    }

    @Test func `a list asks for no more at once than the server gives`() async throws {
        for product in [PagingProduct.gitHub, .numbered, .counted, .offset] {
            let (store, transport) = store(product, 12)
            try await expect(store.list(Customer.self, limit: 7).value.count, equals: 7)
            expect(transport.sent.count, equals: 2)
            try await expect(store.list(Customer.self).value.count, equals: 12)
        }
    }

    @Test func `a cursor of another query, another store or another server is refused`()
        async throws
    {
        let (store, transport) = store(.django, 12)
        let next = try #require(try await store.page(Customer.self, limit: 2).value.next)
        let other = await store.page(
            Customer.self,
            orderBy: .ascending(\.age),
            limit: 2,
            after: next
        )
        .storeError
        expect(other, equals: .unsupported("the cursor belongs to a page of another query"))
        await expect(store.page(Ticket.self, limit: 2, after: next).storeError, equals: other)

        let memory = MemoryModelStore()
        _ = try await memory.create((0..<3).map { Customer("c\($0)") }).value
        let foreign = try await memory.page(Customer.self, limit: 2).value.next
        let none = StoreError.unsupported("the cursor is none that this server has given")
        await expect(store.page(Customer.self, limit: 2, after: foreign).storeError, equals: none)
        expect(transport.sent.count, equals: 1)

        // Somebody has written another address into it.
        let whole = try #require(try await store.page(Customer.self, limit: 5).value.next)
            .description
        let target = #"\/customers?page_size=5&start=5"#
        let text = whole.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let json = try #require(
            Data(base64Encoded: text + padding).map { String(decoding: $0, as: UTF8.self) }
        )
        let written = [target, target.replacing("\\/", with: "/")].first { json.contains($0) }
        let place = try #require(written, "\(json)")
        for address in [
            "https://evil.example/customers", "//evil.example/customers", "@evil.example/",
            "\\\\evil.example", "customers", "/a b", "",
        ] {
            let forged = Data(
                json.replacing(place, with: address.replacing("\\", with: "\\\\")).utf8
            )
            .base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            let cursor = try #require(PageCursor(forged), "\(address)")
            let before = transport.sent.count
            await expect(
                store.page(Customer.self, limit: 5, after: cursor).storeError,
                equals: none
            )
            expect(transport.sent.count, equals: before)
        }
    }

    @Test(arguments: [Int64.min, 0, Int64(Int32.max), .max])
    func `a cursor with a place that no list has is refused`(place: Int64) async throws {
        let (store, transport) = store(.offset, 12)
        let cursor = PageCursor(mark: [], after: place, in: RecordQuery(), of: Customer.schema)
        let error = await store.page(Customer.self, limit: 5, after: cursor).storeError
        expect(error?.code, equals: "unsupported")
        expect(transport.sent.count, equals: 0)
    }

    @Test func `a page does not lead to another server, nor round in a circle`() async throws {
        let evil = ClosureTransport { _, _ in
            .value(.json(#"{"results":[{"id":"c1"}],"next":"https://evil.example/customers"}"#))
        }
        let error = await TestAPI(evil, .djangoREST).page(Customer.self, limit: 1).storeError
        expect(error?.description.contains("https://evil.example"), equals: true)
        let circle = ClosureTransport { _, _ in
            .value(.json(#"{"results":[{"id":"c1"}],"next":"/customers"}"#))
        }
        let again = await TestAPI(circle, .djangoREST).page(Customer.self, limit: 1).storeError
        expect(again?.description.contains("circle"), equals: true)
    }
}
