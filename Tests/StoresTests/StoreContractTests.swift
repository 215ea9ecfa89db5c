import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct StoreContractTests {
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
