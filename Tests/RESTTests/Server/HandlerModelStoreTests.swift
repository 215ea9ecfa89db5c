import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitServer
import ModelKitStores
import TestSupport
import Testing

/// A store that is no store of records.
struct PlainStore: ModelStore {
    let store = MemoryModelStore()

    func create<M: Model>(_ model: M) -> Promise<M> { store.create(model) }
    func update<M: Model>(_ model: M) -> Promise<M> { store.update(model) }
    func save<M: Model>(_ model: M, onConflict: OnConflict) -> Promise<M> {
        store.save(model, onConflict: onConflict)
    }
    func delete<M: Model>(_ model: M) -> Promise<M> { store.delete(model) }
    func perform(_ writes: [ModelWrite]) -> Promise<Void> { store.perform(writes) }
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Result
    ) -> Promise<Result> { store.transaction(body) }
    func lookup<M: Model>(_ type: M.Type, identifier: Identifier) -> Promise<M> {
        store.lookup(type, identifier: identifier)
    }
    func list<M: Model>(_ type: M.Type, matching query: RecordQuery) -> Promise<[M]> {
        store.list(type, matching: query)
    }
    func page<M: Model>(_ type: M.Type, matching query: RecordQuery) -> Promise<Page<M>> {
        store.page(type, matching: query)
    }
    func observe<M: Model>(_ type: M.Type, matching query: RecordQuery) -> LiveQuery<M> {
        store.observe(type, matching: query)
    }
}

@Suite struct HandlerModelStoreTests {
    @Test func `a store of models alone counts those that it lists, and adds up nothing`()
        async throws
    {
        let store = PlainStore()
        let team = Team()
        team.id.value = 1
        team.title.value = "Reds"
        _ = try await store.create(team).value
        for number in 1...3 {
            let player = Player()
            (player.id.value, player.fullName.value) = ("\(number)", "N")
            (player.jerseyNumber.value, player.team.value) = (number, team)
            _ = try await store.create(player).value
        }
        try await expect(store.count(Player.self, where: \.jerseyNumber > 1).value, equals: 2)
        try await expect(store.count(team.players, where: \.jerseyNumber < 3).value, equals: 2)
        let grouped = await store.count(Player.self, by: \.jerseyNumber).storeError
        let sum = await store.sum(Player.self, of: \.jerseyNumber).storeError
        expect(grouped?.code == "unsupported" && sum?.code == "unsupported")
    }

    @Test func `a list of a class alone goes on behind models of its subclasses`() async throws {
        var serving = try Serving()
        serving.handler = try RESTHandler(PlainStore(), [Beast.self, Hound.self])
        for number in 1...3 {
            let hound: AttributeValue = ["id": "a\(number)", "kind": "hound", "barkVolume": 1]
            try await expect(serving.ask(.post, "/beasts", hound).status, equals: 201)
            try await expect(
                serving.ask(.post, "/beasts", ["id": "b\(number)"]).status,
                equals: 201
            )
        }
        for (target, count) in [
            ("/beasts?_count=true", 6), ("/beasts?_count=true&subclasses=false", 3),
            ("/hounds?_count=true", 3), ("/hounds?_count=true&id=a1", 1),
        ] as [(String, AttributeValue)] {
            try await expect(serving.ask(.get, target)["count"], equals: count, target)
        }
        let first = try await serving.ask(.get, "/beasts?subclasses=false&sort=id&limit=2")
        expect(first.identifiers, equals: ["b1", "b2"])
        guard case .string(let next)? = first["next"] else { throw CancellationError() }
        try await expect(serving.ask(.get, next).identifiers, equals: ["b3"])
    }

    @Test func `a store of models alone is served as well as it goes`() async throws {
        let plain = PlainStore()
        var serving = try Serving()
        serving.handler = try RESTHandler(
            plain,
            [League.self, Team.self, Player.self],
            router: Serving.router,
            context: Serving.snake
        )
        let made = try await serving.ask(.post, "/leagues", ["id": "a", "country": "it"])
        expect(made.status, equals: 201)
        let tag = made.headers["ETag"] ?? ""
        let live = try await plain.store.lookup(League.self, identifier: "a").value
        let found = try await serving.ask(.get, "/leagues/a")
        expect(found.status == 200 && found.headers["ETag"] == tag)
        let refused = try await serving.ask(.patch, "/leagues/a", ["budget": "x"])
        expect(refused.status, equals: 422)
        let patched = try await serving.ask(
            .patch,
            "/leagues/a",
            ["country": "fr"],
            ["If-Match": tag]
        )
        expect(patched.status == 200 && patched["country"] == "fr")
        expect(patched.headers["ETag"] != tag && live.country.value == "it")
        let stale = try await serving.ask(.patch, "/leagues/a", ["budget": 3], ["If-Match": tag])
        expect(stale.status == 412 && stale["code"] == "conflict")
        try await expect(serving.ask(.put, "/leagues/b", ["budget": 3]).status, equals: 201)
        try await expect(serving.ask(.put, "/leagues/b", ["budget": 4]).status, equals: 200)
        try await expect(serving.ask(.post, "/leagues", ["id": "b"]).status, equals: 409)
        let page = try await serving.ask(.get, "/leagues?sort=-id&limit=1")
        expect(page.identifiers, equals: ["b"])
        guard case .string(let next)? = page["next"] else { throw CancellationError() }
        try await expect(serving.ask(.get, next).identifiers, equals: ["a"])
        let batch = try await serving.ask(
            .post,
            "/batch",
            [
                "writes": [
                    ["method": "POST", "path": "/leagues", "body": ["id": "c"]],
                    ["method": "DELETE", "path": "/leagues/b"],
                ]
            ]
        )
        expect(batch.status, equals: 200)
        try await expect(serving.ask(.delete, "/leagues/a").status, equals: 204)
        try await expect(serving.ask(.get, "/leagues?sort=id").identifiers, equals: ["c"])
        try await expect(serving.ask(.get, "/leagues/a").status, equals: 404)
    }
}
