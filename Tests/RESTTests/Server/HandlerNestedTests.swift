import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import TestSupport
import Testing

@Suite struct HandlerNestedTests {
    func serving() async throws -> Serving {
        let serving = try Serving()
        try await serving.ask(.post, "/leagues", ["id": "l/1"])
        try await serving.ask(.post, "/teams", ["id": 1, "title": "Reds", "captains": ["a"]])
        try await serving.ask(.post, "/teams", ["id": 2, "title": "Blues"])
        for (id, team) in [("a", 1), ("b", 1), ("c", 2)] as [(String, Int64)] {
            try await serving.ask(
                .post,
                "/players",
                ["id": .string(id), "full_name": .string("N\(id)"), "team": .int(team)]
            )
        }
        return serving
    }

    @Test func `a list has the models of its owner alone`() async throws {
        let serving = try await serving()
        try await expect(serving.ask(.get, "/teams/1/players").identifiers, equals: ["a", "b"])
        try await expect(
            serving.ask(.get, "/teams/1/players?full_name[gt]=Na").identifiers,
            equals: ["b"]
        )
        try await expect(serving.ask(.get, "/teams/1/captains").identifiers, equals: ["a"])
        try await expect(serving.ask(.get, "/teams/2/captains").identifiers, equals: [])
        let first = try await serving.ask(.get, "/teams/1/players?limit=1")
        guard case .string(let next)? = first["next"] else { throw CancellationError() }
        expect(next.hasPrefix("/teams/1/players?limit=1&after="))
        try await expect(serving.ask(.get, next).identifiers, equals: ["b"])
    }

    @Test func `a model of another owner is not there`() async throws {
        let serving = try await serving()
        try await expect(serving.ask(.get, "/teams/1/players/a")["id"], equals: "a")
        try await expect(serving.ask(.get, "/teams/1/captains/a")["id"], equals: "a")
        let all: [(HTTPMethod, AttributeValue?)] = [
            (.get, nil), (.patch, ["full_name": "X"]), (.delete, nil),
        ]
        for (method, body) in all {
            for path in ["/teams/1/players/c", "/teams/9/players/a", "/teams/1/captains/b"] {
                let answer = try await serving.ask(method, path, body)
                expect(answer.status == 404 && answer["code"] == "notFound", "\(method) \(path)")
            }
        }
        for path in ["/teams/9/players", "/teams/9/captains"] {
            try await expect(serving.ask(.get, path).status, equals: 404)
        }
        try await expect(serving.ask(.get, "/players/c")["full_name"], equals: "Nc")
    }

    @Test func `PUT of a model that another owner has is a conflict`() async throws {
        let serving = try await serving()
        let answer = try await serving.ask(.put, "/teams/1/players/c", ["full_name": "X"])
        expect(answer.status, equals: 409)
        try await expect(serving.ask(.get, "/players/c")["full_name"], equals: "Nc")
    }

    @Test func `a new model gets the owner of the path`() async throws {
        let serving = try await serving()
        let made = try await serving.ask(
            .post,
            "/teams/2/players",
            ["id": "d/e", "full_name": "D"]
        )
        expect(made.status == 201 && made["team"] == 2)
        expect(made.headers["Location"], equals: "/teams/2/players/d%2Fe")
        let same = try await serving.ask(
            .post,
            "/teams/2/players",
            ["id": "f", "full_name": "F", "team": 2]
        )
        expect(same.status, equals: 201)
        let other = try await serving.ask(
            .post,
            "/teams/2/players",
            ["id": "g", "full_name": "G", "team": 1]
        )
        expect(other.status == 422 && other.pointers == ["/team"])
        try await expect(serving.ask(.get, "/players/g").status, equals: 404)
        let nobody = try await serving.ask(.post, "/teams/9/players", ["full_name": "G"])
        expect(nobody.status, equals: 404)
        let captain = try await serving.ask(.post, "/teams/2/captains", ["full_name": "G"])
        expect(captain.status, equals: 405)
        let put = try await serving.ask(.put, "/teams/2/players/h", ["full_name": "H"])
        expect(put.status == 201 && put["team"] == 2 && put["id"] == "h")
    }

    @Test func `a model can be moved to another owner`() async throws {
        let serving = try await serving()
        let moved = try await serving.ask(.patch, "/teams/1/players/a", ["team": 2])
        expect(moved.status == 200 && moved["team"] == 2)
        try await expect(serving.ask(.get, "/teams/1/players/a").status, equals: 404)
        try await expect(serving.ask(.get, "/teams/2/players").identifiers, equals: ["a", "c"])
    }

    @Test func `an owner has one model of a singleton`() async throws {
        let serving = try await serving()
        try await expect(serving.ask(.get, "/teams/1/stadium").status, equals: 404)
        try await expect(serving.ask(.patch, "/teams/1/stadium", [:]).status, equals: 404)
        let made = try await serving.ask(.put, "/teams/1/stadium", ["seat_count": 10])
        expect(made.status == 201 && made["team"] == 1)
        expect(made.headers["Location"], equals: "/teams/1/stadium")
        let other = try await serving.ask(.put, "/teams/2/stadium", ["seat_count": 20])
        expect(other.status, equals: 201)
        let again = try await serving.ask(.put, "/teams/1/stadium", ["seat_count": 11, "team": 1])
        expect(again.status == 200 && again["id"] == made["id"] && again["seat_count"] == 11)
        let patched = try await serving.ask(.patch, "/teams/2/stadium", ["seat_count": 21])
        expect(patched.status == 200 && patched["id"] == other["id"])
        try await expect(serving.ask(.get, "/teams/1/stadium")["seat_count"], equals: 11)
        try await expect(serving.ask(.delete, "/teams/1/stadium").status, equals: 204)
        try await expect(serving.ask(.get, "/teams/1/stadium").status, equals: 404)
        try await expect(serving.ask(.get, "/teams/2/stadium").status, equals: 200)
    }

    @Test func `a field can stand for the identifier`() async throws {
        let serving = try await serving()
        let made = try await serving.ask(.post, "/stories", ["slug": "a b/c", "text": "x"])
        expect(made.status == 201 && made["id"] == 1)
        expect(made.headers["Location"], equals: "/stories/a%20b%2Fc")
        let found = try await serving.ask(.get, "/stories/a%20b%2Fc")
        expect(found.status == 200 && found["text"] == "x")
        try await expect(serving.ask(.get, "/stories/1").status, equals: 404)
        let patched = try await serving.ask(.patch, "/stories/a%20b%2Fc", ["text": "y"])
        expect(patched.status == 200 && patched["slug"] == "a b/c")
        let put = try await serving.ask(.put, "/stories/new", ["text": "z"])
        expect(put.status == 201 && put["slug"] == "new" && put["id"] == 2)
        let again = try await serving.ask(.put, "/stories/new", ["text": "q"])
        expect(again.status == 200 && again["slug"] == "new" && again["id"] == 2)
        try await expect(serving.ask(.delete, "/stories/new").status, equals: 204)
        let wrong = try await serving.ask(.put, "/stories/new", ["slug": "old"])
        expect(wrong.status == 422 && wrong.pointers == ["/slug"])
    }

    @Test func `a model without a value for its path has no path`() async throws {
        let serving = try Serving()
        try await serving.ask(.put, "/stories/1", ["id": 7, "text": "of another"])
        let made = try await serving.ask(.post, "/stories", ["id": 1, "text": "x"])
        expect(made.status == 201 && made["id"] == 1)
        expect(made.headers["Location"], equals: nil)
    }

    @Test func `a class has the models of its subclasses`() async throws {
        let serving = try await serving()
        let plain = try await serving.ask(.post, "/beasts", ["id": "a", "kind": "cat"])
        expect(plain.status == 201 && plain["_meta"] == ["revision": 1])
        let hound = try await serving.ask(
            .post,
            "/beasts",
            ["id": "b", "kind": "hound", "bark_volume": 3]
        )
        expect(hound.status == 201 && hound["bark_volume"] == 3)
        expect(hound["_meta"], equals: ["revision": 1, "type": "Hound"])
        expect(hound.headers["Location"], equals: "/beasts/b")
        try await expect(serving.ask(.get, "/beasts/b")["bark_volume"], equals: 3)
        try await expect(serving.ask(.get, "/beasts/b?subclasses=false").status, equals: 404)
        let own = try await serving.ask(.get, "/hounds/b")
        expect(own.status == 200 && own["_meta"] == ["revision": 1, "place": 1])
        try await expect(serving.ask(.get, "/hounds/a").status, equals: 404)
        try await expect(serving.ask(.get, "/beasts?sort=id").identifiers, equals: ["a", "b"])
        try await expect(serving.ask(.get, "/beasts?subclasses=false").identifiers, equals: ["a"])
        try await expect(serving.ask(.get, "/hounds").identifiers, equals: ["b"])
        let patched = try await serving.ask(.patch, "/beasts/b", ["bark_volume": 0])
        expect(patched.status == 422 && patched.pointers == ["/bark_volume"])
        let wrong = try await serving.ask(
            .post,
            "/beasts",
            ["id": "c", "kind": "hound", "bark_volume": "x"]
        )
        expect(wrong.status == 422 && wrong.pointers == ["/bark_volume"])
        let first = try await serving.ask(.get, "/beasts?sort=-id&limit=1")
        guard case .string(let next)? = first["next"] else { throw CancellationError() }
        try await expect(serving.ask(.get, next).identifiers, equals: ["a"])
        try await expect(serving.ask(.delete, "/beasts/b").status, equals: 204)
        try await expect(serving.ask(.get, "/hounds").identifiers, equals: [])
    }

    @Test func `owners are found in their owners`() async throws {
        let serving = try Serving()
        try await serving.ask(.post, "/leagues", ["id": "l"])
        try await expect(serving.ask(.get, "/leagues/l/teams").status, equals: 404, "no such field")
        var router = RESTRouter(maxPathDepth: 2)
        router.prefix = "v1"
        let handler = try RESTHandler(
            MemoryModelStore(),
            [Region.self, Company.self, Employee.self],
            router: router
        )
        func ask(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async -> Int {
            let request = HTTPRequest(method, path, body: body.map { Data($0.utf8) })
            return await handler.handle(request).status
        }
        await expect(ask(.post, "/v1/regions", #"{"id":"n/w"}"#), equals: 201)
        await expect(ask(.post, "/v1/regions", #"{"id":"s"}"#), equals: 201)
        await expect(ask(.post, "/v1/regions/n%2Fw/companies", #"{"id":10}"#), equals: 201)
        let employees = "/v1/regions/n%2Fw/companies/10/employees"
        await expect(ask(.post, employees, #"{"id":45}"#), equals: 201)
        await expect(ask(.get, employees + "/45"), equals: 200)
        await expect(ask(.get, "/v1/companies/10/employees/45"), equals: 200)
        await expect(ask(.get, "/v1/regions/s/companies/10/employees/45"), equals: 404)
        await expect(ask(.get, "/v1/regions/s/companies/10/employees"), equals: 404)
        await expect(ask(.post, "/v1/regions/s/companies/10/employees", #"{"id":46}"#), equals: 404)
    }
}
