import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitSQL
import ModelKitServer
import ModelKitStores
import TestSupport
import Testing

/// Identifiers that clients give to new models.
@Suite struct HandlerIdentifierTests {
    enum Kind: CaseIterable {
        case memory, sqlite

        func serving() throws -> Serving {
            switch self {
            case .memory: try Serving(MemoryModelStore())
            case .sqlite: try Serving(SQLiteModelStore(path: ":memory:"))
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `one record with the greatest number does not lock its type`(kind: Kind) async throws {
        let serving = try kind.serving()
        let greatest: AttributeValue = ["id": .int(.max), "title": "Last"]
        try await expect(serving.ask(.post, "/teams", greatest).status, equals: 201)
        let next = try await serving.ask(.post, "/teams", ["title": "Reds"])
        expect(next.status, equals: 201)
        expect(next["id"], equals: 1)
        try await expect(serving.ask(.delete, "/teams/\(Int64.max)").status, equals: 204)
        try await expect(serving.ask(.post, "/teams", ["title": "Blues"])["id"], equals: 2)
        try await expect(
            serving.ask(.put, "/teams/\(Int64.max - 1)", ["title": "X"]).status,
            equals: 201
        )
        let team = Team()
        team.title.value = "Greens"
        try await expect(serving.store.create(team).value.id.value, equals: 3)
    }

    @Test func `numbers that are used up are the server's failure`() async throws {
        let handler = try RESTHandler(MemoryModelStore(), [Tiny.self])
        func create(_ json: String) async -> HTTPResponse {
            await handler.handle(HTTPRequest(.post, "/tinies", body: Data(json.utf8)))
        }
        await expect(create(#"{"id": 63}"#).status, equals: 201)
        for _ in 64...127 { await expect(create("{}").status, equals: 201) }
        let answer = await create("{}")
        expect(answer.status, equals: 503)
        expect(String(decoding: answer.body, as: UTF8.self).contains(#""outcome":"notApplied""#))
    }

    static let given: [(HTTPMethod, String, AttributeValue, isRefused: Bool)] = [
        (.post, "/teams", ["id": 7, "title": "Reds"], true),
        (.put, "/teams/7", ["title": "Reds"], true),
        (.post, "/teams", ["title": "Reds"], false),
        (.post, "/teams", ["id": nil, "title": "Reds"], false),
        (.put, "/teams/1", ["title": "Blues"], false),
        (.put, "/stories/a", ["text": "by its slug"], false),
        (.post, "/leagues", ["id": "it", "country": "it"], false),
    ]

    @Test func `a handler may refuse identifiers that clients give, by type`() async throws {
        var serving = try Serving()
        serving.handler.acceptsIdentifiers = { $0.type == League.self }
        _ = try await serving.ask(.post, "/teams", ["title": "First"])
        for (method, path, body, isRefused) in Self.given {
            let answer = try await serving.ask(method, path, body)
            expect(answer.status, equals: (isRefused ? 422 : path == "/teams/1" ? 200 : 201))
            expect(answer.pointers, equals: (isRefused ? ["/id"] : []))
        }
        let batch = try await serving.ask(
            .post,
            "/batch",
            [
                "writes": [
                    ["method": "POST", "path": "/teams", "body": ["title": "A"]],
                    ["method": "POST", "path": "/teams", "body": ["id": 9, "title": "B"]],
                ]
            ]
        )
        expect(batch.status, equals: 422)
        expect(batch["index"], equals: 1)
        expect(batch.pointers, equals: ["/id"])
        try await expect(serving.store.list(Team.self).value.count, equals: 3)
    }

    @Test func `who may give identifiers is a question of the request, too`() async throws {
        var serving = try Serving()
        serving.handler.acceptsIdentifiers = { $0.request.headers["X-Role"] == "importer" }
        let body: AttributeValue = ["id": 7, "title": "Reds"]
        try await expect(serving.ask(.post, "/teams", body).status, equals: 422)
        let role: HTTPHeaders = ["X-Role": "importer"]
        try await expect(serving.ask(.post, "/teams", body, role).status, equals: 201)
    }
}

final class Tiny: Model {
    let id = Field<Int8>()
}
