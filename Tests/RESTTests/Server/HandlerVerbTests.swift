import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import TestSupport
import Testing

@Suite struct HandlerVerbTests {
    @Test func `POST creates a model and answers with it`() async throws {
        let serving = try Serving()
        let answer = try await serving.ask(.post, "/leagues", ["id": "a/b", "country": "it"])
        expect(answer.status, equals: 201)
        expect(answer.headers["Location"], equals: "/leagues/a%2Fb")
        expect(answer.headers["ETag"], equals: "\"1\"")
        expect(answer.headers["Content-Type"], equals: "application/json")
        expect(
            answer.body,
            equals: [
                "id": "a/b", "country": "it", "budget": nil, "_meta": ["revision": 1],
            ]
        )
        let league = try await serving.store.lookup(League.self, identifier: "a/b").value
        expect(league.country.value, equals: "it")
    }

    @Test func `POST without an identifier is given one`() async throws {
        let serving = try Serving()
        let team = try await serving.ask(.post, "/teams", ["title": "Reds"])
        expect(team.status == 201 && team["id"] == 1)
        expect(team.headers["Location"], equals: "/teams/1")
        let league = try await serving.ask(.post, "/leagues", [:])
        guard case .string(let id)? = league["id"] else { throw CancellationError() }
        expect(UUID(uuidString: id) != nil)
        expect(league.headers["Location"], equals: "/leagues/\(id)")
    }

    @Test func `POST of an identifier that is taken is 409`() async throws {
        let serving = try Serving()
        try await serving.ask(.post, "/leagues", ["id": "a"])
        let answer = try await serving.ask(.post, "/leagues", ["id": "a"])
        expect(answer.status, equals: 409)
        expect(answer.headers["Content-Type"], equals: "application/problem+json")
        expect(
            answer.body,
            equals: [
                "status": 409, "title": "Conflict", "code": "alreadyExists", "model": "League",
                "identifier": "a",
            ]
        )
    }

    @Test func `a unique value that is taken is 409 with its field`() async throws {
        let serving = try Serving()
        try await serving.ask(.post, "/players", ["id": "a", "full_name": "A", "email": "x"])
        let answer = try await serving.ask(
            .post,
            "/players",
            ["id": "b", "full_name": "B", "email": "x"]
        )
        expect(answer.status == 409 && answer["field"] == ["email"])
        expect(answer["identifier"], equals: "a")
    }

    @Test func `GET gives a model with its revision and place`() async throws {
        let serving = try Serving()
        try await serving.ask(.post, "/leagues", ["id": "a"])
        let answer = try await serving.ask(.get, "/leagues/a")
        expect(answer.status, equals: 200)
        expect(answer.headers["ETag"], equals: "\"1\"")
        expect(
            answer.body,
            equals: [
                "id": "a", "country": nil, "budget": nil, "_meta": ["revision": 1, "place": 1],
            ]
        )
        let head = try await serving.ask(.head, "/leagues/a")
        expect(head.status == 200 && head.headers["ETag"] == "\"1\"" && head.body == .null)
    }

    @Test func `what is not there is 404`() async throws {
        let serving = try Serving()
        for method in [HTTPMethod.get, .head, .patch, .delete] {
            let body: AttributeValue? = method == .patch ? [:] : nil
            let answer = try await serving.ask(method, "/leagues/none", body)
            expect(answer.status, equals: 404)
            if method == .head { continue }
            expect(
                answer.body,
                equals: [
                    "status": 404, "title": "Not Found", "code": "notFound", "model": "League",
                    "identifier": "none",
                ]
            )
        }
        for path in ["/", "/nothing", "/leagues/a/b", "/teams/x", "/teams/01", "leagues", "", "*"] {
            let answer = try await serving.ask(.get, path)
            expect(answer.status == 404 && answer["code"] == "noRoute", "\(path)")
        }
    }

    @Test func `PATCH sets what is there, and null is nil`() async throws {
        let serving = try Serving()
        try await serving.ask(
            .post,
            "/leagues",
            ["id": "a", "country": "it", "budget": 3]
        )
        let answer = try await serving.ask(.patch, "/leagues/a", ["country": nil, "other": 3])
        expect(answer.status, equals: 200)
        expect(answer.headers["ETag"], equals: "\"2\"")
        expect(answer.headers["Location"], equals: nil)
        expect(
            answer.body,
            equals: [
                "id": "a", "country": nil, "budget": 3.0, "_meta": ["revision": 2, "place": 1],
            ]
        )
        let stored = try await serving.ask(.get, "/leagues/a")
        expect(stored.body, equals: answer.body)
    }

    @Test func `PATCH of nothing writes nothing`() async throws {
        let serving = try Serving()
        try await serving.ask(.post, "/leagues", ["id": "a"])
        let answer = try await serving.ask(.patch, "/leagues/a", ["_meta": ["revision": 7]])
        expect(answer.status == 200 && answer.headers["ETag"] == "\"1\"")
    }

    @Test func `PATCH cannot give another identifier`() async throws {
        let serving = try Serving()
        try await serving.ask(.post, "/leagues", ["id": "a"])
        let same = try await serving.ask(.patch, "/leagues/a", ["id": "a", "country": "fr"])
        expect(same.status, equals: 200)
        let answer = try await serving.ask(.patch, "/leagues/a", ["id": "b"])
        expect(answer.status == 400 && answer["code"] == "unsupported")
    }

    @Test func `PUT creates or replaces`() async throws {
        let serving = try Serving()
        let made = try await serving.ask(.put, "/players/p", ["full_name": "A", "weight": 3])
        expect(made.status == 201 && made["id"] == "p" && made["is_active"] == true)
        expect(made.headers["Location"] == "/players/p" && made.headers["ETag"] == "\"1\"")
        let replaced = try await serving.ask(.put, "/players/p", ["full_name": "B", "id": "p"])
        expect(replaced.status == 200 && replaced.headers["ETag"] == "\"2\"")
        expect(replaced["full_name"] == "B" && replaced["weight"] == .null)
        expect(replaced["is_active"], equals: true)
    }

    @Test func `PUT does what is said for the case that there is one`() async throws {
        let serving = try Serving()
        try await serving.ask(.put, "/players/p?on-conflict=fail", ["full_name": "A", "weight": 3])
        let failed = try await serving.ask(.put, "/players/p?on-conflict=fail", ["full_name": "B"])
        expect(failed.status == 409 && failed["code"] == "alreadyExists")
        let merged = try await serving.ask(
            .put,
            "/players/p?on-conflict=merge",
            ["full_name": "B", "town": 3]
        )
        expect(merged.status == 200 && merged["full_name"] == "B" && merged["weight"] == 3.0)
        let odd = try await serving.ask(.put, "/players/p?on-conflict=maybe", ["full_name": "B"])
        expect(odd.status == 400 && odd["detail"] == "on-conflict: must be fail, replace or merge")
        let none = try await serving.ask(
            .put,
            "/players/q",
            ["full_name": "B"],
            ["If-Match": "*"]
        )
        expect(none.status, equals: 412)
    }

    @Test func `PUT of another identifier than that of the path is refused`() async throws {
        let serving = try Serving()
        let new = try await serving.ask(.put, "/players/p", ["full_name": "A", "id": "q"])
        expect(new.status == 422 && new.pointers == ["/id"])
        try await serving.ask(.put, "/players/p", ["full_name": "A"])
        let old = try await serving.ask(.put, "/players/p", ["full_name": "A", "id": "q"])
        expect(old.status == 422 && old.pointers == ["/id"])
    }

    @Test func `DELETE removes a model`() async throws {
        let serving = try Serving()
        try await serving.ask(.post, "/leagues", ["id": "a"])
        let answer = try await serving.ask(.delete, "/leagues/a")
        expect(answer.status == 204 && answer.body == .null)
        expect(answer.headers["ETag"], equals: nil)
        try await expect(serving.ask(.get, "/leagues/a").status, equals: 404)
        try await expect(serving.ask(.delete, "/leagues/a").status, equals: 404)
    }

    @Test func `GET of a collection gives pages`() async throws {
        let serving = try Serving()
        for number in 1...5 { try await serving.ask(.post, "/leagues", ["id": "\(number)"]) }
        let first = try await serving.ask(.get, "/leagues?limit=2&sort=-id")
        expect(first.status == 200 && first.identifiers == ["5", "4"])
        expect(first.headers["Content-Type"], equals: "application/json")
        guard case .string(let next)? = first["next"] else { throw CancellationError() }
        expect(next.hasPrefix("/leagues?limit=2&sort=-id&after="))
        expect(first.headers["Link"], equals: "<\(next)>; rel=\"next\"")
        let second = try await serving.ask(.get, next)
        expect(second.identifiers, equals: ["3", "2"])
        guard case .string(let last)? = second["next"] else { throw CancellationError() }
        let third = try await serving.ask(.get, last)
        expect(third.identifiers == ["1"] && third["next"] == nil)
        expect(third.headers["Link"], equals: nil)
        let head = try await serving.ask(.head, "/leagues?limit=2&sort=-id")
        expect(head.status == 200 && head.headers["Link"] != nil && head.body == .null)
        try await expect(serving.ask(.get, "/leagues?limit=0").body, equals: ["items": []])
    }

    @Test func `other methods are 405 with those that there are`() async throws {
        let serving = try Serving()
        let instance = "GET, HEAD, PATCH, PUT, DELETE, OPTIONS"
        let all: [(HTTPMethod, String, String)] = [
            (.post, "/leagues/a", instance), (.delete, "/leagues", "GET, HEAD, POST, OPTIONS"),
            (.patch, "/leagues", "GET, HEAD, POST, OPTIONS"),
            (HTTPMethod(rawValue: "TRACE"), "/leagues", "GET, HEAD, POST, OPTIONS"),
            (HTTPMethod(rawValue: "get"), "/leagues/a", instance),
            (HTTPMethod(rawValue: ""), "/leagues/a", instance), (.get, "/batch", "POST, OPTIONS"),
            (.post, "/teams/1/stadium", instance),
        ]
        for (method, path, allowed) in all {
            let answer = try await serving.ask(method, path)
            expect(answer.status == 405 && answer["code"] == "method", "\(method) \(path)")
            expect(answer.headers["Allow"], equals: allowed)
            let options = try await serving.ask(.options, path)
            expect(options.status == 204 && options.headers["Allow"] == allowed)
            expect(
                options.headers["Accept-Patch"],
                equals: (allowed == instance
                    ? "application/json, application/merge-patch+json" : nil)
            )
        }
    }

    @Test func `a PATCH may be a merge patch, and nothing else may`() async throws {
        let serving = try Serving()
        _ = try await serving.ask(.post, "/leagues", ["id": "a"])
        for type in [
            "application/merge-patch+json", "Application/Merge-Patch+JSON; charset=utf-8",
            "application/json",
        ] {
            let headers: HTTPHeaders = ["Content-Type": type]
            let answer = try await serving.ask(.patch, "/leagues/a", ["country": "A"], headers)
            expect(answer.status == 200 && answer["country"] == "A", "\(type)")
            let none = try await serving.ask(.patch, "/leagues/a", ["country": nil], headers)
            expect(none.status == 200 && none["country"] == .null, "\(type)")
        }
        let types = "application/json, application/merge-patch+json"
        for type in ["application/json-patch+json", "application/merge-patch+json; charset=latin1"]
        {
            let headers: HTTPHeaders = ["Content-Type": type]
            let answer = try await serving.ask(.patch, "/leagues/a", [:], headers)
            expect(answer.status == 415 && answer.headers["Accept-Patch"] == types)
        }
        let put = try await serving.ask(
            .put,
            "/leagues/a",
            [:],
            ["Content-Type": "application/merge-patch+json"]
        )
        expect(put.status, equals: 415)
    }

    @Test func `a body has to be JSON in UTF-8`() async throws {
        let serving = try Serving()
        for type in [
            "text/plain", "application/json; charset=latin1", "application/merge-patch+json", "",
        ] {
            let answer = try await serving.ask(.post, "/leagues", [:], ["Content-Type": type])
            expect(answer.status == 415 && answer["code"] == "mediaType", "\(type)")
            expect(answer.headers["Accept-Post"], equals: "application/json")
        }
        for type in [
            "application/json", "Application/JSON ; charset=\"UTF-8\"",
        ] {
            let answer = try await serving.ask(.post, "/leagues", [:], ["Content-Type": type])
            expect(answer.status, equals: 201, "\(type)")
        }
        let packed = try await serving.ask(.post, "/leagues", [:], ["Content-Encoding": "gzip"])
        expect(packed.status, equals: 415)
        for text in ["", "{", "[]", "3", "null", #"{"id":"a","id":"b"}"#, "{\"id\":\"\u{7}\"}"] {
            let request = HTTPRequest(.post, "/leagues", body: Data(text.utf8))
            let response = await serving.handler.handle(request)
            expect(response.status, equals: 400, "\(text)")
            expect(String(decoding: response.body, as: UTF8.self).contains("body: "), "\(text)")
        }
        let missing = await serving.handler.handle(HTTPRequest(.post, "/leagues"))
        expect(missing.status, equals: 400)
    }

    @Test func `a type with a field that is called as the note is refused`() {
        #expect(throws: StoreError.self) { try RESTHandler(MemoryModelStore(), [Annotated.self]) }
        #expect(throws: StoreError.self) { try RESTHandler(MemoryModelStore(), [Nameless.self]) }
    }

    @Test func `a prefix is before everything, the batch too`() async throws {
        var router = RESTRouter()
        router.prefix = "api/v1"
        router.hasTrailingSlash = true
        let serving = try Serving(router: router)
        let answer = try await serving.ask(.post, "/api/v1/leagues/", ["id": "a"])
        expect(answer.status == 201 && answer.headers["Location"] == "/api/v1/leagues/a/")
        try await expect(serving.ask(.get, "/api/v1/leagues/a").status, equals: 200)
        try await expect(serving.ask(.get, "/leagues/a").status, equals: 404)
        let batch = try await serving.ask(.post, "/api/v1/batch/", ["writes": []])
        expect(batch.status == 200 && batch.body == ["results": []])
    }

    @Test func `a suffix is at the end of every path, but for batches`() async throws {
        var router = RESTRouter()
        router.suffix = ".json"
        let serving = try Serving(router: router)
        let made = try await serving.ask(.post, "/leagues.json", ["id": "a.json"])
        expect(made.status == 201 && made.headers["Location"] == "/leagues/a.json.json")
        let found = try await serving.ask(.get, "/leagues/a.json.json")
        expect(found.status == 200 && found["id"] == "a.json")
        for path in ["/leagues", "/leagues/a.json", "/leagues/a"] {
            try await expect(serving.ask(.get, path).status, equals: 404, "\(path)")
        }
        _ = try await serving.ask(.post, "/leagues.json", ["id": "b"])
        let list = try await serving.ask(.get, "/leagues.json?limit=1&sort=id")
        guard case .string(let next)? = list["next"] else { throw CancellationError() }
        try await expect(serving.ask(.get, next).identifiers, equals: ["b"])
        let batch = try await serving.ask(
            .post,
            "/batch",
            ["writes": [["method": "DELETE", "path": "/leagues/a.json.json"]]]
        )
        expect(batch.status, equals: 200)
    }

    @Test func `a handler is a transport`() async throws {
        let serving = try Serving()
        let request = HTTPRequest(.post, "http://x", "/leagues", body: Data(#"{"id":"a"}"#.utf8))
        let response = try await serving.handler.send(request, HTTPLimits(deadline: nil)).value
        expect(response.status, equals: 201)
        let odd = HTTPRequest(.get, "http://x", "/a b")
        await #expect(throws: HTTPFailure.self) {
            try await serving.handler.send(odd, HTTPLimits(deadline: nil)).value
        }
        let large = serving.handler.send(
            HTTPRequest(.get, "http://x", "/leagues"),
            HTTPLimits(deadline: nil, responseSize: 3)
        )
        await #expect(throws: HTTPFailure(.tooLarge(limit: 3), mayBeSent: true)) {
            try await large.value
        }
    }
}
