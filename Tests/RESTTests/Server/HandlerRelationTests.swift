import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct HandlerRelationTests {
    func league() async throws -> Serving {
        let serving = try Serving()
        try await serving.ask(.post, "/teams", ["id": 1, "title": "Reds", "captains": ["a"]])
        try await serving.ask(.post, "/teams", ["id": 2, "title": "Blues"])
        try await serving.ask(.post, "/teams/1/players", ["id": "a", "full_name": "A"])
        try await serving.ask(.post, "/teams/2/players", ["id": "h", "full_name": "H"])
        return serving
    }

    /// A condition on captains of teams of captains.
    private func nested(_ depth: Int) -> String {
        depth == 0
            ? #"{"eq":["id",1]}"#
            : #"{"any":["captains",{"has":["team",\#(nested(depth - 1))]}]}"#
    }

    @Test func `conditions look through so many relations, and are so many`() async throws {
        let serving = try await league()
        try await expect(serving.filter("/teams", nested(1)).identifiers, equals: [1])
        let deep = try await serving.filter("/teams", nested(8))
        expect(deep.status == 400 && deep["code"] == "request")
        let good = #"{"eq":["id",1]}"#
        func or(_ count: Int) -> String {
            #"{"or":[\#(Array(repeating: good, count: count).joined(separator: ","))]}"#
        }
        try await expect(serving.filter("/teams", or(199)).identifiers, equals: [1])
        try await expect(serving.filter("/teams", or(200)).status, equals: 400)
    }

    @Test func `no condition asks about a type that is not served`() async throws {
        let serving = try Serving.of([Locker.self])
        let wrong = #"{"has":["secret",{"prefix":["code","1"]}]}"#
        let answer = try await serving.filter("/lockers", wrong)
        expect(answer.status == 400 && answer["code"] == "request")
        let inner = #"{"not":{"and":[\#(wrong)]}}"#
        try await expect(serving.filter("/lockers", inner).status, equals: 400)
        let both = try Serving.of([Locker.self, Secret.self])
        try await expect(both.filter("/lockers", wrong).status, equals: 200)
        // Models that are kept inside have no paths.
        let players = try await league()
        let bio = #"{"has":["bio",{"null":["first_line"]}]}"#
        try await expect(players.filter("/players", bio).status, equals: 200)
    }

    @Test func `PUT leaves a model with the owner in the path`() async throws {
        let serving = try await league()
        let path = "/teams/2/players/h"
        for policy in ["replace", "merge"] {
            let put = try await serving.ask(
                .put,
                path + "?on-conflict=" + policy,
                ["full_name": "HH"]
            )
            expect(put.status == 200 && put["team"] == 2 && put["full_name"] == "HH")
            let moved = try await serving.ask(
                .put,
                path + "?on-conflict=" + policy,
                ["full_name": "H", "team": 1]
            )
            expect(moved.status == 422 && moved.pointers == ["/team"])
        }
        try await expect(serving.ask(.get, path)["full_name"], equals: "HH")
    }

    @Test func `whoever moves a model has to see its new owner`() async throws {
        var serving = try await league()
        serving.handler.authorize = { access in
            access.type == Team.self ? .only(\Team.title == "Reds") : .allowed
        }
        try await expect(serving.ask(.patch, "/players/a", ["team": 2]).status, equals: 403)
        try await expect(serving.ask(.patch, "/teams/1/players/a", ["team": 2]).status, equals: 403)
        let made = try await serving.ask(.post, "/players", ["full_name": "X", "team": 2])
        expect(made.status, equals: 403)
        try await expect(serving.ask(.patch, "/players/h", ["team": 1]).status, equals: 200)
        try await expect(serving.ask(.patch, "/players/h", ["team": nil]).status, equals: 200)
        try await expect(serving.ask(.get, "/players/a")["team"], equals: 1)
        let asked = Noted<String>()
        serving.handler.authorize = { access in
            asked.note("\(access.type) \(access.action) \(access.identifier?.description ?? "")")
            return access.type == Team.self ? .notFound : .allowed
        }
        try await expect(serving.ask(.patch, "/players/a", ["team": 2]).status, equals: 403)
        expect(asked.all, equals: ["Player update a", "Team lookup 2"])
        try await expect(serving.ask(.patch, "/players/a", ["full_name": "AA"]).status, equals: 200)
    }

    @Test func `models of several owners are in the lists of each`() async throws {
        let serving = try Serving.of([Course.self, Student.self])
        try await serving.ask(.post, "/courses", ["id": 1])
        try await serving.ask(.post, "/courses", ["id": 2])
        let made = try await serving.ask(.post, "/courses/1/students", ["id": "a"])
        expect(made.status == 201 && made["courses"] == [1])
        let both = try await serving.ask(
            .post,
            "/courses/2/students",
            ["id": "b", "courses": [1, 2]]
        )
        expect(both.status == 201 && both["courses"] == [1, 2])
        let other = try await serving.ask(
            .post,
            "/courses/2/students",
            ["id": "c", "courses": [1]]
        )
        expect(other.status == 422 && other.pointers == ["/courses"])
        try await expect(serving.ask(.get, "/courses/1/students").identifiers, equals: ["a", "b"])
        try await expect(serving.ask(.get, "/courses/2/students").identifiers, equals: ["b"])
        try await expect(serving.ask(.get, "/courses/1/students/b").status, equals: 200)
        try await expect(serving.ask(.get, "/courses/2/students/a").status, equals: 404)
        let put = try await serving.ask(.put, "/courses/2/students/b?on-conflict=merge", [:])
        expect(put.status == 200 && put["courses"] == [1, 2])
    }

    @Test func `a model without an identifier is none of a foreign key`() async throws {
        let serving = try await league()
        for team: AttributeValue in [["title": "Reds"], ["id": nil, "title": "Reds"]] {
            let answer = try await serving.ask(
                .patch,
                "/players/a",
                ["team": team, "jersey_number": "x"]
            )
            expect(answer.status == 422 && answer.pointers.contains("/team"))
            expect(answer.pointers.contains("/jersey_number"))
        }
        let several = try await serving.ask(.patch, "/teams/1", ["captains": ["a", [:]]])
        expect(several.status == 422 && several.pointers == ["/captains/1"])
        try await expect(serving.ask(.get, "/players/a")["team"], equals: 1)
        let named = try await serving.ask(.patch, "/players/a", ["team": ["id": 2]])
        expect(named.status == 200 && named["team"] == 2)
    }

    @Test func `writes of a batch know nothing of each other`() async throws {
        let serving = try Serving.of([Purchase.self, PurchaseLine.self])
        func line(_ id: Int64) -> AttributeValue { ["id": .int(id), "purchase": 1] }
        for id: Int64 in 5...6 {
            try await serving.ask(.post, "/purchases", ["id": 1])
            try await expect(serving.ask(.post, "/purchase_lines", line(id)).status, equals: 201)
            let change: AttributeValue = id == 5 ? [:] : ["amount": 2]
            let answer = try await serving.ask(
                .post,
                "/batch",
                [
                    "writes": [
                        [
                            "method": "PATCH", "path": .string("/purchase_lines/\(id)"),
                            "body": change,
                        ],
                        ["method": "DELETE", "path": "/purchases/1"],
                    ]
                ]
            )
            expect(answer.status, equals: 200)
            guard case .array(let results)? = answer["results"],
                case .dictionary(let first)? = results.first,
                case .dictionary(let body)? = first["body"]
            else { throw CancellationError() }
            // As it is stored, and not as it would be without the other.
            expect(body["purchase"], equals: 1)
            let stored = try await serving.ask(.get, "/purchase_lines/\(id)")
            expect(stored.status, equals: 404, "the lines of a purchase are deleted with it")
        }
    }

    @Test func `what is set after a creation is not reported as stored`() async throws {
        let serving = try Serving.of([Purchase.self, PurchaseLine.self])
        let made = try await serving.ask(.post, "/purchase_lines", ["id": 1])
        expect(made.status == 201 && made["greeting"] ?? .null == .null)
        let stored = try await serving.ask(.get, "/purchase_lines/1")
        expect(stored.status == 200 && stored["greeting"] ?? .null == .null)
    }
}
