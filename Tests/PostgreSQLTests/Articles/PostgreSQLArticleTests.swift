import Testing

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLArticleTests {
    @Test func `the examples of the article run`() async throws {
        try await PostgreSQL().run(on: PostgreSQLServer.shared.database())
    }
}
