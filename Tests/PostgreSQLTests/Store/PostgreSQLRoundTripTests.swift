import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private final class Letter: Model {
    let id = Field<String>()
    let text = Field<String>()

    convenience init(_ id: String) {
        self.init()
        (self.id.value, text.value) = (id, "text")
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLRoundTripTests {
    @Test func `a write of one model, or of many new ones, is one round trip, and so is a read`()
        async throws
    {
        let server = try PostgreSQLServer.shared
        let store = try PostgreSQLModelStore(
            server.connection(),
            PostgreSQLOptions(connections: 1, deadline: .seconds(60)),
            schema: try server.schema()
        )
        func roundTrips() async throws -> Int {
            try await store.postgreSQL.pool.run { $0.roundTrips }.value
        }
        try await store.create(Letter("first"))
        let letter = Letter("letter")
        let cases: [(String, Int, () async throws -> Void)] = [
            ("create", 1, { try await store.create(letter) }),
            ("batch", 1, { try await store.create((0..<500).map { Letter("\($0)") }) }),
            (
                "update", 1,
                {
                    letter.text.value = "other"
                    try await store.update(letter)
                }
            ),
            ("delete", 1, { try await store.delete(letter) }),
            ("lookup", 1, { _ = try await store.lookup(Letter.self, identifier: "first") }),
            ("list", 1, { _ = try await store.list(Letter.self) }),
            // The one that begins and writes, and the commit.
            (
                "transaction", 2,
                { try await store.transaction { try $0.create(Letter("last")) }.value }
            ),
        ]
        for (name, count, body) in cases {
            let before = try await roundTrips()
            try await body()
            expect(try await roundTrips() - before, equals: count, name)
        }
        try await store.close()
    }
}
