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

    @Test(arguments: OrderStore.Kind.allCases)
    func `a copy of an order whose lines are not loaded knows nothing of lines, either`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open()
        let order = try await here.lookup(DraftedOrder.self, identifier: "1").value
        let copy = order.copy()
        expect(copy.lines.value == nil && copy.lines.loadState == .notLoaded)
        expect(copy.total.value == nil && copy.total.loadState == .notLoaded)
        expect(order.copy(fields: [order.title]).lines.value, equals: [])
        _ = try await here.load(order, \.lines).value
        expect(copy.lines.value == nil && order.copy().total.value == 0)
        copy.id.value = "3"
        let line = DraftedLine("eggs", 12)
        copy.lines.append(line)
        _ = try await here.create(copy, including: \.lines).value
        _ = try await here.load(copy, \.lines).value
        expect(copy.text == "eggs 12" && order.text == "bread 1, milk 2")
    }
}
