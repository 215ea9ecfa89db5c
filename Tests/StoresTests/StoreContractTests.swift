import ModelKitStores
import ModelKitTesting
import Testing

@Suite struct StoreContractTests {
    @Test(arguments: StoreContract.cases)
    func `the memory store keeps the contract`(_ part: StoreContract.Case) async throws {
        try await part.run { MemoryModelStore() }
    }
}
