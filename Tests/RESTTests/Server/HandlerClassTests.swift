import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct HandlerClassTests {
    /// With beasts a and c, and hounds b and d.
    func serving(
        _ authorize: @escaping @Sendable (RESTAccess) async throws -> RESTPermission
    ) async throws -> Serving {
        var serving = try Serving()
        for id in ["a", "b", "c", "d"] {
            let isHound = id == "b" || id == "d"
            let body: AttributeValue =
                isHound
                ? ["id": .string(id), "kind": "hound", "bark_volume": id == "b" ? 1 : 9]
                : ["id": .string(id), "kind": "cat"]
            try await expect(serving.ask(.post, "/beasts", body).status, equals: 201)
        }
        serving.handler.authorize = authorize
        return serving
    }

    @Test func `a class that is forbidden is so by the path of its base, too`() async throws {
        let serving = try await serving { $0.type == Hound.self ? .forbidden : .allowed }
        try await expect(serving.ask(.get, "/hounds/b").status, equals: 403)
        try await expect(serving.ask(.get, "/beasts/b").status, equals: 404)
        try await expect(serving.ask(.get, "/beasts/a").status, equals: 200)
        try await expect(serving.ask(.get, "/beasts?sort=id").identifiers, equals: ["a", "c"])
        let first = try await serving.ask(.get, "/beasts?sort=-id&limit=1")
        guard case .string(let next)? = first["next"] else { throw CancellationError() }
        let second = try await serving.ask(.get, next)
        expect(second.identifiers == ["a"] && second["next"] == nil)
        let patched = try await serving.ask(.patch, "/beasts/b", ["bark_volume": 2])
        expect(patched.status, equals: 403)
        try await expect(serving.ask(.put, "/beasts/b", ["kind": "cat"]).status, equals: 403)
        try await expect(serving.ask(.delete, "/beasts/b").status, equals: 403)
        let hound: AttributeValue = ["id": "e", "kind": "hound", "bark_volume": 3]
        try await expect(serving.ask(.post, "/beasts", hound).status, equals: 403)
        try await expect(serving.ask(.put, "/beasts/e", hound).status, equals: 403)
        var open = serving
        open.handler.authorize = nil
        let all = try await open.ask(.get, "/beasts?sort=id")
        expect(all.identifiers == ["a", "b", "c", "d"] && all.items[1]["bark_volume"] == 1)
    }

    @Test(arguments: ["", "&sort=id", "&sort=-kind,id"])
    func `of a class only some are there by the path of its base`(sort: String) async throws {
        let serving = try await serving {
            $0.type == Hound.self ? .only(\Hound.barkVolume > 5) : .allowed
        }
        var found: Set<AttributeValue> = []
        var next: String? = "/beasts?limit=1" + sort
        while let target = next {
            let page = try await serving.ask(.get, target)
            expect(page.status == 200 && page.items.count == 1)
            found.formUnion(page.identifiers)
            if case .string(let text)? = page["next"] { next = text } else { next = nil }
        }
        expect(found, equals: ["a", "c", "d"])
        try await expect(serving.ask(.get, "/beasts/b").status, equals: 404)
        try await expect(serving.ask(.get, "/beasts/d").status, equals: 200)
        try await expect(serving.ask(.delete, "/beasts/b").status, equals: 404)
        let away = try await serving.ask(.patch, "/beasts/d", ["bark_volume": 2])
        expect(away.status, equals: 403)
        try await expect(serving.ask(.patch, "/beasts/d", ["bark_volume": 7]).status, equals: 200)
        let low: AttributeValue = ["kind": "hound", "bark_volume": 3]
        try await expect(serving.ask(.post, "/beasts", low).status, equals: 403)
    }

    @Test func `answers to writes have no class that may not be read`() async throws {
        let serving = try await serving {
            $0.type == Hound.self && $0.action == .lookup ? .forbidden : .allowed
        }
        let patched = try await serving.ask(.patch, "/beasts/b", ["bark_volume": 2])
        expect(patched.status, equals: 204)
        let stale = try await serving.ask(.patch, "/beasts/b", [:], ["If-Match": "\"1\""])
        expect(stale.status == 412 && stale["current"] == nil)
    }

    @Test func `another record is asked about as such`() async throws {
        let asked = Noted<String>()
        var serving = try Serving()
        try await serving.ask(.post, "/teams", ["id": 1, "title": "Reds"])
        try await serving.ask(.post, "/teams", ["id": 2, "title": "Blues"])
        try await serving.ask(
            .post,
            "/teams/2/players",
            ["id": "b", "full_name": "B", "email": "eb"]
        )
        try await serving.ask(.post, "/stories", ["slug": "s", "text": "x"])
        serving.handler.authorize = { access in
            let owners = access.owners.map { $0.identifier?.description ?? "" }.joined()
            asked.note("\(access.action) \(access.identifier?.description ?? "-") \(owners)")
            return .allowed
        }
        let body: AttributeValue = ["id": "a", "full_name": "A", "email": "eb"]
        let answer = try await serving.ask(.post, "/teams/1/players", body)
        expect(answer.status == 409 && answer["identifier"] == "b")
        expect(asked.all.last, equals: "lookup b ")
        try await expect(serving.ask(.patch, "/stories/s", ["text": "y"]).status, equals: 200)
        expect(asked.all.last, equals: "lookup s ")
    }
}
