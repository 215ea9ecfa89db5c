import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Stock: Model {
    let id = Field<String>()
    let count = Field<Int>().require(.min(0))
    let note = Field<String>()

    convenience init(_ id: String, _ count: Int) {
        self.init()
        (self.id.value, self.count.value) = (id, count)
    }
}

@Suite struct FailedTransactionTests {
    private struct Stop: Error {}
    private let store = MemoryModelStore()

    private func sell(_ count: Int, throwing error: (any Error)? = nil) async throws {
        try await store.transaction { transaction in
            let stock = try transaction.lookup(Stock.self, identifier: "a")
            stock.count.value = (stock.count.value ?? 0) - count
            try transaction.update(stock)
            if let error { throw error }
        }.value
    }

    @Test func `what a body has set in models that it has read goes with the transaction`()
        async throws
    {
        let held = try await store.create(Stock("a", 100)).value
        await #expect(throws: Stop.self) { try await sell(5, throwing: Stop()) }
        expect(held.count.value, equals: 100)
        // Refused by a rule, before it is written.
        await #expect(throws: (any Error).self) { try await sell(1_000) }
        expect(held.count.value, equals: 100)
        try await sell(1)
        expect(held.count.value, equals: 99)
        let stored = try await store.records.record("a", of: Stock.schema).value
        expect(stored?["count"], equals: 99)
    }

    @Test func `what was set before stays pending, and so does what the body has not read`()
        async throws
    {
        let held = try await store.create(Stock("a", 100)).value
        let other = try await store.create(Stock("b", 1)).value
        held.note.value = "mine"
        await #expect(throws: Stop.self) {
            try await store.transaction { transaction in
                let stock = try transaction.lookup(Stock.self, identifier: "a")
                stock.count.value = 1
                other.count.value = 2
                try transaction.perform([.update(stock), .update(other)])
                throw Stop()
            }.value
        }
        expect(held.count.value, equals: 100)
        expect(held.note.value, equals: "mine")
        expect(other.count.value, equals: 2)
        _ = try await store.update(held).value
        let stored = try await store.records.record("a", of: Stock.schema).value
        expect(stored?["note"] == "mine" && stored?["count"] == 100)
    }

    @Test func `so does what it has set in models of a list, in any field`() async throws {
        let held = try await store.create(Stock("a", 100)).value
        await #expect(throws: Stop.self) {
            try await store.transaction { transaction in
                let stock = try transaction.list(Stock.self)[0]
                stock.count.value = 5
                stock.note.value = "draft"
                throw Stop()
            }.value
        }
        expect(held.count.value, equals: 100)
        expect(held.note.value, equals: nil)
    }
}
