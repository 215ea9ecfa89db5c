import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct HandlerBatchTests {
    func serving() async throws -> Serving {
        let serving = try Serving()
        try await serving.ask(.post, "/teams", ["id": 1, "title": "Reds"])
        try await serving.ask(.post, "/players", ["id": "a", "full_name": "A", "email": "x"])
        try await serving.ask(.post, "/players", ["id": "b", "full_name": "B"])
        return serving
    }

    @Test func `all writes are made in their order`() async throws {
        let serving = try await serving()
        let answer = try await serving.ask(
            .post,
            "/batch",
            [
                "writes": [
                    [
                        "method": "POST", "path": "/teams/1/players",
                        "body": ["id": "c/d", "full_name": "C"],
                    ],
                    [
                        "method": "PATCH", "path": "/players/a", "body": ["full_name": "AA"],
                        "if-match": "\"1\"",
                    ],
                    [
                        "method": "PUT", "path": "/players/e", "body": ["full_name": "E"],
                        "on-conflict": "fail",
                    ],
                    ["method": "DELETE", "path": "/players/b", "if-match": "*"],
                ]
            ]
        )
        expect(answer.status, equals: 200)
        guard case .array(let results)? = answer["results"], results.count == 4,
            case .dictionary(let first) = results[0], case .dictionary(let body)? = first["body"],
            case .dictionary(let second) = results[1],
            case .dictionary(let patched)? = second["body"]
        else { throw CancellationError() }
        expect(first["status"] == 201 && first["location"] == "/teams/1/players/c%2Fd")
        expect(body["team"] == 1 && body["id"] == "c/d" && body["_meta"] == ["revision": 1])
        expect(second["status"] == 200 && patched["full_name"] == "AA")
        expect(patched["_meta"], equals: ["revision": 2, "place": 1])
        expect(results[3], equals: ["status": 204])
        try await expect(
            serving.ask(.get, "/players?sort=id").identifiers,
            equals: ["a", "c/d", "e"]
        )
    }

    /// Each fails, and so does the good write before it.
    static let failing: [(AttributeValue, Int, String)] = [
        (["method": "PATCH", "path": "/players/none", "body": [:]], 404, "notFound"),
        (["method": "PATCH", "path": "/nowhere/none", "body": [:]], 404, "noRoute"),
        (["method": "PATCH", "path": "/players/b", "body": ["full_name": nil]], 422, "validation"),
        (["method": "PATCH", "path": "/players/b", "body": ["full_name": 3]], 422, "validation"),
        (
            ["method": "PATCH", "path": "/players/b", "body": [:], "if-match": "\"9\""], 412,
            "conflict"
        ),
        (["method": "DELETE", "path": "/players/b", "if-match": "\"9\""], 412, "conflict"),
        (
            ["method": "POST", "path": "/players", "body": ["id": "b", "full_name": "B"]], 409,
            "alreadyExists"
        ),
        (["method": "PATCH", "path": "/players/b", "body": ["email": "x"]], 409, "alreadyExists"),
        (
            ["method": "PUT", "path": "/players/b", "body": [:], "on-conflict": "fail"], 409,
            "alreadyExists"
        ),
        (["method": "POST", "path": "/players/b", "body": [:]], 405, "method"),
        (["method": "DELETE", "path": "/players"], 405, "method"),
        (["method": "GET", "path": "/players/b"], 400, "request"), (3, 400, "request"),
        ([:], 400, "request"),
        (["method": "DELETE"], 400, "request"), (["method": "DELETE", "path": 3], 400, "request"),
        (["method": "DELETE", "path": "/players/b?x=1"], 400, "request"),
        (["method": "DELETE", "path": "/players/b", "body": [:]], 400, "request"),
        (["method": "PATCH", "path": "/players/b"], 400, "request"),
        (["method": "PATCH", "path": "/players/b", "body": [], "x": 1], 400, "request"),
        (["method": "PATCH", "path": "/players/b", "body": [:], "x": 1], 400, "request"),
        (["method": "PATCH", "path": "/players/b", "body": [:], "if-match": "9"], 400, "request"),
        (
            ["method": "PATCH", "path": "/players/b", "body": [:], "on-conflict": "fail"], 400,
            "request"
        ),
        (["method": "PUT", "path": "/players/b", "body": [:], "on-conflict": "x"], 400, "request"),
    ]

    @Test(arguments: failing.indices)
    func `nothing of a failing batch is there`(index: Int) async throws {
        let (write, status, code) = Self.failing[index]
        let serving = try await serving()
        let before = try await serving.ask(.get, "/players")
        let answer = try await serving.ask(
            .post,
            "/batch",
            [
                "writes": [
                    [
                        "method": "POST", "path": "/players",
                        "body": ["id": "new", "full_name": "N"],
                    ],
                    write,
                ]
            ]
        )
        expect(answer.status == status && answer["code"] == .string(code), "\(answer.body)")
        if code == "validation" {
            guard case .array(let issues)? = answer["issues"],
                case .dictionary(let issue)? = issues.first
            else { throw CancellationError() }
            expect(issue["index"] == 1 && issue["pointer"] == "/full_name")
        } else {
            expect(answer["index"], equals: 1)
        }
        try await expect(serving.ask(.get, "/players").body, equals: before.body)
    }

    @Test func `issues of several writes are reported at once`() async throws {
        let serving = try await serving()
        let answer = try await serving.ask(
            .post,
            "/batch",
            [
                "writes": [
                    ["method": "POST", "path": "/players", "body": ["jersey_number": 100]],
                    ["method": "POST", "path": "/teams", "body": [:]],
                ]
            ]
        )
        guard case .array(let issues)? = answer["issues"] else { throw CancellationError() }
        let places = issues.map { issue -> String in
            guard case .dictionary(let members) = issue else { return "" }
            return "\(members["index"] ?? .null) \(members["pointer"] ?? .null)"
        }
        expect(answer.status == 422 && places.count == 3)
        expect(Set(places).count, equals: 3)
    }

    @Test func `a batch is an object with writes alone, and not too many`() async throws {
        var serving = try await serving()
        for body: AttributeValue in [[:], ["writes": 3], ["writes": [], "x": 1]] {
            try await expect(serving.ask(.post, "/batch", body).status, equals: 400)
        }
        try await expect(serving.ask(.post, "/batch?x=1", ["writes": []]).status, equals: 400)
        serving.handler.limits.batch = 1
        let write: AttributeValue = ["method": "DELETE", "path": "/players/a"]
        let answer = try await serving.ask(.post, "/batch", ["writes": [write, write]])
        expect(answer.status, equals: 413)
        serving.handler.limits.batch = 2
        let twice = try await serving.ask(.post, "/batch", ["writes": [write, write]])
        expect(twice.status == 400 && twice["code"] == "unsupported")
        try await expect(serving.ask(.get, "/players/a").status, equals: 200)
    }

    @Test func `a batch is tried again after another write`() async throws {
        let failing = FailingStore(MemoryModelStore())
        let serving = try Serving(failing)
        try await serving.ask(.post, "/leagues", ["id": "a"])
        let (hold, resolver) = Promise<Void>.withResolvers()
        failing.script = [.hold(until: hold, on: .write)]
        async let late = serving.ask(
            .post,
            "/batch",
            [
                "writes": [
                    ["method": "POST", "path": "/leagues", "body": ["id": "b"]],
                    ["method": "PATCH", "path": "/leagues/a", "body": ["country": "it"]],
                ]
            ]
        )
        while failing.count(of: .write) < 2 { await Task.yield() }
        try await serving.ask(.patch, "/leagues/a", ["budget": 3])
        resolver.fulfill()
        try await expect(late.status, equals: 200)
        let league = try await serving.ask(.get, "/leagues/a")
        expect(league["country"] == "it" && league["budget"] == 3.0)
    }
}
