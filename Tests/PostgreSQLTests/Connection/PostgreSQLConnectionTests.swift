import ModelKitPostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLConnectionTests {
    private let connection: PostgreSQLConnection

    init() throws { connection = try PostgreSQLServer.shared.connect() }

    @Test func `a statement is answered in the binary format`() throws {
        let result = try connection.run(
            PostgreSQLStatement(
                "SELECT $1::bigint + 1, $2::text || '!', NULL",
                PostgreSQLParameters(41, "é")
            )
        )
        expect(result.rowCount, equals: 1)
        expect(result.columnCount, equals: 3)
        expect(result.number(), equals: 42)
        expect(result.text(0, 1), equals: "é!")
        expect(result.isNull(0, 2))
    }
}
