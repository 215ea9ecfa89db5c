import ModelKitFields
import ModelKitREST
import ModelKitServer
import ModelKitStores
import TestSupport
import Testing

/// The tags of lists, by which they are not sent twice.
@Suite struct HandlerListTagTests {
    private func serving() async throws -> Serving {
        let serving = try Serving()
        for title in ["Reds", "Blues", "Greens"] {
            try await serving.ask(.post, "/teams", ["title": .string(title)])
        }
        return serving
    }

    static let targets = [
        "/teams", "/teams?limit=2", "/teams?limit=0", "/teams?sort=-title", "/teams?title=none",
        "/teams/1/players",
    ]

    @Test(arguments: targets)
    func `a list that has not changed is not sent again`(target: String) async throws {
        let serving = try await serving()
        let first = try await serving.ask(.get, target)
        let tag = try #require(first.headers["ETag"])
        expect(first.status == 200 && tag.hasPrefix("W/\""))
        for known in [tag, "\"other\", \(tag)", String(tag.dropFirst(2)), "*"] {
            let again = try await serving.ask(.get, target, nil, ["If-None-Match": known])
            expect(again.status, equals: 304)
            expect(again.headers["ETag"], equals: tag)
            expect(again.body, equals: .null)
        }
        let head = try await serving.ask(.head, target)
        expect(head.status == 200 && head.headers["ETag"] == tag)
        let other = try await serving.ask(.get, target, nil, ["If-None-Match": "W/\"other\""])
        expect(other.status == 200 && other.body == first.body)
        let wrong = try await serving.ask(.get, target, nil, ["If-None-Match": "nonsense"])
        expect(wrong.status, equals: 400)
    }

    static let changes: [(HTTPMethod, String, AttributeValue?)] = [
        (.patch, "/teams/2", ["title": "Blue"]), (.delete, "/teams/3", nil),
        (.post, "/teams", ["title": "Yellows"]),
    ]

    @Test(arguments: changes.indices)
    func `each change of what a list says changes its tag`(index: Int) async throws {
        let serving = try await serving()
        let (method, path, body) = Self.changes[index]
        let list = try #require(try await serving.ask(.get, "/teams").headers["ETag"])
        let one = try #require(try await serving.ask(.get, "/teams?title=Reds").headers["ETag"])
        try await serving.ask(method, path, body)
        let changed = try await serving.ask(.get, "/teams", nil, ["If-None-Match": list])
        expect(changed.status == 200 && changed.headers["ETag"] != list)
        let same = try await serving.ask(.get, "/teams?title=Reds", nil, ["If-None-Match": one])
        expect(same.status, equals: 304)
    }

    @Test func `what somebody may see of a list is what its tag is of`() async throws {
        var serving = try await serving()
        let tag = try #require(try await serving.ask(.get, "/teams").headers["ETag"])
        serving.handler.authorize = { access in
            access.type == Team.self ? .only(\Team.title != "Blues") : .allowed
        }
        let seen = try await serving.ask(.get, "/teams", nil, ["If-None-Match": tag])
        expect(seen.status == 200 && seen.items.count == 2)
    }
}
