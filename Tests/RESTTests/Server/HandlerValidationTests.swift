import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

@Suite struct HandlerValidationTests {
    @Test func `broken rules are reported by the names in JSON`() async throws {
        let serving = try Serving()
        let answer = try await serving.ask(
            .post,
            "/players",
            [
                "jersey_number": 100, "bio": ["first_line": "too long"],
                "past_bios": [["first_line": "ok"], ["first_line": "too long"]],
            ]
        )
        expect(answer.status == 422 && answer["code"] == "validation")
        expect(answer["model"], equals: "Player")
        expect(
            answer.pointers.sorted(),
            equals: [
                "/bio/first_line", "/full_name", "/jersey_number", "/past_bios/1/first_line",
            ]
        )
        guard case .array(let issues)? = answer["issues"],
            case .dictionary(let issue)? = issues.first(where: {
                if case .dictionary(let members) = $0 {
                    members["pointer"] == "/bio/first_line"
                } else {
                    false
                }
            })
        else { throw CancellationError() }
        expect(issue["code"] == "maxLength" && issue["parameters"] == ["max": 5])
        expect(issue["index"], equals: nil)
        try await expect(serving.ask(.get, "/players").identifiers, equals: [])
    }

    @Test func `rules of the whole model count, also for PATCH and PUT`() async throws {
        let serving = try Serving()
        try await serving.ask(.put, "/players/p", ["full_name": "A", "jersey_number": 3])
        let patched = try await serving.ask(.patch, "/players/p", ["jersey_number": 13])
        expect(patched.status == 422 && patched.pointers == ["/jersey_number"])
        let put = try await serving.ask(.put, "/players/p", ["jersey_number": 4])
        expect(put.status == 422 && put.pointers == ["/full_name"])
        try await expect(serving.ask(.get, "/players/p")["jersey_number"], equals: 3)
    }

    @Test func `values of another kind are reported by the names in JSON`() async throws {
        let serving = try Serving()
        let answer = try await serving.ask(
            .post,
            "/players",
            [
                "full_name": 3, "joined_at": "yesterday", "nick_names": ["a", 7],
                "home_address": "Rome", "team": [], "past_bios": [["first_line": []]],
            ]
        )
        expect(answer.status, equals: 422)
        expect(
            answer.pointers.sorted(),
            equals: [
                "/full_name", "/home_address", "/joined_at", "/nick_names/1",
                "/past_bios/0/first_line", "/team",
            ]
        )
        try await serving.ask(.put, "/players/p", ["full_name": "A"])
        let patched = try await serving.ask(
            .patch,
            "/players/p",
            ["full_name": "B", "weight": "x"]
        )
        expect(patched.status == 422 && patched.pointers == ["/weight"])
        try await expect(serving.ask(.get, "/players/p")["full_name"], equals: "A")
    }

    @Test func `a refused PATCH leaves no edit in models of the same store`() async throws {
        let serving = try Serving()
        try await serving.ask(.put, "/players/p", ["full_name": "A", "jersey_number": 3])
        let live = try await serving.store.lookup(Player.self, identifier: "p").value
        try await serving.ask(.patch, "/players/p", ["full_name": "B", "jersey_number": 100])
        try await serving.ask(.patch, "/players/p", ["full_name": "B", "weight": "x"])
        expect(live.fullName.value == "A" && live.jerseyNumber.value == 3)
        // Nor is anything left to be written.
        live.weight.value = 7
        _ = try await serving.store.update(live).value
        let stored = try await serving.ask(.get, "/players/p")
        expect(stored["full_name"] == "A" && stored["weight"] == 7.0)
    }

    @Test func `every value comes back as it was sent`() async throws {
        let serving = try Serving()
        let sent: AttributeDictionary = [
            "full_name": "é\u{0}\"\\", "jersey_number": -5, "weight": .double(-0.0),
            "joined_at": "2026-01-31T12:00:00.123456Z", "nick_names": ["", "b"],
            "anything": ["$date": 1_000_000], "home_address": ["town": "Rome"],
            "bio": ["first_line": "x"], "past_bios": [["first_line": "y"]],
        ]
        try await serving.ask(.put, "/players/p", .dictionary(sent))
        let answer = try await serving.ask(.get, "/players/p")
        for (name, value) in sent { expect(same(answer[name] ?? .null, value), "\(name)") }
        let player = try await serving.store.lookup(Player.self, identifier: "p").value
        expect(player.anything.value, equals: .date(Date(timeIntervalSince1970: 1)))
    }

    @Test func `issues of a model as a whole have the empty pointer`() async throws {
        let serving = try Serving.of([Picky.self])
        let answer = try await serving.ask(.post, "/pickies", ["id": "a"])
        expect(answer.status == 422 && answer.pointers == ["", "/id"])
    }
}
