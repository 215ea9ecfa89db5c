import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import TestSupport
import Testing

/// What an article about serving models shows, with `Team` and `Player`.
@Suite struct HandlerArticleTests {
    @Test func `from a handler to requests, conditions, pages and writes`() async throws {
        let store = MemoryModelStore()
        let snake = ValueTransformerContext(name: "api", keyCase: .snake)
        var router = RESTRouter()
        router.prefix = "api/v1"
        let handler = try RESTHandler(
            store,
            [Team.self, Player.self],
            router: router,
            context: snake
        )
        func ask(_ method: HTTPMethod, _ target: String, _ json: String? = nil) async -> String {
            let request = HTTPRequest(method, target, body: json.map { Data($0.utf8) })
            let response = await handler.handle(request)
            return "\(response.status) " + String(decoding: response.body, as: UTF8.self)
        }

        var answer = await ask(.post, "/api/v1/teams", #"{"id": 10, "title": "Reds"}"#)
        expect(answer.hasPrefix("201 "))
        answer = await ask(
            .post,
            "/api/v1/teams/10/players",
            #"{"id": "p1", "full_name": "Ada"}"#
        )
        expect(answer.contains(#""team":10"#) && answer.contains(#""_meta":{"revision":1}"#))
        answer = await ask(.post, "/api/v1/players", #"{"jersey_number": 100}"#)
        expect(answer.hasPrefix("422 ") && answer.contains(#""pointer":"/jersey_number""#))

        answer = await ask(.get, "/api/v1/players?full_name[prefix]=A&sort=-id&limit=1")
        expect(answer.hasPrefix(#"200 {"items":[{"#))
        let filter = #"{"has":["team",{"eq":["title","Reds"]}]}"#
        let encoded = try ParameterEncoder().encodeParameters(["filter": .string(filter)])
        answer = await ask(.get, "/api/v1/players?" + encoded)
        expect(answer.contains(#""id":"p1""#))

        var request = HTTPRequest(.patch, "/api/v1/players/p1", body: Data("{}".utf8))
        request.headers["If-Match"] = #""7""#
        let refused = await handler.handle(request)
        expect(refused.status, equals: 412)
        expect(String(decoding: refused.body, as: UTF8.self).contains(#""current":{"#))

        answer = await ask(
            .post,
            "/api/v1/batch",
            #"""
            {"writes": [
                {"method": "PATCH", "path": "/api/v1/players/p1", "body": {"weight": 60.5}},
                {"method": "DELETE", "path": "/api/v1/teams/10", "if-match": "\"1\""}
            ]}
            """#
        )
        expect(answer.hasPrefix("200 ") && answer.hasSuffix(#",{"status":204}]}"#))
    }

    @Test func `keys, permissions, limits and failures`() async throws {
        let store = MemoryModelStore()
        var handler = try RESTHandler(store, [Team.self, Player.self])
        handler.idempotency = MemoryIdempotencyStore(capacity: 50_000)
        handler.principal = { $0.headers["X-Account"] ?? "" }
        handler.authorize = { access in
            guard let account = access.request.headers["X-Account"] else {
                return .unauthorized(challenge: "Bearer realm=\"players\"")
            }
            switch access.action {
            case .lookup, .list: return .only(\Player.fullName != account)
            case .delete: return .forbidden
            case .create, .update: return .allowed
            }
        }
        handler.limits.body = 100_000
        handler.failed = { failure in print("failed:", failure.request, failure.error) }

        var request = HTTPRequest(
            .post,
            "/players",
            headers: ["Idempotency-Key": "\"8e03978e\"", "X-Account": "ada"],
            body: Data(#"{"fullName": "Bob"}"#.utf8)
        )
        let first = await handler.handle(request)
        let second = await handler.handle(request)
        expect(first.status == 201 && second.body == first.body)
        expect(second.headers["Idempotent-Replayed"], equals: "true")
        request.headers["X-Account"] = nil
        await expect(handler.handle(request).status, equals: 401)
        try await expect(store.list(Player.self).value.count, equals: 1)
    }
}
