import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct HandlerPermissionTests {
    func serving(
        _ authorize: @escaping @Sendable (RESTAccess) async throws -> RESTPermission
    ) async throws -> Serving {
        var serving = try Serving()
        try await serving.ask(.post, "/leagues", ["id": "l", "country": "it"])
        try await serving.ask(.post, "/leagues", ["id": "m", "country": "fr"])
        try await serving.ask(.post, "/teams", ["id": 1, "title": "Reds", "league": "l"])
        try await serving.ask(.post, "/teams", ["id": 2, "title": "Blues", "league": "m"])
        for (id, team, number) in [("a", 1, 1), ("b", 1, 2), ("c", 2, 3)]
            as [(String, Int64, Int64)]
        {
            try await serving.ask(
                .post,
                "/players",
                [
                    "id": .string(id), "full_name": .string("N\(id)"), "team": .int(team),
                    "jersey_number": .int(number), "email": .string("e\(id)"),
                ]
            )
        }
        serving.handler.authorize = authorize
        return serving
    }

    static let verbs: [(RESTAction, HTTPMethod, String, AttributeValue?)] = [
        (.lookup, .get, "/players/a", nil), (.lookup, .head, "/players/a", nil),
        (.list, .get, "/players", nil), (.create, .post, "/players", ["full_name": "X"]),
        (.update, .patch, "/players/a", ["full_name": "X"]),
        (.delete, .delete, "/players/a", nil),
    ]

    @Test(arguments: verbs.indices)
    func `each verb of each type is asked about`(index: Int) async throws {
        let (action, method, path, body) = Self.verbs[index]
        let asked = Noted<String>()
        for (permission, status) in [
            (RESTPermission.forbidden, 403), (.notFound, 404), (.unauthorized(), 401),
            (.unauthorized(challenge: "Basic"), 401),
        ] {
            let serving = try await serving { access in
                asked.note(
                    "\(access.type) \(access.action) \(access.identifier?.description ?? "")"
                )
                return access.action == action ? permission : .allowed
            }
            let answer = try await serving.ask(method, path, body)
            expect(answer.status, equals: status)
            if case .unauthorized(let challenge) = permission {
                expect(answer.headers["WWW-Authenticate"], equals: challenge)
            }
            if status == 404, method != .head { expect(answer["code"], equals: "notFound") }
            // What is there and what is not are the same.
            if path.hasSuffix("/a") {
                let none = try await serving.ask(method, "/players/none", body)
                expect(none.status, equals: status)
            }
        }
        let identifier = path.hasSuffix("/a") ? "a" : ""
        expect(asked.all.first, equals: "Player \(action) \(identifier)")
    }

    @Test func `PUT needs to create or to update`() async throws {
        let creating = try await serving { $0.action == .create ? .allowed : .forbidden }
        try await expect(creating.ask(.put, "/players/x", ["full_name": "X"]).status, equals: 201)
        try await expect(creating.ask(.put, "/players/a", ["full_name": "X"]).status, equals: 403)
        let updating = try await serving { $0.action == .create ? .forbidden : .allowed }
        try await expect(updating.ask(.put, "/players/x", ["full_name": "X"]).status, equals: 403)
        try await expect(updating.ask(.put, "/players/a", ["full_name": "X"]).status, equals: 200)
        let neither = try await serving { _ in .forbidden }
        try await expect(neither.ask(.put, "/players/x", ["full_name": "X"]).status, equals: 403)
    }

    @Test func `a hook that throws is 500, and nothing is done`() async throws {
        var serving = try await serving { _ in throw CocoaError(.fileNoSuchFile) }
        let failures = Noted<RESTFailure>()
        serving.handler.failed = { failures.note($0) }
        let answer = try await serving.ask(.delete, "/players/a")
        expect(answer.status == 500 && answer["code"] == "internal")
        expect(failures.all.first?.error is CocoaError)
        serving.handler.authorize = nil
        try await expect(serving.ask(.get, "/players/a").status, equals: 200)
    }

    @Test func `only some models of a type are there`() async throws {
        let serving = try await serving { access in
            access.type == Player.self ? .only(\Player.jerseyNumber < 3) : .allowed
        }
        try await expect(serving.ask(.get, "/players").identifiers, equals: ["a", "b"])
        try await expect(
            serving.ask(.get, "/players?jersey_number[ge]=2").identifiers,
            equals: ["b"]
        )
        try await expect(serving.ask(.get, "/teams/2/players").identifiers, equals: [])
        let first = try await serving.ask(.get, "/players?limit=1")
        guard case .string(let next)? = first["next"] else { throw CancellationError() }
        let second = try await serving.ask(.get, next)
        expect(second.identifiers == ["b"] && second["next"] == nil, "nothing reveals the third")
        let all: [(HTTPMethod, AttributeValue?)] = [
            (.get, nil), (.patch, ["full_name": "X"]), (.delete, nil),
        ]
        for (method, body) in all {
            let hidden = try await serving.ask(method, "/players/c", body)
            let missing = try await serving.ask(method, "/players/d", body)
            expect(hidden.status == 404 && missing.status == 404)
            expect(hidden["code"], equals: missing["code"])
        }
        // Nor can one be written out of what may be seen, or into it.
        let away = try await serving.ask(.patch, "/players/a", ["jersey_number": 9])
        expect(away.status, equals: 403)
        let made = try await serving.ask(
            .post,
            "/players",
            ["full_name": "X", "jersey_number": 9]
        )
        expect(made.status, equals: 403)
        let good = try await serving.ask(
            .post,
            "/players",
            ["full_name": "X", "jersey_number": 0]
        )
        expect(good.status, equals: 201)
        let batch = try await serving.ask(
            .post,
            "/batch",
            [
                "writes": [
                    ["method": "PATCH", "path": "/players/a", "body": ["full_name": "Y"]],
                    ["method": "DELETE", "path": "/players/c"],
                ]
            ]
        )
        expect(batch.status == 404 && batch["index"] == 1)
        try await expect(serving.ask(.get, "/players/a")["full_name"], equals: "Na")
    }

    @Test(arguments: [
        ("/players?_count=true", 2), ("/players?_count=true&limit=1", 2),
        ("/players?_count=true&limit=0", 2), ("/players?_count=true&jersey_number[ge]=2", 1),
        ("/teams/1/players?_count=true", 2), ("/teams/2/players?_count=true", 0),
        ("/beasts?_count=true", 2), ("/beasts?_count=true&subclasses=false", 1),
        ("/hounds?_count=true", 1), ("/players", nil), ("/players?_count=false", nil),
    ])
    func `only what somebody may see is counted`(
        _ target: String,
        _ count: Int64?
    ) async throws {
        var serving = try await serving { access in
            if access.type == Hound.self { return .only(\Hound.barkVolume > 5) }
            return access.type == Player.self ? .only(\Player.jerseyNumber < 3) : .allowed
        }
        let authorize = serving.handler.authorize
        serving.handler.authorize = nil
        try await serving.ask(.post, "/beasts", ["id": "a", "kind": "cat"])
        for (id, volume) in [("b", 1), ("d", 9)] as [(AttributeValue, AttributeValue)] {
            let hound: AttributeValue = ["id": id, "kind": "hound", "bark_volume": volume]
            try await expect(serving.ask(.post, "/beasts", hound).status, equals: 201)
        }
        serving.handler.authorize = authorize
        let answer = try await serving.ask(.get, target)
        expect(answer.status == 200 && answer["count"] == count.map { .int($0) }, "\(answer)")
        try await expect(serving.ask(.get, "/players?_count=x").status, equals: 400)
        serving.handler.authorize = { _ in .forbidden }
        let refused = try await serving.ask(.get, target)
        expect(refused.status == 403 && refused["count"] == nil)
    }

    @Test func `what is negated reveals nothing of hidden models`() async throws {
        var serving = try await serving { _ in .allowed }
        // Of neither is known whether the condition below holds: it is hidden.
        try await serving.ask(.post, "/leagues", ["id": "p", "budget": 50])
        try await serving.ask(.post, "/leagues", ["id": "q", "budget": 150])
        try await serving.ask(.patch, "/leagues/m", ["budget": 150])
        try await serving.ask(.post, "/teams", ["id": 3, "title": "P", "league": "p"])
        try await serving.ask(.post, "/teams", ["id": 4, "title": "Q", "league": "q"])
        serving.handler.authorize = { access in
            access.type == League.self ? .only(\League.country != "it") : .allowed
        }
        let has = #"{"has":["league",{"ge":["budget",100]}]}"#
        for (filter, found) in [
            (has, [2]), (#"{"not":\#(has)}"#, []), (#"{"not":{"not":\#(has)}}"#, [2]),
            (#"{"not":{"and":[\#(has),{"ge":["id",2]}]}}"#, [1]),
            (#"{"not":{"or":[\#(has),{"ge":["id",3]}]}}"#, []),
            (#"{"not":{"has":["league",{"not":{"ge":["budget",100]}}]}}"#, [2]),
            (#"{"not":{"has":["league",{"lt":["budget",100]}]}}"#, [2]),
        ] as [(String, [AttributeValue])] {
            let encoded = try #require(
                filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            )
            let answer = try await serving.ask(.get, "/teams?filter=\(encoded)&sort=id")
            expect(answer.identifiers, equals: found, "\(filter)")
        }
    }

    @Test func `who has a unique value is not revealed to those who may not see it`() async throws {
        let serving = try await serving { access in
            access.type == Player.self ? .only(\Player.jerseyNumber < 3) : .allowed
        }
        let body: AttributeValue = ["full_name": "X", "jersey_number": 0, "email": "ec"]
        let hidden = try await serving.ask(.post, "/players", body)
        expect(hidden.status == 409 && hidden["field"] == ["email"])
        expect(hidden["identifier"], equals: nil)
        let seen = try await serving.ask(.patch, "/players/a", ["email": "eb"])
        expect(seen.status == 409 && seen["identifier"] == "b")
    }

    @Test func `a condition through a relation restricts reads and writes`() async throws {
        let serving = try await serving { access in
            access.type == Player.self
                ? .only(Condition<Player>.has(\.team, \.title == "Reds"))
                : .allowed
        }
        try await expect(serving.ask(.get, "/players").identifiers, equals: ["a", "b"])
        try await expect(serving.ask(.get, "/players/a").status, equals: 200)
        try await expect(serving.ask(.get, "/players/c").status, equals: 404)
        let good = try await serving.ask(.post, "/players", ["full_name": "X", "team": 1])
        expect(good.status, equals: 201)
        let bad = try await serving.ask(.post, "/players", ["full_name": "X", "team": 2])
        expect(bad.status, equals: 403)
        let away = try await serving.ask(.patch, "/players/a", ["team": 2])
        expect(away.status, equals: 403)
    }

    @Test func `conditions on other types ask about these`() async throws {
        let serving = try await serving { access in
            switch (access.type == Team.self, access.action) {
            case (true, .list): .only(\Team.title == "Reds")
            default: .allowed
            }
        }
        let all = #"/players?filter={"has":["team",{"or":[{"ge":["id",0]}]}]}"#
            .replacing("\"", with: "%22")
        try await expect(serving.ask(.get, all).identifiers, equals: ["a", "b"])
        let none = try await self.serving { access in
            access.type == Team.self && access.action == .list ? .forbidden : .allowed
        }
        try await expect(none.ask(.get, all).status, equals: 403)
        try await expect(none.ask(.get, "/players?team=2").identifiers, equals: ["c"])
    }

    @Test func `an owner that may not be seen has nothing`() async throws {
        let asked = Noted<String>()
        let serving = try await serving { access in
            asked.note("\(access.type) \(access.action) \(access.owners.count)")
            return access.type == Team.self ? .only(\Team.title == "Reds") : .allowed
        }
        try await expect(serving.ask(.get, "/teams/1/players").identifiers, equals: ["a", "b"])
        expect(asked.all, equals: ["Player list 1", "Team lookup 0"])
        try await expect(serving.ask(.get, "/teams/2/players").status, equals: 404)
        try await expect(serving.ask(.get, "/teams/2/players/c").status, equals: 404)
        let made = try await serving.ask(.post, "/teams/2/players", ["full_name": "X"])
        expect(made.status, equals: 404)
    }

    @Test func `answers to writes have no more than may be read`() async throws {
        let serving = try await serving { $0.action == .lookup ? .forbidden : .allowed }
        let patched = try await serving.ask(.patch, "/players/a", ["full_name": "X"])
        expect(patched.status == 204 && patched.body == .null && patched.headers["ETag"] == nil)
        let conflict = try await serving.ask(
            .patch,
            "/players/a",
            ["full_name": "X"],
            ["If-Match": "\"1\""]
        )
        expect(conflict.status == 412 && conflict["current"] == nil)
        let made = try await serving.ask(.post, "/players", ["id": "x", "full_name": "X"])
        expect(made.status == 201 && made["full_name"] == "X")
        let batch = try await serving.ask(
            .post,
            "/batch",
            ["writes": [["method": "PATCH", "path": "/players/a", "body": ["full_name": "Y"]]]]
        )
        expect(batch.status == 200 && batch["results"] == [["status": 204]])
    }

    @Test func `each write of a batch is asked about before anything is done`() async throws {
        let asked = Noted<String>()
        let serving = try await serving { access in
            asked.note("\(access.request.method) \(access.request.target)")
            return access.action == .delete ? .forbidden : .allowed
        }
        let answer = try await serving.ask(
            .post,
            "/batch",
            [
                "writes": [
                    ["method": "PATCH", "path": "/players/a", "body": ["full_name": "Y"]],
                    ["method": "DELETE", "path": "/players/b"],
                ]
            ]
        )
        expect(answer.status == 403 && answer["index"] == 1)
        expect(asked.all, equals: ["PATCH /players/a", "DELETE /players/b"])
        try await expect(serving.ask(.get, "/players/a")["full_name"], equals: "Na")
    }

    static let below = [
        ("/teams/1/players", 200), ("/teams/1/players/a", 200), ("/teams/2/players", 404),
        ("/teams/2/players/c", 404), ("/players", 500),
    ]

    @Test(arguments: below)
    func `a condition on the owner in a path is that of the owner`(
        path: String,
        status: Int
    ) async throws {
        var serving = try await serving { _ in .only(\Team.title != "Blues") }
        let failures = Noted<String>()
        serving.handler.failed = { failures.note("\($0.error)") }
        let answer = try await serving.ask(.get, path)
        expect(answer.status, equals: status)
        if path == "/teams/1/players" { expect(answer.identifiers, equals: ["a", "b"]) }
        let reasons = status == 500 ? ["authorize restricts Player by a condition on Team"] : []
        expect(failures.all, equals: reasons)
    }

    @Test func `an answer is replayed only to whom may still have it`() async throws {
        var serving = try await serving { _ in .allowed }
        let headers: HTTPHeaders = ["Idempotency-Key": "\"k\""]
        let first = try await serving.ask(.patch, "/players/a", ["full_name": "Y"], headers)
        expect(first.status, equals: 200)
        serving.handler.authorize = { _ in .forbidden }
        let second = try await serving.ask(.patch, "/players/a", ["full_name": "Y"], headers)
        expect(second.status == 403 && second["full_name"] == nil)
    }
}
