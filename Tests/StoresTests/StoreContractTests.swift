import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

/// A store that only lists, and reports nothing.
private final class ListingStore: RecordModelStore {
    private struct Records: RecordStore {
        let memory = MemoryModelStore().records

        func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { memory.perform(writes) }
        func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
            memory.fetch(query, of: schema)
        }
        func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
            memory.record(identifier, of: schema)
        }
        func totals(_ aggregate: RecordAggregate, of schema: ModelSchema) -> Promise<RecordTotals> {
            .failed(StoreError.unsupported("there are no totals here"))
        }
    }

    let records: any RecordStore = Records()
    let session = StoreSession()
}

@Suite struct StoreContractTests {
    @Test(arguments: StoreContract.cases)
    func `a store without counts keeps the contract`(_ part: StoreContract.Case) async throws {
        try await part.run { ListingStore() }
    }

    @Test(arguments: StoreContract.cases)
    func `the memory store keeps the contract`(_ part: StoreContract.Case) async throws {
        try await part.run { MemoryModelStore() }
    }

    @Test func `the memory store lists without waiting`() throws {
        final class Person: Model {
            let id = Field<Int>()
            let age = Field<Int>()
            convenience init(_ id: Int, _ age: Int) {
                self.init()
                (self.id.value, self.age.value) = (id, age)
            }
        }
        let store = MemoryModelStore()
        let people = [Person(1, 30), Person(2, 10), Person(3, 20)]
        expect(store.create(people).isSettled)
        try expect(store.listImmediately(Person.self), equals: people)
        let grown = try store.listImmediately(
            Person.self,
            where: \.age > 15,
            orderBy: .ascending(\.age),
            limit: 1
        )
        expect(grown, equals: [people[2]])
    }
}
