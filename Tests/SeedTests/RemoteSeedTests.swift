// What the ModelKit text and its library say of remote stores and routers: every hook and every route by
// its name.
//
// Changed because Swift 3 became Swift 6:
// - a store is a class of one's own that conforms to `RemoteModelStore`, which was a base class;
// - `serializeModel` and `deserializeModel` get the object that would be sent, or that was sent;
// - paths begin with a slash, as they do in the text.

import Foundation
import ModelKit
import ModelKitREST
import TestSupport
import Testing

@Suite struct RemoteSeedTests {
    // MARK: RemoteModelStore

    final class Person: Model {
        let id = Field<String>()
        let firstName = Field<String>()
        let nickName = Field<String>()
        let employer = ModelField<Employer>(foreignKey: true)
        init() { linkFields() }
    }

    final class Employer: Model {
        let id = Field<String>()
        let people = ModelField<Person>(inverse: \.employer)*
        init() { linkFields() }
    }

    final class PeopleServer: RemoteModelStore {
        let session = StoreSession()
        let origin = "https://example.com"
        let seen = Seen<String>()
        let transport: any HTTPTransport
        let router = RESTRouter()
        let valueTransformerContext: ValueTransformerContext

        init(explicitNull: Bool = false, _ answers: [String: String]) {
            valueTransformerContext = ValueTransformerContext(
                name: "people",
                keyCase: .snake,
                explicitNull: explicitNull
            )
            let seen = seen
            transport = MemoryTransport { request in
                let line = "\(request.method) \(request.target)"
                let body = String(decoding: request.body ?? Data(), as: UTF8.self)
                seen.add("\(line) \(request.headers["X-Client"] ?? "") \(body)")
                let answer = answers[line]
                return HTTPResponse(
                    status: answer == nil ? 404 : 200,
                    body: Data((answer ?? #"{"title":"none"}"#).utf8)
                )
            }
        }

        var lines: [String] { seen.values.compactMap { $0 } }

        var defaultHeaders: HTTPHeaders { ["X-Client": "seed"] }

        func restoreSession() -> Promise<Void> {
            seen.add("restoreSession")
            return .value(())
        }

        func encodingForMethod(_ method: HTTPMethod) -> RESTEncoding { .json }

        func serializeModel(
            _ type: any Model.Type,
            as object: AttributeDictionary
        ) throws -> AttributeDictionary {
            object.merging(["serialized": true]) { $1 }
        }

        func formatPayload(
            _ payload: AttributeDictionary,
            of type: any Model.Type
        ) -> AttributeDictionary {
            payload.merging(["formatted": true]) { $1 }
        }

        func constructResponse(
            _ response: HTTPResponse,
            to request: HTTPRequest
        ) throws -> RESTResponse {
            var answer = RESTResponse(response)
            if response.status == 404 {
                answer.error = .validation([Issue(code: "gone", message: "is gone")])
            }
            return answer
        }

        func deserializeModel(
            _ type: any Model.Type,
            from object: AttributeDictionary
        ) throws -> AttributeDictionary {
            object.merging(["nick_name": "Countess"]) { $1 }
        }

        func handleError(_ error: StoreError, of request: HTTPRequest?) {
            seen.add("handleError \(error.issues.map(\.code))")
        }
    }

    private static let ada = #"{"id":"p1","first_name":"Ada"}"#

    @Test
    func
        `a request restores the session and has the default headers, the payload what the hooks say`()
        async throws
    {
        let store = PeopleServer(["POST /people": Self.ada])
        let person = Person()
        person.id.value = "p1"
        person.firstName.value = "Ada"
        let created = try await store.create(person).value
        expect(created.nickName.value, equals: "Countess")
        expect(
            store.lines,
            equals: [
                "restoreSession",
                #"POST /people seed {"first_name":"Ada","formatted":true,"id":"p1","serialized":true}"#,
            ]
        )
    }

    @Test func `each verb has its method and path`() async throws {
        let store = PeopleServer([
            "GET /people/p1": Self.ada, "GET /people": "[\(Self.ada)]",
            "PATCH /people/p1": Self.ada, "DELETE /people/p1": "",
        ])
        let person = try await store.lookup(Person.self, identifier: "p1").value
        try await expect(store.list(Person.self).value, equals: [person])
        person.firstName.value = "Augusta"
        _ = try await store.update(person).value
        _ = try await store.delete(person).value
        let lines = store.lines.filter { $0 != "restoreSession" }
        expect(
            lines.map { $0.prefix { $0 != "{" } },
            equals: [
                "GET /people/p1 seed ", "GET /people seed ", "PATCH /people/p1 seed ",
                "DELETE /people/p1 seed ",
            ]
        )
    }

    @Test func `the models of a field are listed and deleted below its model`() async throws {
        let store = PeopleServer([
            "GET /employers/e1": #"{"id":"e1"}"#, "GET /employers/e1/people": "[\(Self.ada)]",
            "DELETE /employers/e1/people": "",
        ])
        let employer = try await store.lookup(Employer.self, identifier: "e1").value
        try await expect(store.list(employer.people).value.map(\.id.value), equals: ["p1"])
        try await store.deleteAll(employer.people).value
        expect(store.lines.last, equals: "DELETE /employers/e1/people seed ")
    }

    @Test func `an error that constructResponse gives goes to handleError and to the promise`()
        async throws
    {
        let store = PeopleServer([:])
        await #expect(throws: StoreError.validation([Issue(code: "gone", message: "is gone")])) {
            try await store.list(Person.self).value
        }
        expect(store.lines.last, equals: #"handleError ["gone"]"#)
    }

    @Test(arguments: [
        (false, #"{"first_name":"Ada","formatted":true,"id":"p1","serialized":true}"#),
        (
            true,
            #"{"first_name":"Ada","formatted":true,"id":"p1","nick_name":null,"serialized":true}"#
        ),
    ]) func `the context decides whether keys for null values are included`(
        _ explicitNull: Bool,
        _ body: String
    ) async throws {
        let store = PeopleServer(explicitNull: explicitNull, ["POST /people": Self.ada])
        let person = Person()
        person.id.value = "p1"
        person.firstName.value = "Ada"
        person.nickName.value = nil
        _ = try await store.create(person).value
        expect(store.lines.last, equals: "POST /people seed \(body)")
    }

    // MARK: RESTRouter

    final class Group: Model {
        let id = Field<String>()
        let contents = ModelField<Entity>(inverse: \.group)*
        init() { linkFields() }
    }

    final class Entity: Model, HasOwnerField {
        let id = Field<String>()
        let group = ModelField<Group>()
        let possessions = ModelField<Possession>(inverse: \.entity)*
        var ownerField: ModelField<Group> { group }
        init() { linkFields() }
    }

    final class Possession: Model, HasOwnerField {
        let id = Field<String>()
        let entity = ModelField<Entity>()
        var ownerField: ModelField<Entity> { entity }
        init() { linkFields() }
    }

    private let possession: Possession = {
        let (group, entity, possession) = (Group(), Entity(), Possession())
        (group.id.value, entity.id.value, possession.id.value) = ("g1", "e1", "p1")
        entity.group.value = group
        possession.entity.value = entity
        return possession
    }()

    @Test func `paths of collections and instances`() throws {
        let router = RESTRouter()
        let person = Person()
        person.id.value = "45"
        expect(router.collectionPath(for: Person.self), equals: "/people")
        expect(router.path(to: Person.self), equals: "/people")
        try expect(router.instancePath(for: person), equals: "/people/45")
        try expect(router.path(to: person), equals: "/people/45")
    }

    @Test(arguments: [
        (0, "/possessions/p1"), (1, "/entities/e1/possessions/p1"),
        (2, "/groups/g1/contents/e1/possessions/p1"),
    ]) func `nested routes go as deep as they are asked to`(_ depth: Int, _ path: String) throws {
        let router = RESTRouter()
        try expect(router.instancePath(for: possession, maxDepth: depth), equals: path)
        try expect(
            router.collectionPath(for: possession, maxDepth: depth),
            equals: String(path.dropLast(3))
        )
        let other = RESTRouter(maxPathDepth: depth)
        try expect(other.instancePath(for: possession), equals: path)
    }

    @Test func `fields, and models in fields, have the path of their owner before them`() throws {
        let router = RESTRouter()
        let entity = try #require(possession.entity.value)
        try expect(router.path(to: entity.possessions), equals: "/entities/e1/possessions")
        try expect(
            router.path(to: possession, in: entity.possessions),
            equals: "/entities/e1/possessions/p1"
        )
    }

    @Test func `route and unroute say under which name`() {
        var router = RESTRouter()
        router.route(Person.self, to: "members")
        expect(router.collectionPath(for: Person.self), equals: "/members")
        router.unroute(Person.self)
        expect(router.collectionPath(for: Person.self), equals: "/people")
    }
}
