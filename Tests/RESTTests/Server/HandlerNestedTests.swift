import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
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
        #expect(try await serving.ask(.get, "/teams/1/players").identifiers == ["a", "b"])
        #expect(
            try await serving.ask(.get, "/teams/1/players?full_name[gt]=Na").identifiers == ["b"]
        )
        #expect(try await serving.ask(.get, "/teams/1/captains").identifiers == ["a"])
        #expect(try await serving.ask(.get, "/teams/2/captains").identifiers == [])
        let first = try await serving.ask(.get, "/teams/1/players?limit=1")
        guard case .string(let next)? = first["next"] else { throw CancellationError() }
        #expect(next.hasPrefix("/teams/1/players?limit=1&after="))
        #expect(try await serving.ask(.get, next).identifiers == ["b"])
    }

    @Test func `a model of another owner is not there`() async throws {
        let serving = try await serving()
        #expect(try await serving.ask(.get, "/teams/1/players/a")["id"] == "a")
        #expect(try await serving.ask(.get, "/teams/1/captains/a")["id"] == "a")
        let all: [(HTTPMethod, AttributeValue?)] = [
            (.get, nil), (.patch, ["full_name": "X"]), (.delete, nil),
        ]
        for (method, body) in all {
            for path in ["/teams/1/players/c", "/teams/9/players/a", "/teams/1/captains/b"] {
                let answer = try await serving.ask(method, path, body)
                #expect(answer.status == 404 && answer["code"] == "notFound", "\(method) \(path)")
            }
        }
        for path in ["/teams/9/players", "/teams/9/captains"] {
            #expect(try await serving.ask(.get, path).status == 404)
        }
        #expect(try await serving.ask(.get, "/players/c")["full_name"] == "Nc")
    }

    @Test func `PUT of a model that another owner has is a conflict`() async throws {
        let serving = try await serving()
        let answer = try await serving.ask(.put, "/teams/1/players/c", ["full_name": "X"])
        #expect(answer.status == 409)
        #expect(try await serving.ask(.get, "/players/c")["full_name"] == "Nc")
    }

    @Test func `a new model gets the owner of the path`() async throws {
        let serving = try await serving()
        let made = try await serving.ask(
            .post,
            "/teams/2/players",
            ["id": "d/e", "full_name": "D"]
        )
        #expect(made.status == 201 && made["team"] == 2)
        #expect(made.headers["Location"] == "/teams/2/players/d%2Fe")
        let same = try await serving.ask(
            .post,
            "/teams/2/players",
            ["id": "f", "full_name": "F", "team": 2]
        )
        #expect(same.status == 201)
        let other = try await serving.ask(
            .post,
            "/teams/2/players",
            ["id": "g", "full_name": "G", "team": 1]
        )
        #expect(other.status == 422 && other.pointers == ["/team"])
        #expect(try await serving.ask(.get, "/players/g").status == 404)
        let nobody = try await serving.ask(.post, "/teams/9/players", ["full_name": "G"])
        #expect(nobody.status == 404)
        let captain = try await serving.ask(.post, "/teams/2/captains", ["full_name": "G"])
        #expect(captain.status == 405)
        let put = try await serving.ask(.put, "/teams/2/players/h", ["full_name": "H"])
        #expect(put.status == 201 && put["team"] == 2 && put["id"] == "h")
    }

    @Test func `a model can be moved to another owner`() async throws {
        let serving = try await serving()
        let moved = try await serving.ask(.patch, "/teams/1/players/a", ["team": 2])
        #expect(moved.status == 200 && moved["team"] == 2)
        #expect(try await serving.ask(.get, "/teams/1/players/a").status == 404)
        #expect(try await serving.ask(.get, "/teams/2/players").identifiers == ["a", "c"])
    }

    @Test func `an owner has one model of a singleton`() async throws {
        let serving = try await serving()
        #expect(try await serving.ask(.get, "/teams/1/stadium").status == 404)
        #expect(try await serving.ask(.patch, "/teams/1/stadium", [:]).status == 404)
        let made = try await serving.ask(.put, "/teams/1/stadium", ["seat_count": 10])
        #expect(made.status == 201 && made["team"] == 1)
        #expect(made.headers["Location"] == "/teams/1/stadium")
        let other = try await serving.ask(.put, "/teams/2/stadium", ["seat_count": 20])
        #expect(other.status == 201)
        let again = try await serving.ask(.put, "/teams/1/stadium", ["seat_count": 11, "team": 1])
        #expect(again.status == 200 && again["id"] == made["id"] && again["seat_count"] == 11)
        let patched = try await serving.ask(.patch, "/teams/2/stadium", ["seat_count": 21])
        #expect(patched.status == 200 && patched["id"] == other["id"])
        #expect(try await serving.ask(.get, "/teams/1/stadium")["seat_count"] == 11)
        #expect(try await serving.ask(.delete, "/teams/1/stadium").status == 204)
        #expect(try await serving.ask(.get, "/teams/1/stadium").status == 404)
        #expect(try await serving.ask(.get, "/teams/2/stadium").status == 200)
    }

    @Test func `a field can stand for the identifier`() async throws {
        let serving = try await serving()
        let made = try await serving.ask(.post, "/stories", ["slug": "a b/c", "text": "x"])
        #expect(made.status == 201 && made["id"] == 1)
        #expect(made.headers["Location"] == "/stories/a%20b%2Fc")
        let found = try await serving.ask(.get, "/stories/a%20b%2Fc")
        #expect(found.status == 200 && found["text"] == "x")
        #expect(try await serving.ask(.get, "/stories/1").status == 404)
        let patched = try await serving.ask(.patch, "/stories/a%20b%2Fc", ["text": "y"])
        #expect(patched.status == 200 && patched["slug"] == "a b/c")
        let put = try await serving.ask(.put, "/stories/new", ["text": "z"])
        #expect(put.status == 201 && put["slug"] == "new" && put["id"] == 2)
        let again = try await serving.ask(.put, "/stories/new", ["text": "q"])
        #expect(again.status == 200 && again["slug"] == "new" && again["id"] == 2)
        #expect(try await serving.ask(.delete, "/stories/new").status == 204)
        let wrong = try await serving.ask(.put, "/stories/new", ["slug": "old"])
        #expect(wrong.status == 422 && wrong.pointers == ["/slug"])
    }

    @Test func `a class has the models of its subclasses`() async throws {
        let serving = try await serving()
        let plain = try await serving.ask(.post, "/beasts", ["id": "a", "kind": "cat"])
        #expect(plain.status == 201 && plain["_meta"] == ["revision": 1])
        let hound = try await serving.ask(
            .post,
            "/beasts",
            ["id": "b", "kind": "hound", "bark_volume": 3]
        )
        #expect(hound.status == 201 && hound["bark_volume"] == 3)
        #expect(hound["_meta"] == ["revision": 1, "type": "Hound"])
        #expect(hound.headers["Location"] == "/beasts/b")
        #expect(try await serving.ask(.get, "/beasts/b")["bark_volume"] == 3)
        #expect(try await serving.ask(.get, "/beasts/b?subclasses=false").status == 404)
        let own = try await serving.ask(.get, "/hounds/b")
        #expect(own.status == 200 && own["_meta"] == ["revision": 1, "place": 1])
        #expect(try await serving.ask(.get, "/hounds/a").status == 404)
        #expect(try await serving.ask(.get, "/beasts?sort=id").identifiers == ["a", "b"])
        #expect(try await serving.ask(.get, "/beasts?subclasses=false").identifiers == ["a"])
        #expect(try await serving.ask(.get, "/hounds").identifiers == ["b"])
        let patched = try await serving.ask(.patch, "/beasts/b", ["bark_volume": 0])
        #expect(patched.status == 422 && patched.pointers == ["/bark_volume"])
        let wrong = try await serving.ask(
            .post,
            "/beasts",
            ["id": "c", "kind": "hound", "bark_volume": "x"]
        )
        #expect(wrong.status == 422 && wrong.pointers == ["/bark_volume"])
        let first = try await serving.ask(.get, "/beasts?sort=-id&limit=1")
        guard case .string(let next)? = first["next"] else { throw CancellationError() }
        #expect(try await serving.ask(.get, next).identifiers == ["a"])
        #expect(try await serving.ask(.delete, "/beasts/b").status == 204)
        #expect(try await serving.ask(.get, "/hounds").identifiers == [])
    }

    @Test func `owners are found in their owners`() async throws {
        let serving = try Serving()
        try await serving.ask(.post, "/leagues", ["id": "l"])
        #expect(try await serving.ask(.get, "/leagues/l/teams").status == 404, "no such field")
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
        #expect(await ask(.post, "/v1/regions", #"{"id":"n/w"}"#) == 201)
        #expect(await ask(.post, "/v1/regions", #"{"id":"s"}"#) == 201)
        #expect(await ask(.post, "/v1/regions/n%2Fw/companies", #"{"id":10}"#) == 201)
        let employees = "/v1/regions/n%2Fw/companies/10/employees"
        #expect(await ask(.post, employees, #"{"id":45}"#) == 201)
        #expect(await ask(.get, employees + "/45") == 200)
        #expect(await ask(.get, "/v1/companies/10/employees/45") == 200)
        #expect(await ask(.get, "/v1/regions/s/companies/10/employees/45") == 404)
        #expect(await ask(.get, "/v1/regions/s/companies/10/employees") == 404)
        #expect(await ask(.post, "/v1/regions/s/companies/10/employees", #"{"id":46}"#) == 404)
    }
}
