import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct HandlerLimitTests {
    @Test func `a body may be so long and so deep`() async throws {
        var serving = try Serving()
        serving.handler.limits.body = 30
        let long: AttributeValue = ["country": .string(String(repeating: "x", count: 30))]
        try await expect(serving.ask(.post, "/leagues", long).status, equals: 413)
        try await expect(serving.ask(.get, "/leagues", long).status, equals: 413)
        try await expect(serving.ask(.post, "/leagues", ["country": "x"]).status, equals: 201)
        serving.handler.limits.body = 1_000_000
        serving.handler.limits.depth = 3
        try await expect(serving.ask(.post, "/leagues", ["x": [[]]]).status, equals: 201)
        try await expect(serving.ask(.post, "/leagues", ["x": [[[]]]]).status, equals: 400)
        serving.handler.limits.depth = 10_000
        serving.handler.limits.values = .max
        let deep = String(repeating: "[", count: 100_000)
        let request = HTTPRequest(.post, "/leagues", body: Data(#"{"x":"#.utf8) + Data(deep.utf8))
        await expect(serving.handler.handle(request).status, equals: 400)
    }

    @Test func `a body may have so many values, and an answer names a hundred that are wrong`()
        async throws
    {
        var serving = try Serving()
        try await serving.ask(.post, "/players", ["id": "a", "full_name": "A"])
        let wrong = AttributeValue.array(Array(repeating: 1, count: 5_000))
        let many = try await serving.ask(.patch, "/players/a", ["nick_names": wrong])
        expect(many.status == 422 && many.pointers.count == 100)
        expect(many.pointers.last, equals: "/nick_names/99")
        serving.handler.limits.values = 5_000
        let more = try await serving.ask(.patch, "/players/a", ["nick_names": wrong])
        expect(more.status == 413 && more["code"] == "tooLong")
        // What is in texts does not count.
        let text = String(repeating: #"[{,\""#, count: 5_000)
        let names: AttributeValue = ["nick_names": [.string(text)]]
        try await expect(serving.ask(.patch, "/players/a", names).status, equals: 200)
        // With the object, the array and the two that are not numbers of it.
        for (count, status) in [(4_997, 200), (4_999, 413)] {
            let texts = AttributeValue.array(Array(repeating: "x", count: count))
            let answer = try await serving.ask(.patch, "/players/a", ["nick_names": texts])
            expect(answer.status, equals: status)
        }
    }

    @Test func `a target and a head may be so long`() async throws {
        var serving = try Serving()
        serving.handler.limits.target = 20
        try await expect(serving.ask(.get, "/leagues?country=xx").status, equals: 200)
        let long = try await serving.ask(.get, "/leagues?country=xxxx")
        expect(long.status == 414 && long["code"] == "tooLong")
        serving.handler.limits.headers = 10
        try await expect(serving.ask(.get, "/leagues", nil, ["A": "12345"]).status, equals: 200)
        try await expect(serving.ask(.get, "/leagues", nil, ["A": "123456"]).status, equals: 431)
    }

    @Test func `there may be so many parameters`() async throws {
        var serving = try Serving()
        serving.handler.limits.parameters = 2
        try await expect(serving.ask(.get, "/leagues?limit=1&sort=id").status, equals: 200)
        try await expect(
            serving.ask(.get, "/leagues?limit=1&sort=id&country=x").status,
            equals: 400
        )
    }

    @Test func `a page has so many models`() async throws {
        var serving = try Serving()
        for number in 1...6 { try await serving.ask(.post, "/leagues", ["id": "\(number)"]) }
        serving.handler.limits.page = 2
        serving.handler.limits.maximumPage = 4
        try await expect(serving.ask(.get, "/leagues").items.count, equals: 2)
        let most = try await serving.ask(.get, "/leagues?limit=5")
        expect(most.items.count, equals: 4)
        guard case .string(let next)? = most["next"] else { throw CancellationError() }
        try await expect(serving.ask(.get, next).identifiers, equals: ["5", "6"])
    }

    @Test func `errors of the store are reported without details`() async throws {
        let failing = FailingStore(MemoryModelStore())
        var serving = try Serving(failing)
        let failures = Noted<RESTFailure>()
        serving.handler.failed = { failures.note($0) }
        try await serving.ask(.post, "/leagues", ["id": "a"])
        let errors: [(StoreError, Int)] = [
            (.corrupt("/var/db"), 500), (.schema("/var/db"), 500),
            (.decoding(type: "League", identifier: "/var/db", []), 500),
            (.unavailable("/var/db", .notApplied), 503), (.cancelled(.notApplied), 503),
            (.timedOut(.unknown), 504),
        ]
        for (error, status) in errors {
            let all: [(HTTPMethod, String, AttributeValue?, FailingStore.Use)] = [
                (.get, "/leagues/a", nil, .read), (.get, "/leagues", nil, .read),
                (.post, "/leagues", ["id": "b"], .write), (.put, "/leagues/a", [:], .read),
                (.patch, "/leagues/a", ["country": "it"], .write),
                (.delete, "/leagues/a", nil, .write),
                (
                    .post, "/batch",
                    ["writes": [["method": "PATCH", "path": "/leagues/a", "body": [:]]]], .read
                ),
            ]
            for (method, path, body, use) in all {
                failing.script = [.fail(error, on: use)]
                let answer = try await serving.ask(method, path, body)
                expect(answer.status, equals: status, "\(method) \(path) \(error)")
                expect(answer["code"], equals: .string(error.code))
                expect(!"\(answer.body)".contains("var"))
                expect(failures.all.last?.error as? StoreError, equals: error)
                expect(failures.all.last?.status, equals: status)
            }
        }
        for error in [StoreError.unauthorized("/var/db"), .forbidden("/var/db")] {
            failing.script = [.fail(error, on: .read)]
            let answer = try await serving.ask(.get, "/leagues/a")
            expect(answer.status == 500 && answer["code"] == "internal")
            expect(!"\(answer.body)".contains("var"))
        }
        let grumpy = try await serving.ask(.post, "/grumpies", ["id": "g"])
        expect(grumpy.status == 500 && grumpy["code"] == "internal" && grumpy["detail"] == nil)
        expect(failures.all.last?.error is Grumpy.Refusal)
    }

    @Test func `requests that are cancelled are answered all the same`() async throws {
        let failing = FailingStore(MemoryModelStore())
        let serving = try Serving(failing)
        let (hold, resolver) = Promise<Void>.withResolvers()
        failing.script = [.hold(until: hold, on: .read)]
        let work = Task { try await serving.ask(.get, "/leagues/a") }
        while failing.count(of: .read) < 1 { await Task.yield() }
        work.cancel()
        let answer = try await work.value
        expect(answer.status, equals: 503)
        resolver.fulfill()
    }

    @Test func `random bytes never trap and always have an answer`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let serving = try Serving()
        try await serving.ask(.post, "/teams", ["id": 1, "title": "Reds"])
        try await serving.ask(.post, "/players", ["id": "a", "full_name": "A", "team": 1])
        for _ in 0..<4_000 {
            let request = random.request()
            let response = await serving.handler.handle(request)
            expect(
                (200..<500).contains(response.status),
                "seed \(seed): \(response.status) to \(request.method) \(request.target)"
            )
            if response.status >= 400 && request.method != .head {
                let type = response.headers["Content-Type"]
                expect(type, equals: "application/problem+json", "seed \(seed)")
                #expect(throws: Never.self, "seed \(seed)") {
                    try AttributeValue(json: response.body)
                }
            }
        }
    }

    @Test func `a sort has so many keys`() async throws {
        let serving = try Serving()
        let keys = [
            "id", "full_name", "jersey_number", "email", "joined_at", "is_active", "weight",
        ]
        let all = keys.joined(separator: ",")
        try await expect(serving.ask(.get, "/players?sort=" + all).status, equals: 200)
        let many = all + ",home_address.town"
        try await expect(serving.ask(.get, "/players?sort=" + many).status, equals: 200)
        try await expect(serving.ask(.get, "/players?sort=\(many),anything").status, equals: 400)
    }

    @Test func `a cursor that is too long to be sent is reported at once`() async throws {
        var serving = try Serving()
        for id in ["a", "b"] {
            let country = AttributeValue.string(id + String(repeating: "x", count: 300))
            try await serving.ask(.post, "/leagues", ["id": .string(id), "country": country])
        }
        serving.handler.limits.target = 300
        try await expect(serving.ask(.get, "/leagues?limit=1&sort=id").status, equals: 200)
        try await expect(serving.ask(.get, "/leagues?limit=2&sort=country").status, equals: 200)
        let long = try await serving.ask(.get, "/leagues?limit=1&sort=country")
        expect(long.status == 400 && long["code"] == "request")
    }
}

extension SplitMix {
    /// A request that is nearly one, or none at all.
    fileprivate mutating func request() -> HTTPRequest {
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "X\u{0}", "é"]
        var target = pick([
            "/players", "/players/a", "/teams/1/players", "/teams/1/players/a", "/teams/1/stadium",
            "/batch", "/stories/x", "/beasts", "/", "", "\u{0}", "/%zz", "/players/%FF", "//",
        ])
        if Bool.random(using: &self) {
            target += "?"
            for _ in 0..<Int.random(in: 0...3, using: &self) {
                target +=
                    pick([
                        "filter=", "sort=", "limit=", "after=", "full_name=", "jersey_number[in]=",
                        "on-conflict=", "subclasses=", "joined_at[ge]=", "&", "[", "team=",
                    ]) + noise() + "&"
            }
        }
        var headers: HTTPHeaders = [:]
        for name in [
            "If-Match", "If-None-Match", "Content-Type", "Idempotency-Key", "Authorization",
        ]
        where Int.random(in: 0...5, using: &self) == 0 {
            headers[name] = pick([noise(), "\"1\"", "*", "application/json"])
        }
        var body: Data?
        if Bool.random(using: &self) {
            let json = pick([
                #"{"full_name":"x","jersey_number":1e999}"#, #"{"writes":[{"method":"PUT","path":"#,
                #"{"writes":[{"method":"PUT","path":"/players/a","body":{"full_name":"x"}}]}"#,
                #"{"home_address":{"town":[1]},"bio":{"first_line":"a"},"past_bios":[null,{}]}"#,
                #"{"id":{"id":1},"team":{"id":{}},"anything":{"$date":"x","$data":1}}"#,
                #"{"id":null,"full_name":null,"weight":-0.0,"anything":[[[[]]]]}"#, "{}",
            ])
            var bytes = Array(json.utf8)
            for _ in 0..<Int.random(in: 0...2, using: &self) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &self)] = UInt8.random(
                    in: 0...255,
                    using: &self
                )
            }
            body = Data(bytes)
        }
        return HTTPRequest(
            HTTPMethod(rawValue: pick(methods)),
            target,
            headers: headers,
            body: body
        )
    }

    fileprivate mutating func noise() -> String {
        let parts = [
            "%7B", "%22", "{\"eq\":[\"id\",1]}", "{\"not\":", "[", "]", "%", "%00", "é", "-", ",",
            "\\",
            "1", "a", "W/", "\"", "*", "1e9", "{\"$date\":1}", "WzEsMiwzLDRd", "\u{0}", "\r\n",
        ]
        return (0..<Int.random(in: 0...4, using: &self)).map { _ in pick(parts) }.joined()
    }
}
