import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// Models inside of others that have those as their inverse, of which a server sends nothing.
@Suite struct RemoteInverseTests {
    final class Cart: Model {
        let id = Field<Int>()
        let note = Field<String>()
        let items = ModelField<Item>(inverse: \.cart)*
        let tags = ModelField<Tag>(inverse: \.cart)*
        let first = ModelField<Tag>()
        init() { linkFields() }
    }

    final class Item: Model {
        let id = Field<Int>()
        let amount = Field<Int>()
        let cart = ModelField<Cart>(foreignKey: true)
        init() { linkFields() }
    }

    final class Tag: Model {
        let name = Field<String>()
        let cart = ModelField<Cart>()
        init() { linkFields() }
    }

    final class Order: Model {
        let id = Field<Int>()
        let customer = ModelField<Customer>()
    }

    final class Customer: Model {
        let id = Field<Int>()
        let addresses = ModelField<Address>(inverse: \.customer)*
        init() { linkFields() }
    }

    final class Address: Model {
        let street = Field<String>()
        let customer = ModelField<Customer>()
        init() { linkFields() }
    }

    private static func cart(_ amount: Int, _ name: String) -> HTTPResponse {
        .json(
            "{\"id\":1,\"note\":\"n\",\"items\":[{\"id\":5,\"amount\":\(amount)}],"
                + "\"tags\":[{\"name\":\"\(name)\"}]}"
        )
    }

    @Test func `what relations add to models that were read is no edit of them`() async throws {
        let transport = ClosureTransport { request, number in
            .value(request.method == .get ? Self.cart(number, "t\(number)") : .init(status: 204))
        }
        let store = TestAPI(transport)
        let cart = try await store.lookup(Cart.self, identifier: 1).value
        defer { cart.unlink() }
        expect(cart.items.value?.first?.cart.value === cart)
        expect(cart.tags.value?.first?.cart.value === cart)
        _ = try await store.update(cart).value
        expect(transport.sent.count, equals: 1)
        _ = try await store.lookup(Cart.self, identifier: 1).value
        expect(cart.items.value?.first?.amount.value, equals: 2)
        expect(cart.items.value?.first?.cart.value === cart)
        expect(cart.tags.value?.first?.name.value, equals: "t2")
        cart.note.value = "m"
        _ = try await store.update(cart).value
        let sent = transport.sent.all.last
        expect(sent?.body.map { String(decoding: $0, as: UTF8.self) }, equals: #"{"note":"m"}"#)
        cart.items.value?.first?.amount.value = 9
        _ = try await store.update(cart).value
        let edited = transport.sent.all.last?.body.map { String(decoding: $0, as: UTF8.self) }
        expect(edited, equals: #"{"note":"m"}"#, "an item is a record of its own")
        let count = transport.sent.count
        cart.items.value?.first?.cart.value = nil
        _ = try await store.update(cart).value
        expect(transport.sent.count, equals: count)
    }

    @Test func `so it is with each of several models`() async throws {
        let transport = ClosureTransport { request, number in
            let items = #"[{"id":5,"amount":\#(number)},{"id":6,"amount":1}]"#
            let tags = #"[{"name":"a"},{"name":"b"}]"#
            let cart = #"{"id":1,"note":"n","items":\#(items),"tags":\#(tags)}"#
            return .value(request.method == .get ? .json(cart) : HTTPResponse(status: 204))
        }
        let store = TestAPI(transport)
        let cart = try await store.lookup(Cart.self, identifier: 1).value
        defer { cart.unlink() }
        let tag = cart.tags.value?.last
        expect(tag?.cart.value === cart)
        _ = try await store.update(cart).value
        expect(transport.sent.count, equals: 1)
        _ = try await store.lookup(Cart.self, identifier: 1).value
        expect(cart.items.value?.first?.amount.value, equals: 2)
        expect(cart.tags.value?.last === tag)
    }

    @Test func `what a server sends of an inverse replaces what was there`() async throws {
        let transport = ClosureTransport { request, number in
            let items = #"[{"id":5,"amount":\#(number),"cart":1},{"id":\#(number),"cart":1}]"#
            let answer = #"{"id":1,"note":"n","items":\#(items)}"#
            return .value(request.method == .get ? .json(answer) : HTTPResponse(status: 204))
        }
        let store = TestAPI(transport)
        let cart = try await store.lookup(Cart.self, identifier: 1).value
        defer { cart.unlink() }
        let old = cart.items.value?.first
        _ = try await store.lookup(Cart.self, identifier: 1).value
        expect(cart.items.value?.map(\.id.value), equals: [5, 2])
        expect(cart.items.value?.first?.amount.value, equals: 2)
        expect(cart.items.loadState, equals: .loaded)
        expect(cart.items.value?.contains { $0 === old }, equals: (old?.id.value == 5))
        _ = try await store.update(cart).value
        expect(transport.sent.count, equals: 2)
    }

    @Test func `so it is further inside`() async throws {
        let transport = ClosureTransport { request, number in
            let address = "{\"street\":\"s\(number)\"}"
            let order = "{\"id\":1,\"customer\":{\"id\":3,\"addresses\":[\(address)]}}"
            return .value(request.method == .get ? .json(order) : HTTPResponse(status: 204))
        }
        let store = TestAPI(transport)
        let order = try await store.lookup(Order.self, identifier: 1).value
        expect(order.customer.value?.addresses.value?.first?.customer.value?.id.value, equals: 3)
        _ = try await store.update(order).value
        expect(transport.sent.count, equals: 1)
        _ = try await store.lookup(Order.self, identifier: 1).value
        defer { order.customer.value?.unlink() }
        expect(order.customer.value?.addresses.value?.first?.street.value, equals: "s2")
    }

    @Test
    func `members that a server sends with their owner are records of their own`() async throws {
        let answer = #"{"id":1,"note":"n","items":[{"id":5,"amount":1,"cart":1}]}"#
        let transport = ClosureTransport { request, _ in
            .value(request.method == .get ? .json(answer) : HTTPResponse(status: 204))
        }
        let store = TestAPI(transport)
        let cart = try await store.lookup(Cart.self, identifier: 1).value
        defer { cart.unlink() }
        expect(cart.loadState == .loaded && cart.items.loadState == .loaded)
        let item = cart.items.value?.first
        expect(item?.cart.value === cart)
        _ = try await store.lookup(Cart.self, identifier: 1).value
        expect(cart.items.value?.first === item)
        _ = try await store.update(cart).value
        expect(transport.sent.count, equals: 2)
        item?.amount.value = 9
        _ = try await store.update(cart).value
        expect(transport.sent.count, equals: 2)
        _ = try await store.update(try #require(item)).value
        let sent = transport.sent.all.last?.body.map { String(decoding: $0, as: UTF8.self) }
        expect(sent, equals: #"{"amount":9}"#)
    }

    final class Basket: Model {
        let id = Field<Int>()
        let note = Field<String>()
        let eggs = ModelField<Egg>(inverse: \.basket)*
        init() { linkFields() }
    }

    final class Egg: Model {
        let id = Field<Int>()
        let basket = ModelField<Basket>(foreignKey: true)
        init() { linkFields() }
    }

    @Test(arguments: [#","note":"n""#, ""])
    func `members are taken whether or not all else is sent`(_ note: String) async throws {
        let answer = #"{"id":1\#(note),"eggs":[{"id":5}]}"#
        let store = TestAPI(ClosureTransport { _, _ in .value(.json(answer)) })
        let basket = try await store.lookup(Basket.self, identifier: 1).value
        defer { basket.unlink() }
        expect(basket.eggs.loadState, equals: .loaded)
        expect(basket.eggs.value?.map(\.id.value), equals: [5])
        expect(basket.eggs.value?.first?.basket.value === basket)
    }

    @Test func `a part of a list updates its models, and leaves the relation open`() async throws {
        let transport = ClosureTransport { request, number in
            let item = #"{"id":5,"amount":\#(number)}"#
            let cart = #"{"id":1,"note":"n","items":[\#(item)]}"#
            let all = #"{"items":[{"id":5,"cart":1},{"id":6,"cart":1}]}"#
            return .value(
                .json(
                    request.target.contains("/items/")
                        ? item : request.target.contains("/items") ? all : cart
                )
            )
        }
        var dialect = RESTDialect.plain
        dialect.embedsWholeLists = { type, path in type != Cart.self || path != ["items"] }
        let store = TestAPI(transport, dialect)
        let item = try await store.lookup(Item.self, identifier: 5).value
        let cart = try await store.lookup(Cart.self, identifier: 1).value
        defer { cart.unlink() }
        expect(item.amount.value == 2 && item.cart.value === cart)
        expect(cart.items.loadState, equals: .notLoaded)
        try await expect(store.load(cart, \.items).value.map(\.id.value), equals: [5, 6])
        _ = try await store.lookup(Cart.self, identifier: 1).value
        expect(item.amount.value, equals: 4)
        expect(cart.items.loadState, equals: .loaded)
        expect(cart.items.value?.map(\.id.value), equals: [5, 6])
    }

    @Test func `a list with a model without an identifier leaves the relation open`() async throws {
        let answer = #"{"id":1,"note":"n","items":[{"id":5,"amount":1},{"amount":2}]}"#
        let store = TestAPI(ClosureTransport { _, _ in .value(.json(answer)) })
        let cart = try await store.lookup(Cart.self, identifier: 1).value
        defer { cart.unlink() }
        expect(cart.items.loadState, equals: .notLoaded)
    }

    @Test func `a member that cannot be read is reported with its place`() async throws {
        let answer = #"{"id":1,"note":"n","items":[{"id":5},{"id":6,"amount":"x"}]}"#
        let good = #"{"id":1,"note":"n"}"#
        let store = TestAPI(ClosureTransport(answers: [.json(answer), .json(good), .json(answer)]))
        let issue = Issue(
            code: "type",
            path: ["items", 1, "amount"],
            message: "must be an integer, not a string",
            parameters: ["found": "a string"]
        )
        let error = StoreError.decoding(type: "Cart", identifier: 1, [issue])
        await expect(store.lookup(Cart.self, identifier: 1).storeError, equals: error)
        let cart = try await store.lookup(Cart.self, identifier: 1).value
        cart.note.value = "m"
        let failure = await store.update(cart).storeError
        expect(
            failure,
            equals: .unavailable("the write is made, but \(error.description)", .applied)
        )
    }

    @Test func `an inverse that has others too is compared`() async throws {
        let store = MemoryModelStore()
        let (dog, cat, ball) = (Dog(), Cat(), Toy())
        (dog.id.value, cat.id.value) = (1, 1)
        dog.toys.value = [ball]
        _ = try await store.create(dog).value
        ball.animals.value = [dog, cat]
        _ = try await store.update(dog).value
        let record = try await store.records.record(1, of: Dog.schema).value
        let toys = "\(record?["toys"] ?? .null)"
        expect(toys.contains("Cat"))
        dog.unlink()
        cat.unlink()
    }
}

private class Animal: ModelObject, @unchecked Sendable {
    let id = Field<Int>()
    let kind = Field<String>()
    let toys = ModelField<Toy>(inverse: \.animals)*
}

private final class Dog: Animal, @unchecked Sendable {}
private final class Cat: Animal, @unchecked Sendable {
    required init() {
        super.init()
        kind.value = "Cat"
    }
}

private final class Toy: Model {
    let name = Field<String>()
    let animals = ModelField<Animal>()*
    init() { linkFields() }
}
