import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

/// What was made is reported as made, whatever fails after it.
@Suite struct HandlerOutcomeTests {
    @Test func `a hook that fails after a write takes its answer away alone`() async throws {
        var serving = try Serving()
        let failures = Noted<RESTFailure>()
        serving.handler.failed = { failures.note($0) }
        try await serving.ask(.post, "/leagues", ["id": "a"])
        serving.handler.authorize = { access in
            if access.action == .lookup { throw CocoaError(.fileNoSuchFile) }
            return .allowed
        }
        let headers: HTTPHeaders = ["Idempotency-Key": "\"k\""]
        for replayed in [nil, "true"] {
            let patched = try await serving.ask(
                .patch,
                "/leagues/a",
                ["country": "it"],
                headers
            )
            expect(patched.status == 204 && patched.body == .null)
            expect(patched.headers["Idempotent-Replayed"], equals: replayed)
        }
        expect(failures.all.count == 1 && failures.all.first?.error is CocoaError)
        let batch = try await serving.ask(
            .post,
            "/batch",
            ["writes": [["method": "PATCH", "path": "/leagues/a", "body": ["budget": 2]]]]
        )
        expect(batch.status == 200 && batch["results"] == [["status": 204]])
        serving.handler.authorize = nil
        let league = try await serving.ask(.get, "/leagues/a")
        expect(league["country"] == "it" && league["budget"] == 2.0)
    }

    @Test func `a read that fails after a write takes its answer away alone`() async throws {
        let failing = FailingStore(MemoryModelStore())
        var serving = try Serving(failing)
        try await serving.ask(.post, "/teams", ["id": 1, "title": "Reds"])
        try await serving.ask(.post, "/teams/1/players", ["id": "a", "full_name": "A"])
        serving.handler.authorize = { access in
            guard access.type == Player.self, access.action == .lookup else { return .allowed }
            failing.script = [.fail(.unavailable("gone", .notApplied), on: .read)]
            return .only(Condition<Player>.has(\.team, \.title == "Reds"))
        }
        let patched = try await serving.ask(.patch, "/players/a", ["full_name": "X"])
        expect(patched.status, equals: 204)
        serving.handler.authorize = nil
        try await expect(serving.ask(.get, "/players/a")["full_name"], equals: "X")
    }

    @Test func `a creation that another server knows no place for is sent once`() async throws {
        let missing = HTTPResponse.json(#"{"status":404,"code":"notFound","model":"League"}"#, 404)
        let transport = ClosureTransport { _, _ in .value(missing) }
        let handler = try RESTHandler(TestAPI(transport), [League.self])
        let answer = await handler.handle(HTTPRequest(.post, "/leagues", body: Data("{}".utf8)))
        expect(answer.status, equals: 404)
        expect(transport.sent.count, equals: 1)
    }

    @Test func `what cannot be encoded is made all the same`() async throws {
        var serving = try Serving.of([Puzzle.self])
        let failures = Noted<RESTFailure>()
        serving.handler.failed = { failures.note($0) }
        let headers: HTTPHeaders = ["Idempotency-Key": "\"k\""]
        for replayed in [nil, "true"] {
            let made = try await serving.ask(.post, "/puzzles", ["id": "a"], headers)
            expect(made.status == 201 && made.body == .null)
            expect(made.headers["Location"], equals: "/puzzles/a")
            expect(made.headers["Idempotent-Replayed"], equals: replayed)
        }
        expect(failures.all.map(\.status), equals: [201])
        let batch = try await serving.ask(
            .post,
            "/batch",
            ["writes": [["method": "POST", "path": "/puzzles", "body": ["id": "b"]]]]
        )
        expect(batch["results"], equals: [["status": 201, "location": "/puzzles/b"]])
    }
}
