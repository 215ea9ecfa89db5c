import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@Suite struct RelationStoreTests {
    final class Order: Model {
        let id = Field<String>()
        let note = Field<String>()
        let lines = ModelField<Line>(inverse: \.order, foreignKey: true, cascadeDelete: true)*
        let customer = ModelField<Customer>(foreignKey: true)
        init() { linkFields() }
    }

    final class Line: Model {
        let id = Field<String>()
        let amount = Field<Int>()
        let order = ModelField<Order>(foreignKey: true)
        init() { linkFields() }
    }

    final class Customer: Model {
        let id = Field<String>()
        let name = Field<String>()
        let orders = ModelField<Order>(inverse: \.customer, foreignKey: true)*
        init() { linkFields() }
    }

    @Test func `a deletion takes cascading models with it, and others lose it`() async throws {
        let store = MemoryModelStore()
        let order = Order(), line = Line(), stray = Line(), customer = Customer()
        order.id.value = "o"
        line.id.value = "l"
        order.customer.value = customer
        order.lines.value = [line, stray]
        _ = try await store.create(customer).value
        _ = try await store.create(line).value
        _ = try await store.create(order).value
        _ = try await store.delete(order).value
        expect(customer.orders.value, equals: [])
        try await expect(store.list(Line.self).value, equals: [])
        try await expect(store.list(Order.self).value, equals: [])
        try await expect(store.list(Customer.self).value, equals: [customer])
    }

    @Test func `foreign keys are the models in use, and a lookup fills a shell`() async throws {
        let store = MemoryModelStore()
        do {
            let order = Order(), line = Line()
            order.id.value = "o"
            order.note.value = "fragile"
            line.id.value = "l"
            line.order.value = order
            _ = try await store.create(order).value
            _ = try await store.create(line).value
            line.unlink()
        }
        let line = try await store.lookup(Line.self, identifier: "l").value
        let shell = try #require(line.order.value)
        expect(shell.loadState, equals: .incomplete)
        expect(shell.lines.value, equals: nil)
        let order = try await store.lookup(Order.self, identifier: "o").value
        expect(order === shell)
        expect(order.note.value, equals: "fragile")
        expect(order.loadState, equals: .loaded)
        try await expect(store.load(order, \.lines).value, equals: [line])
        line.unlink()
    }

    @Test func `an edit of a shell is kept by the lookup that fills it`() async throws {
        let store = MemoryModelStore()
        do {
            let customer = Customer(), order = Order()
            customer.id.value = "c"
            customer.name.value = "Ada"
            order.id.value = "o"
            order.customer.value = customer
            _ = try await store.create(customer).value
            _ = try await store.create(order).value
            order.unlink()
        }
        let order = try await store.lookup(Order.self, identifier: "o").value
        order.customer.value?.name.value = "Eve"
        let customer = try await store.lookup(Customer.self, identifier: "c").value
        expect(customer.name.value, equals: "Eve")
        _ = try await store.update(customer).value
        customer.unload()
        let again = try await store.lookup(Customer.self, identifier: "c").value
        expect(again === customer)
        expect(again.name.value, equals: "Eve")
        order.unlink()
    }
}
