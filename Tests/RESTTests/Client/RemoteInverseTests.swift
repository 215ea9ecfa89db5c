import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import Testing

/// Models inside of others that have those as their inverse, of which a server tells nothing.
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
        #expect(cart.items.value?.first?.cart.value === cart)
        #expect(cart.tags.value?.first?.cart.value === cart)
        _ = try await store.update(cart).value
        #expect(transport.sent.count == 1)
        _ = try await store.lookup(Cart.self, identifier: 1).value
        #expect(cart.items.value?.first?.amount.value == 2)
        #expect(cart.items.value?.first?.cart.value === cart)
        #expect(cart.tags.value?.first?.name.value == "t2")
        cart.note.value = "m"
        _ = try await store.update(cart).value
        let sent = transport.sent.all.last
        #expect(sent?.body.map { String(decoding: $0, as: UTF8.self) } == #"{"note":"m"}"#)
        cart.items.value?.first?.amount.value = 9
        _ = try await store.update(cart).value
        let edited = transport.sent.all.last?.body.map { String(decoding: $0, as: UTF8.self) }
        #expect(edited?.contains(#""amount":9"#) == true)
        #expect(edited?.contains("tags") == false)
        let items = cart.items.value
        cart.items.value = []
        items?.first?.cart.value = nil
        _ = try await store.update(cart).value
        #expect(
            transport.sent.all.last?.body.map { String(decoding: $0, as: UTF8.self) }
                == #"{"items":[]}"#
        )
    }
}
