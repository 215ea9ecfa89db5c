import ModelKitPostgreSQL
import ModelKitStores
import ModelKitTesting
import Testing

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLStoreContractTests {
    @Test(arguments: StoreContract.cases)
    func `a store in a schema of its own keeps the contract`(
        _ part: StoreContract.Case
    ) async throws {
        let server = try PostgreSQLServer.shared
        try await part.run(
            within: [.textsWithoutZero, .yearsOfFourDigits, .numbersWithGaps]
        ) {
            try PostgreSQLModelStore(
                server.connection(),
                PostgreSQLOptions(connections: 3),
                schema: server.schema()
            )
        }
    }
}
