import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitSQL
import ModelKitServer
import ModelKitStores
import Testing

/// Identifiers that clients give to new models.
@Suite struct HandlerIdentifierTests {
    enum Kind: CaseIterable {
        case memory, sqlite

        func serving() throws -> Serving {
            switch self {
            case .memory: try Serving(MemoryModelStore())
            case .sqlite: try Serving(SQLiteModelStore.inMemory())
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `one record with the greatest number does not lock its type`(kind: Kind) async throws {
        let serving = try kind.serving()
        let greatest: AttributeValue = ["id": .int(.max), "title": "Last"]
        #expect(try await serving.ask(.post, "/teams", greatest).status == 201)
        let next = try await serving.ask(.post, "/teams", ["title": "Reds"])
        #expect(next.status == 201)
        #expect(next["id"] == 1)
        #expect(try await serving.ask(.delete, "/teams/\(Int64.max)").status == 204)
        #expect(try await serving.ask(.post, "/teams", ["title": "Blues"])["id"] == 2)
        #expect(
            try await serving.ask(.put, "/teams/\(Int64.max - 1)", ["title": "X"]).status == 201
        )
        let team = Team()
        team.title.value = "Greens"
        #expect(try await serving.store.create(team).value.id.value == 3)
    }

    @Test func `numbers that are used up are the server's failure`() async throws {
        let handler = try RESTHandler(MemoryModelStore(), [Tiny.self])
        func create(_ json: String) async -> HTTPResponse {
            await handler.handle(HTTPRequest(.post, "/tinies", body: Data(json.utf8)))
        }
        #expect(await create(#"{"id": 63}"#).status == 201)
        for _ in 64...127 { #expect(await create("{}").status == 201) }
        let answer = await create("{}")
        #expect(answer.status == 503)
        #expect(String(decoding: answer.body, as: UTF8.self).contains(#""outcome":"notApplied""#))
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
            #expect(answer.status == (isRefused ? 422 : path == "/teams/1" ? 200 : 201))
            #expect(answer.pointers == (isRefused ? ["/id"] : []))
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
        #expect(batch.status == 422)
        #expect(batch["index"] == 1)
        #expect(batch.pointers == ["/id"])
        #expect(try await serving.store.list(Team.self).value.count == 3)
    }

    @Test func `who may give identifiers is a question of the request, too`() async throws {
        var serving = try Serving()
        serving.handler.acceptsIdentifiers = { $0.request.headers["X-Role"] == "importer" }
        let body: AttributeValue = ["id": 7, "title": "Reds"]
        #expect(try await serving.ask(.post, "/teams", body).status == 422)
        let role: HTTPHeaders = ["X-Role": "importer"]
        #expect(try await serving.ask(.post, "/teams", body, role).status == 201)
    }
}

final class Tiny: Model {
    let id = Field<Int8>()
}
