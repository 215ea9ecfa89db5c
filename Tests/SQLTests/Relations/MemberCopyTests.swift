import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

/// Copies of members, which nothing counts until they are stored.
@Suite struct MemberCopyTests {
    @Test(arguments: OrderStore.Kind.allCases)
    func `a copy of a line joins its order when it is stored`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open()
        let order = try await here.order()
        let line = try #require(order.lines[0])
        let copy = line.copy()
        copy.id.value = "more bread"
        copy.product.value = "bread"
        expect(copy.order.value === order)
        expect(order.lines.count == 2 && order.total.value == 3)
        _ = try await here.update(order, including: \.lines).value
        try await expect(store.lineCount(), equals: 3, "it is none of the lines that are written")
        _ = try await here.create(copy).value
        expect(order.lines.value?.last === copy && order.total.value == 4)
        try await expect(store.text(), equals: "bread 1, bread 1, milk 2")
    }
}
