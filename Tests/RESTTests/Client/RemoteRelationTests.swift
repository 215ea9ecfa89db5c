import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// Loaded relations of a client, and what a server does of which nobody notifies it.
@Suite struct RemoteRelationTests {
    final class Shop: Model {
        let id = Field<Int>()
        let goods = ModelField<Item>(inverse: \.shop)*
        init() { linkFields() }
    }

    final class Item: Model {
        let id = Field<Int>()
        let name = Field<String>()
        let shop = ModelField<Shop>(foreignKey: true)
        init() { linkFields() }
    }

    /// A server with two shops, of which each has an item.
    private func server() async throws -> (store: MemoryModelStore, api: ServedAPI) {
        let store = MemoryModelStore()
        for number in 1...2 {
            let (shop, item) = (Shop(), Item())
            (shop.id.value, item.id.value, item.shop.value) = (number, 10 + number, shop)
            try await store.perform([.create(shop), .create(item)])
        }
        return (store, try ServedAPI(store, [Shop.self, Item.self]))
    }

    @Test func `a client that has loaded a relation is freed`() async throws {
        let server = try await server()
        weak var session: StoreSession?
        do {
            let api = try ServedAPI(server.store, [Shop.self, Item.self])
            session = api.session
            let shop = try await api.lookup(Shop.self, identifier: 1)
            _ = try await api.load(shop, \.goods)
            shop.goods.value?.first?.name.value = "edited"
            _ = try await api.save(shop, including: \.goods)
            expect(session != nil)
        }
        var tries = 0
        while session != nil, tries < 500 {
            tries += 1
            try await Task.sleep(for: .milliseconds(10))
        }
        expect(session == nil)
    }

    @Test func `the loss of an owner that a member had by an edit alone is an edit`() async throws {
        let (store, api) = try await server()
        let shops = try await api.list(Shop.self, including: \.goods)
        let item = try #require(shops[1].goods.value?.first)
        item.shop.value = shops[0]
        _ = try await api.delete(shops[0])
        expect(item.shop.value, equals: nil)
        _ = try await api.update(item)
        let stored = try await store.records.record(12, of: Item.schema).value
        expect(stored?["shop"]?.isNull ?? true)
        let other = try await store.records.record(11, of: Item.schema).value
        expect(other?["shop"]?.isNull ?? true)
    }

    @Test func `an answer with members keeps those that were moved here`() async throws {
        let (moved, own) = (
            #"{"id":11,"name":"moved","shop":1}"#, #"{"id":2,"goods":[{"id":12,"name":"own"}]}"#
        )
        let transport = ClosureTransport { request, _ in
            .value(.json(request.target.contains("items") ? moved : own))
        }
        let api = TestAPI(transport)
        let item = try await api.lookup(Item.self, identifier: 11)
        let shop = try await api.lookup(Shop.self, identifier: 2)
        expect(shop.goods.value?.map(\.id.value), equals: [12])
        item.shop.value = shop
        expect(shop.goods.value?.map(\.id.value), equals: [12, 11])
        _ = try await api.lookup(Shop.self, identifier: 2)
        expect(shop.goods.value?.map(\.id.value), equals: [12, 11])
        expect(item.shop.value === shop)
        shop.unlink()
    }
}
