import ModelKitPostgreSQL
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLStoreContractTests {
    /// What the article says that a server has, of what not every one has.
    private static let portable: Set = [
        "array_agg", "clock_timestamp", "format_type", "generate_series", "pg_attribute",
        "pg_catalog", "pg_class",
        "pg_collation", "pg_constraint", "pg_index", "pg_namespace", "quote_ident", "set_config",
        "split_part",
        "starts_with", "to_hex", "to_regclass", "to_regnamespace", "trim_scale",
    ]

    /// So many cases at once.
    private static let width = 4

    @Test(arguments: PostgreSQLRoute.all)
    func `a store in a schema of its own keeps the contract`(
        _ route: PostgreSQLRoute
    ) async throws {
        let server = try PostgreSQLServer.shared
        @Sendable func run(_ part: StoreContract.Case) async throws {
            try await part.run(
                within: [.textsWithoutZero, .yearsOfFourDigits, .numbersWithGaps]
            ) {
                try route.store(server.schema(), connections: 3)
            }
        }
        @Sendable func check(_ part: StoreContract.Case, attempt: Int = 1) async {
            do {
                try await run(part)
            } catch StoreError.unavailable(_, .notApplied)
                where route.mode == .portable && attempt < 10
            {
                // What the server has given up ten times is for its user to repeat.
                await check(part, attempt: attempt + 1)
            } catch {
                Issue.record("\(route.mode), seed \(PostgreSQLRoute.seed), \(part): \(error)")
            }
        }
        let began = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for (index, part) in StoreContract.cases.enumerated() {
                if index >= Self.width { await group.next() }
                group.addTask { await check(part) }
            }
        }
        print("the contract in the mode \(route.mode) took \(ContinuousClock.now - began)")
        guard route.mode == .portable else { return }
        let engine = PostgreSQLRoute.engine
        print("seed \(PostgreSQLRoute.seed): \(engine.failures) statements and commits given up")
        expect(engine.failures > 50)
        // It is refused, and done otherwise.
        expect(engine.refused.subtracting(["concurrently"]), equals: [])
        expect(engine.functions.filter { $0.contains("_") }.subtracting(Self.portable), equals: [])
    }
}
