import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import TestSupport
import Testing

/// What the documentation shows.
@Suite struct HandlerExampleTests {
    @Test func `a handler answers requests`() async throws {
        let store = MemoryModelStore()
        let handler = try RESTHandler(store, [Team.self, Player.self])
        let team = Team()
        (team.id.value, team.title.value) = (10, "Reds")
        _ = try await store.create(team).value
        let response = await handler.handle(
            HTTPRequest(.get, "/teams/10/players?jerseyNumber[ge]=18")
        )
        expect(response.status, equals: 200)
        expect(String(decoding: response.body, as: UTF8.self), equals: #"{"items":[]}"#)
    }

    @Test func `limits are set`() async throws {
        var handler = try RESTHandler(MemoryModelStore(), [League.self])
        handler.limits.body = 100_000
        handler.limits.maximumPage = 200
        let other = handler
        handler.limits.body = 1
        expect(other.limits.body, equals: 100_000)
    }

    @Test func `requests are authorised`() async throws {
        struct Users {
            func isAdmin(_ request: HTTPRequest) async -> Bool? {
                request.headers["Authorization"].map { $0 == "Bearer admin" }
            }
        }
        let users = Users()
        var handler = try RESTHandler(MemoryModelStore(), [League.self, Team.self])
        handler.authorize = { access in
            guard let isAdmin = await users.isAdmin(access.request) else { return .unauthorized() }
            return access.type == League.self && !isAdmin ? .forbidden : .allowed
        }
        func status(_ target: String, _ token: String?) async -> Int {
            var request = HTTPRequest(.get, target)
            request.headers["Authorization"] = token
            return await handler.handle(request).status
        }
        await expect(status("/leagues", nil), equals: 401)
        await expect(status("/leagues", "Bearer admin"), equals: 200)
        await expect(status("/leagues", "Bearer other"), equals: 403)
        await expect(status("/teams", "Bearer other"), equals: 200)
    }

    @Test func `some models of a type are there`() async throws {
        let store = MemoryModelStore()
        for (id, country) in [("a", "it"), ("b", "fr")] {
            let league = League()
            (league.id.value, league.country.value) = (id, country)
            _ = try await store.create(league).value
        }
        var handler = try RESTHandler(store, [League.self])
        handler.authorize = { access in
            access.type == League.self ? .only(\League.country == "it") : .allowed
        }
        await expect(handler.handle(HTTPRequest(.get, "/leagues/a")).status, equals: 200)
        await expect(handler.handle(HTTPRequest(.get, "/leagues/b")).status, equals: 404)
    }

    @Test func `failures are reported, and keys are kept`() async throws {
        var handler = try RESTHandler(MemoryModelStore(), [Grumpy.self])
        let log = Noted<String>()
        handler.failed = { failure in log.note("\(failure.request): \(failure.error)") }
        handler.idempotency = MemoryIdempotencyStore(capacity: 10_000, lifetime: .seconds(3_600))
        let request = HTTPRequest(
            .post,
            "/grumpies",
            headers: ["Idempotency-Key": "\"k\""],
            body: Data("{}".utf8)
        )
        await expect(handler.handle(request).status, equals: 500)
        expect(log.all.count == 1 && log.all.first?.contains("Refusal") == true)
        let key = IdempotencyKey(
            principal: "ada",
            value: "8e03978e-40d5-43dd-bc93-6894a57f9324"
        )
        expect(key.principal, equals: "ada")
    }
}
