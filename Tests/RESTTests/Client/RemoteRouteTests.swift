import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

@Suite struct RemoteRouteTests {
    @Test func `a model is written below its owners, up to the depth of the router`() async throws {
        for (depth, paths) in [
            (0, ["/floors", "/desks", "/desks/d", "/desks/d"]),
            (
                1,
                [
                    "/buildings/b/floors", "/floors/f/desks", "/floors/f/desks/d",
                    "/floors/f/desks/d",
                ]
            ),
            (
                2,
                [
                    "/buildings/b/floors", "/buildings/b/floors/f/desks",
                    "/buildings/b/floors/f/desks/d", "/buildings/b/floors/f/desks/d",
                ]
            ),
        ] {
            let transport = ClosureTransport { _, _ in .value(HTTPResponse(status: 204)) }
            let store = TestAPI(transport, router: RESTRouter(maxPathDepth: depth))
            let building = Building("b")
            let floor = Floor("f", of: building)
            let desk = Desk("d", "red", of: floor)
            _ = try await store.create(floor).value
            _ = try await store.create(desk).value
            desk.label.value = "blue"
            _ = try await store.update(desk).value
            _ = try await store.delete(desk).value
            expect(transport.sent.all.map(\.target), equals: paths)
            expect(
                transport.sent.all[1].summary,
                equals: "POST \(paths[1]) {\"floor\":\"f\",\"id\":\"d\",\"label\":\"red\"}"
            )
        }
    }

    @Test(
        arguments: [
            (Employee.schema, ["company": 10], "/companies/10/employees"),
            (
                Employee.schema, ["company": ["id": 10, "region": "n"]],
                "/regions/n/companies/10/employees"
            ),
            (Employee.schema, ["company": .null], "/employees"),
            (Badge.schema, [["held", "by"]: ["id": 7]], "/holders/7/badge"),
        ] as [(ModelSchema, [FieldKey: AttributeValue], String)]
    )
    func `a record is written below the owners that its values name`(
        schema: ModelSchema,
        values: [FieldKey: AttributeValue],
        path: String
    ) async throws {
        let transport = ClosureTransport { _, _ in .value(HTTPResponse(status: 204)) }
        let store = TestAPI(transport, router: RESTRouter(maxPathDepth: 5))
        let write = RecordWrite(.create(nil, values), of: schema)
        _ = try? await store.records.perform([write]).value
        expect(transport.sent.all.map(\.target), equals: [path])
    }

    @Test func `a model that is moved is where it was until that is written`() async throws {
        let transport = ClosureTransport { _, _ in .value(HTTPResponse(status: 204)) }
        let store = TestAPI(transport)
        let building = Building("b")
        let (first, second) = (Floor("f1", of: building), Floor("f2", of: Building("b2")))
        _ = try await store.create(first).value
        let desk = Desk("d", "red", of: first)
        _ = try await store.create(desk).value
        desk.floor.value = second
        _ = try await store.update(desk).value
        desk.label.value = "blue"
        _ = try await store.update(desk).value
        // The second floor is not known to the store, but to the model.
        _ = try await store.delete(desk).value
        expect(
            transport.summaries.dropFirst(2),
            equals: [
                #"PATCH /buildings/b/floors/f1/desks/d {"floor":"f2"}"#,
                #"PATCH /buildings/b2/floors/f2/desks/d {"label":"blue"}"#,
                "DELETE /buildings/b2/floors/f2/desks/d",
            ]
        )
    }

    @Test func `a move that is refused leaves the model where it was`() async throws {
        let transport = ClosureTransport { request, number in
            .value(HTTPResponse(status: number == 2 ? 403 : 204))
        }
        let store = TestAPI(transport, router: RESTRouter())
        let desk = Desk("d", "red", of: Floor("f1", of: nil))
        _ = try await store.create(desk).value
        desk.floor.value = Floor("f2", of: nil)
        await expect(store.update(desk).storeError?.code, equals: "forbidden")
        _ = try await store.update(desk).value
        expect(transport.summaries[1], equals: transport.summaries[2])
    }

    @Test func `what a lookup has found is written below its owner`() async throws {
        let transport = ClosureTransport { request, _ in
            .value(
                request.method == .get
                    ? .json(#"{"id":"d","label":"red","floor":"f"}"#) : HTTPResponse(status: 204)
            )
        }
        let store = TestAPI(transport)
        let desk = try await store.lookup(Desk.self, identifier: "d").value
        desk.label.value = "blue"
        _ = try await store.update(desk).value
        expect(transport.sent.all.map(\.target), equals: ["/desks/d", "/floors/f/desks/d"])
    }

    @Test func `a field is listed below its model, whose its models are then`() async throws {
        let transport = ClosureTransport { request, number in
            .value(
                request.method == .get
                    ? .json(#"[{"id":"d1","label":"red"},{"id":"d2","floor":"f"}]"#)
                    : HTTPResponse(status: 204)
            )
        }
        let store = TestAPI(transport, .djangoREST)
        let floor = Floor("f", of: Building("b"))
        let desks = try await store.list(floor.desks).value
        expect(desks.map(\.floor.value?.id.value), equals: ["f", "f"])
        expect(desks[0].floor.value === floor)
        desks[0].label.value = "blue"
        _ = try await store.update(desks[0]).value
        let query = RecordQuery(filter: .compare("label", .equal, "red"))
        _ = try await store.list(floor.desks, of: floor, matching: query).value
        expect(
            transport.summaries,
            equals: [
                "GET /buildings/b/floors/f/desks",
                #"PATCH /buildings/b/floors/f/desks/d1 {"label":"blue"}"#,
                "GET /buildings/b/floors/f/desks?label=red",
            ]
        )
    }

    @Test func `a model is looked up in a field, and all of a field are deleted at once`()
        async throws
    {
        let transport = ClosureTransport { request, _ in
            switch (request.method, request.target) {
            case (.get, "/floors/f/desks/d1"): .value(.json(#"{"id":"d1","label":"red"}"#))
            case (.delete, "/floors/f/desks"): .value(HTTPResponse(status: 204))
            default: .value(HTTPResponse(status: 404))
            }
        }
        let store = TestAPI(transport, router: RESTRouter())
        let floor = Floor("f", of: nil)
        let desk = try await store.lookup("d1", in: floor.desks).value
        expect(desk.label.value == "red" && desk.floor.value === floor)
        let missing = StoreError.notFound(type: "Desk", identifier: "d2")
        await expect(store.lookup("d2", in: floor.desks).storeError, equals: missing)
        expect(floor.desks.value, equals: [desk])
        try await store.deleteAll(floor.desks).value
        expect(floor.desks.value, equals: [])
        expect(desk.floor.value, equals: nil)
        // It stands for nothing any more.
        let again = try await store.lookup("d1", in: floor.desks).value
        expect(again !== desk)
        let other = Floor("g", of: nil)
        await expect(store.deleteAll(other.desks).storeError?.code, equals: "unsupported")
    }

    @Test func `what came meanwhile to a field that is deleted stays, and all are notified`()
        async throws
    {
        let held = Noted<Resolver<HTTPResponse>>()
        let transport = ClosureTransport { request, _ in
            let (promise, resolver) = Promise<HTTPResponse>.withResolvers()
            held.note(resolver)
            return promise
        }
        let store = TestAPI(transport, router: RESTRouter())
        let changes = Noted<RecordChanges>()
        let observation = store.records.observeChanges { changes.note($0) }
        let floor = Floor("f", of: nil)
        let old = Desk("d1", "red", of: floor)
        expect(floor.desks.value, equals: [old])
        let deletion: Promise = store.deleteAll(floor.desks)
        let new = Desk("d2", "blue", of: floor)
        held.all[0].fulfill(HTTPResponse(status: 204))
        try await deletion.value
        expect(floor.desks.value, equals: [new])
        expect(new.floor.value === floor && old.floor.value == nil)
        expect(changes.all, equals: [RecordChanges([.init(type: "Desk", identifier: nil)])])
        withExtendedLifetime(observation) {}
    }

    @Test(arguments: [
        ("a/b", "/customers/a%2Fb"), ("..", "/customers/%2E%2E"), ("é", "/customers/%C3%A9"),
        ("a?b#c", "/customers/a%3Fb%23c"), ("%41", "/customers/%2541"),
        ("a b+c", "/customers/a%20b%2Bc"),
    ])
    func `an identifier is one segment`(_ identifier: String, _ path: String) async throws {
        let transport = ClosureTransport { _, _ in .value(HTTPResponse(status: 204)) }
        let store = TestAPI(transport)
        let customer = Customer(identifier, "Ada")
        _ = try await store.create(customer).value
        customer.firstName.value = "Bob"
        _ = try await store.update(customer).value
        _ = try await store.delete(customer).value
        expect(transport.sent.all.map(\.target), equals: ["/customers", path, path])
        for request in transport.sent.all { try request.check() }
    }

    @Test func `an empty identifier is refused, and nothing is sent`() async throws {
        let transport = ClosureTransport { _, _ in .value(HTTPResponse(status: 204)) }
        let store = TestAPI(transport)
        let missing = StoreError.notFound(type: "Customer", identifier: "")
        await expect(store.lookup(Customer.self, identifier: "").storeError, equals: missing)
        await expect(store.create(Customer("", "A")).storeError?.code, equals: "unsupported")
        await expect(
            store.save(Customer("", "A"), onConflict: .replace).storeError?.code,
            equals: "unsupported"
        )
        await expect(store.update(Customer("", "A")).storeError, equals: missing)
        await expect(store.delete(Customer("", "A")).storeError, equals: missing)
        let floor = Floor("", of: nil)
        await expect(store.create(Desk("d", of: floor)).storeError?.code, equals: "unsupported")
        await expect(store.list(floor.desks).storeError?.code, equals: "unsupported")
        expect(transport.sent.count, equals: 0)
    }

    @Test func `another field may stand for the identifier in paths`() async throws {
        let transport = ClosureTransport { request, _ in
            .value(
                request.method == .get || request.method == .post
                    ? .json(#"{"id":"c1","firstName":"ada"}"#) : HTTPResponse(status: 204)
            )
        }
        var router = RESTRouter()
        router.identify(Customer.self, by: "firstName")
        let store = TestAPI(transport, router: router)
        let customer = try await store.lookup(Customer.self, identifier: "ada").value
        expect(customer.id.value, equals: "c1")
        customer.firstName.value = "ada-l"
        _ = try await store.update(customer).value
        customer.age.value = 36
        _ = try await store.update(customer).value
        expect(
            transport.summaries,
            equals: [
                "GET /customers/ada", #"PATCH /customers/ada {"firstName":"ada-l"}"#,
                #"PATCH /customers/ada-l {"age":36}"#,
            ]
        )
    }

    @Test(arguments: [true, false])
    func `what stands for an identifier is what the server has`(_ isPlain: Bool) async throws {
        let transport = ClosureTransport { request, _ in
            let isOfAlbum = !request.target.contains("tracks")
            return switch request.method {
            case .get: .value(.json(isOfAlbum ? #"{"id":"a1","slug":"one"}"# : "[]"))
            case .post where isOfAlbum: .value(.json(#"{"id":"a2","slug":"made"}"#, 201))
            default: .value(HTTPResponse(status: 204))
            }
        }
        var router = RESTRouter(maxPathDepth: 2)
        router.identify(Album.self, by: "slug")
        let store = TestAPI(transport, isPlain ? .plain : .djangoREST, router: router)
        let album = try await store.lookup(Album.self, identifier: "one").value
        let track = Track("t", of: album)
        _ = try await store.create(track).value
        // What is not written yet is no path.
        album.slug.value = "two"
        track.title.value = "x"
        _ = try await store.update(track).value
        _ = try? await store.list(album.tracks).value
        _ = try await store.update(album).value
        track.title.value = "y"
        _ = try await store.update(track).value
        let made = Album()
        made.id.value = "a2"
        made.slug.value = "mine"
        _ = try await store.create(made).value
        made.title.value = "z"
        _ = try await store.update(made).value
        expect(
            transport.sent.all.map { "\($0.method) \($0.target)" },
            equals: [
                "GET /albums/one", "POST /albums/one/tracks", "PATCH /albums/one/tracks/t",
                "GET /albums/one/tracks", "PATCH /albums/one", "PATCH /albums/two/tracks/t",
                "POST /albums", "PATCH /albums/made",
            ]
        )
    }

    @Test func `paths end with a slash where the router says so`() async throws {
        let transport = ClosureTransport { _, _ in .value(HTTPResponse(status: 204)) }
        var router = RESTRouter()
        router.hasTrailingSlash = true
        router.prefix = "api"
        let store = TestAPI(transport, .djangoREST, router: router)
        let customer = Customer("c1", "Ada")
        _ = try await store.create(customer).value
        _ = try await store.delete(customer).value
        expect(transport.sent.all.map(\.target), equals: ["/api/customers/", "/api/customers/c1/"])
    }
}
