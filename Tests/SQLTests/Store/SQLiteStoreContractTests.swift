import ModelKitSQL
import ModelKitStores
import ModelKitTesting
import Testing

@Suite struct SQLiteStoreContractTests {
    @Test(arguments: StoreContract.cases)
    func `a store in memory keeps the contract`(_ part: StoreContract.Case) async throws {
        try await part.run { try SQLiteModelStore(path: ":memory:") }
    }

    @Test(arguments: StoreContract.cases)
    func `a store in a file keeps the contract`(_ part: StoreContract.Case) async throws {
        let directory = try TemporaryDirectory()
        try await part.run { try SQLiteModelStore(path: directory.file()) }
    }
}
