import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

/// Orders that are written together with their lines.
@Suite struct OrderGraphTests {
    @Test(arguments: OrderStore.Kind.allCases)
    func `a line is not written where somebody else has deleted its order`(
        _ kind: OrderStore.Kind
    ) async throws {
        let store = try await OrderStore(kind), here = store.open()
        let order = try await here.lookup(DraftedOrder.self, identifier: "1").value
        let writes = [
            RecordWrite(.delete("1", revision: nil), of: DraftedOrder.schema),
            RecordWrite(.create("3", [:]), of: DraftedOrder.schema),
        ]
        _ = try await store.records.perform(writes).value
        let before = try await store.revisions()
        let eggs = DraftedLine("eggs", 12)
        order.lines.append(eggs)
        for isUpdate in [false, true] {
            let written: Promise<DraftedOrder> =
                isUpdate
                ? here.update(order, including: \.lines) : here.save(order, including: \.lines)
            await #expect(throws: StoreError.notFound(type: "DraftedOrder", identifier: "1")) {
                _ = try await written.value
            }
        }
        try await expect(store.revisions(), equals: before)
        try await expect(store.lineCount(), equals: 1, "the tea of another order")
        withExtendedLifetime(eggs) {}
    }

    @Test func `the order of a line that is not edited is looked for, too`() async throws {
        let directory = try TemporaryDirectory()
        let here = try SQLiteModelStore(path: directory.file(), sharing: .severalProcesses)
        let order = DraftedOrder(), bread = DraftedLine("bread", 1)
        order.id.value = "1"
        order.lines.value = [bread, DraftedLine("milk", 2)]
        _ = try await here.create(order, including: \.lines).value
        let there = try SQLiteModelStore(path: directory.file(), sharing: .severalProcesses)
        _ = try await there.delete(DraftedLine.self, identifier: "bread").value
        bread.parts.append(DraftedPart("slice"))
        let lines: Including<DraftedOrder> = .relation(\.lines, including: .relation(\.parts))
        await #expect(throws: StoreError.notFound(type: "DraftedLine", identifier: "bread")) {
            _ = try await here.save(order, including: lines).value
        }
        bread.parts.removeAll()
        order.lines[1]?.parts.append(DraftedPart("glass"))
        _ = try await here.save(order, including: lines).value
        try await expect(there.list(DraftedPart.self).value.map(\.identifier), equals: ["glass"])
        try await here.close().value
        try await there.close().value
    }

    @Test func `the table of an order that was never used is there when it is looked for in vain`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let first = try SQLiteModelStore(path: path)
        let made = DraftedOrder()
        made.id.value = "1"
        made.lines.value = [DraftedLine("bread", 1), DraftedLine("milk", 2)]
        _ = try await first.create(made, including: \.lines).value
        try await first.close().value
        let connection = try SQLiteConnection(path: path)
        try connection.execute("DROP TABLE DraftedOrder")
        connection.close()

        let store = try SQLiteModelStore(path: path)
        let lines = try await store.list(DraftedLine.self).value
        let order = try #require(lines[0].order.value)
        expect(order.lines.count, equals: 0)
        for line in lines { line.count.value = 9 }
        for line in lines { order.lines.append(line) }
        let whole: Including<DraftedLine> =
            .relation(\.order, including: .relation(\.lines))
        await #expect(throws: StoreError.self) {
            _ = try await store.save(lines[0], including: whole).value
        }
        try await expect(store.count(DraftedOrder.self).value, equals: 0)
        let other = DraftedOrder()
        other.id.value = "2"
        _ = try await store.create(other).value
        try await expect(store.count(DraftedOrder.self).value, equals: 1)
        try await store.close().value
    }

    @Test(arguments: OrderStore.Kind.allCases)
    func `what is wrong with a line is said once`(_ kind: OrderStore.Kind) async throws {
        let here = try await OrderStore(kind).open()
        func issues(_ promise: () -> Promise<Void>) async throws -> [FieldPath] {
            do {
                try await promise().value
                return []
            } catch StoreError.validation(let issues) {
                return issues.map(\.path)
            }
        }
        let order = DraftedOrder(), eggs = DraftedLine("eggs", 0)
        order.id.value = "3"
        order.lines.value = [DraftedLine("salt", 4), eggs]
        var found = try await issues { here.save(order, including: \.lines).map { _ in } }
        expect(found, equals: [["lines", 1, "count"]])
        found = try await issues { here.perform([.create(order), .create(eggs)]) }
        expect(found, equals: [[1, "count"]], "where it is itself")
        found = try await issues { here.perform([.create(eggs), .create(order)]) }
        expect(found, equals: [[0, "count"]])
        found = try await issues { here.create(order).map { _ in } }
        expect(found, equals: [["lines", 1, "count"]], "where it is not written")
    }
}
