import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import TestSupport
import Testing

/// Models that others own, and who may put them where.
@Suite struct HandlerOwnerTests {
    final class Squad: Model {
        let id = Field<Int>()
        let trainees = ModelField<Trainee>(inverse: \.squad)*
        init() { linkFields() }
    }

    final class Coach: Model {
        let id = Field<Int>()
        let trainees = ModelField<Trainee>(inverse: \.coach)*
        init() { linkFields() }
    }

    final class Trainee: Model, HasOwnerField {
        let id = Field<Int>()
        let squad = ModelField<Squad>(foreignKey: true)
        let coach = ModelField<Coach>(foreignKey: true)
        var ownerField: ModelField<Squad> { squad }
        init() { linkFields() }
    }

    @Test(arguments: ["/trainees", "/coaches/1/trainees", "/coaches/1/trainees/7"])
    func `nothing is put to an owner who is hidden, whoever else is in the path`(
        _ path: String
    ) async throws {
        var serving = try Serving()
        serving.handler = try RESTHandler(
            MemoryModelStore(),
            [Squad.self, Coach.self, Trainee.self],
            router: RESTRouter(maxPathDepth: 2)
        )
        for id in [1, 2] {
            try await serving.ask(.post, "/squads", ["id": .int(Int64(id))])
            try await serving.ask(.post, "/coaches", ["id": .int(Int64(id))])
        }
        serving.handler.authorize = { access in
            access.type == Squad.self ? .only(\Squad.id == 1) : .allowed
        }
        let method: HTTPMethod = path.hasSuffix("7") ? .put : .post
        let body: AttributeValue = path == "/trainees" ? ["squad": 2] : ["squad": 2, "coach": 1]
        try await expect(serving.ask(method, path, body).status, equals: 403)
        let good: AttributeValue = path == "/trainees" ? ["squad": 1] : ["squad": 1, "coach": 1]
        try await expect(serving.ask(method, path, good).status, equals: 201)
    }

    @Test func `nothing is moved to an owner of a class that is hidden`() async throws {
        var serving = try Serving()
        serving.handler = try RESTHandler(
            MemoryModelStore(),
            [Beast.self, Hound.self, Flea.self],
            router: RESTRouter(maxPathDepth: 2)
        )
        try await serving.ask(.post, "/beasts", ["id": "b"])
        let hound: AttributeValue = ["id": "h", "kind": "hound", "barkVolume": 1]
        try await serving.ask(.post, "/beasts", hound)
        try await serving.ask(.post, "/fleas", ["id": 1, "host": "b"])
        serving.handler.authorize = { access in
            access.type == Hound.self ? .notFound : .allowed
        }
        try await expect(serving.ask(.patch, "/fleas/1", ["host": "h"]).status, equals: 403)
        try await expect(serving.ask(.patch, "/fleas/1", ["host": "b"]).status, equals: 200)
    }

    final class Flea: Model, HasOwnerField {
        let id = Field<Int>()
        let host = ModelField<Beast>(foreignKey: true)
        var ownerField: ModelField<Beast> { host }
    }

    @Test func `a condition on an owner in the path holds for whatever is done below it`()
        async throws
    {
        var serving = try Serving()
        serving.handler = try RESTHandler(
            MemoryModelStore(),
            [Squad.self, Coach.self, Trainee.self],
            router: RESTRouter(maxPathDepth: 2)
        )
        for id in [1, 2] as [Int64] {
            try await serving.ask(.post, "/squads", ["id": .int(id)])
            try await serving.ask(.post, "/coaches", ["id": .int(id)])
            try await serving.ask(.post, "/trainees", ["id": .int(id), "squad": .int(id)])
        }
        serving.handler.authorize = { access in
            access.action == .lookup ? .allowed : .only(\Squad.id == 1)
        }
        let refused: [(HTTPMethod, String, AttributeValue?)] = [
            (.patch, "/2", ["coach": 1]), (.put, "/2", ["coach": 1]), (.delete, "/2", nil),
            (.put, "/3", ["coach": 1]), (.post, "", ["coach": 1]), (.get, "", nil),
        ]
        for (method, path, body) in refused {
            let answer = try await serving.ask(method, "/squads/2/trainees" + path, body)
            expect(answer.status == 404 && answer["code"] == "notFound", "\(method) \(path)")
        }
        let write: AttributeValue = [
            "method": "PATCH", "path": "/squads/2/trainees/2", "body": ["coach": 1],
        ]
        let batch = try await serving.ask(.post, "/batch", ["writes": [write]])
        expect(batch.status == 404 && batch["index"] == 0)
        try await expect(serving.ask(.get, "/squads/2/trainees/2")["coach"], equals: .null)

        try await expect(serving.ask(.get, "/squads/1/trainees").identifiers, equals: [1])
        try await expect(serving.ask(.post, "/squads/1/trainees", ["id": 4]).status, equals: 201)
        let moved = try await serving.ask(.patch, "/squads/1/trainees/1", ["squad": 2])
        expect(moved.status == 403 && moved["code"] == "forbidden")
        let freed = try await serving.ask(.patch, "/squads/1/trainees/1", ["squad": .null])
        expect(freed.status, equals: 403)
        let patched = try await serving.ask(.patch, "/squads/1/trainees/1", ["coach": 2])
        expect(patched.status == 200 && patched["coach"] == 2 && patched["squad"] == 1)
        try await expect(serving.ask(.delete, "/squads/1/trainees/1").status, equals: 204)
    }

    final class Estate: Model {
        let id = Field<Int>()
        let barns = ModelField<Barn>(inverse: \.estate)*
        init() { linkFields() }
    }

    final class Barn: Model, HasOwnerField {
        let id = Field<Int>()
        let estate = ModelField<Estate>(foreignKey: true)
        let horses = ModelField<Horse>(inverse: \.barn)*
        var ownerField: ModelField<Estate> { estate }
        init() { linkFields() }
    }

    final class Horse: Model, HasOwnerField {
        let id = Field<Int>()
        let barn = ModelField<Barn>(foreignKey: true)
        var ownerField: ModelField<Barn> { barn }
        init() { linkFields() }
    }

    @Test func `nothing is moved below another owner of its owner than a condition permits`()
        async throws
    {
        var serving = try Serving()
        serving.handler = try RESTHandler(
            MemoryModelStore(),
            [Estate.self, Barn.self, Horse.self],
            router: RESTRouter(maxPathDepth: 3)
        )
        for (barn, estate) in [(1, 1), (2, 1), (3, 2)] as [(Int64, Int64)] {
            try await serving.ask(.put, "/estates/\(estate)", [:])
            try await serving.ask(.post, "/barns", ["id": .int(barn), "estate": .int(estate)])
            try await serving.ask(.post, "/horses", ["id": .int(barn), "barn": .int(barn)])
        }
        serving.handler.authorize = { access in
            access.type == Horse.self ? .only(\Estate.id == 1) : .allowed
        }
        let path = "/estates/1/barns/1/horses/1"
        try await expect(serving.ask(.get, path)["barn"], equals: 1)
        try await expect(serving.ask(.get, "/estates/2/barns/3/horses/3").status, equals: 404)
        try await expect(serving.ask(.patch, path, ["barn": 3]).status, equals: 403)
        try await expect(serving.ask(.patch, path, ["barn": 9]).status, equals: 403)
        try await expect(serving.ask(.patch, path, ["barn": 2]).status, equals: 200)
    }

    // MARK: What has no identifier in its path

    final class Profile: Model {
        let id = Field<Int>()
        let user = Field<String>()
        let mood = Field<String>()
    }

    private func serving() throws -> Serving {
        var router = RESTRouter()
        router.route(Profile.self, toSingleton: "me")
        router.identify(Story.self, by: "slug")
        var serving = try Serving()
        serving.handler = try RESTHandler(
            MemoryModelStore(),
            [Profile.self, Story.self],
            router: router
        )
        return serving
    }

    @Test func `everybody has a singleton of their own where others are hidden`() async throws {
        var serving = try serving()
        serving.handler.authorize = { access in
            access.type == Profile.self
                ? .only(\Profile.user == (access.request.headers["X-User"] ?? "")) : .allowed
        }
        for user in ["a", "b"] {
            let header: HTTPHeaders = ["X-User": user]
            let body: AttributeValue = ["user": .string(user), "mood": "good"]
            try await expect(serving.ask(.put, "/me", body, header).status, equals: 201)
        }
        for user in ["a", "b"] {
            let header: HTTPHeaders = ["X-User": user]
            try await expect(serving.ask(.get, "/me", nil, header)["user"], equals: .string(user))
            let body: AttributeValue = ["user": .string(user), "mood": "bad"]
            try await expect(serving.ask(.put, "/me", body, header).status, equals: 200)
            let patched = try await serving.ask(.patch, "/me", ["mood": "fine"], header)
            expect(patched.status == 200 && patched["mood"] == "fine")
        }
    }

    final class Guild: Model {
        let id = Field<Int>()
        let slug = Field<String>()
        let members = ModelField<Member>(inverse: \.guild)*
        init() { linkFields() }
    }

    final class Member: Model, HasOwnerField {
        let id = Field<Int>()
        let guild = ModelField<Guild>(foreignKey: true)
        var ownerField: ModelField<Guild> { guild }
        init() { linkFields() }
    }

    @Test(
        arguments: [(["id": 5], nil), (["id": 5, "slug": "s"], "s")]
            as [(AttributeValue, Identifier?)]
    )
    func `a new owner is asked about by its own path, if it has one`(
        owner: AttributeValue,
        identifier: Identifier?
    ) async throws {
        var router = RESTRouter()
        router.identify(Guild.self, by: "slug")
        var serving = try Serving()
        serving.handler = try RESTHandler(
            MemoryModelStore(),
            [Guild.self, Member.self],
            router: router
        )
        try await serving.ask(.post, "/guilds", owner)
        let asked = Noted<Identifier?>()
        serving.handler.authorize = { access in
            if access.type == Guild.self { asked.note(access.identifier) }
            return .allowed
        }
        try await expect(serving.ask(.post, "/members", ["guild": 5]).status, equals: 201)
        expect(asked.all, equals: [identifier])
    }

    @Test(arguments: ["/me", "/stories/s"])
    func `of many who make one at once, one does`(_ path: String) async throws {
        let serving = try serving()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for number in 1...20 {
                tasks.addTask {
                    let body: AttributeValue = ["mood": "m\(number)", "text": "t\(number)"]
                    return try await serving.ask(.put, path, body).status
                }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        expect(statuses.filter { $0 == 201 }.count, equals: 1)
        expect(statuses.filter { $0 == 200 }.count, equals: 19)
    }
}
