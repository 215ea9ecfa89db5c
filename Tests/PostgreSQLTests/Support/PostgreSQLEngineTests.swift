import TestSupport
import Testing

@testable import ModelKitPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLEngineTests {
    @Test func `what is PostgreSQL's alone is refused, and the rest is given up now and then`()
        throws
    {
        let server = try PostgreSQLServer.shared
        let engine = PostgreSQLEngine(seed: PostgreSQLRoute.seed)
        let proxy = try PostgreSQLProxy(to: server, engine)
        let connection = try server.connect(proxy.connection(), mode: .portable)
        /// The code of what it says at last.
        func answer(_ statements: [PostgreSQLStatement]) -> String? {
            while true {
                do {
                    try connection.run(statements)
                    return nil
                } catch let error where error.sqlState == "40001" {
                    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                } catch {
                    return error.sqlState
                }
            }
        }
        for sql in [
            "LISTEN a", "SELECT pg_current_xact_id()", "SELECT pg_current_snapshot()",
            "SELECT pg_try_advisory_lock(1)", "SELECT '1'::xid8",
        ] {
            expect(answer([PostgreSQLStatement(sql)]), equals: "0A000", "\(sql)")
        }
        let table = "\(try server.schema()).t"
        expect(answer([PostgreSQLStatement("CREATE TABLE \(table) (a text)")]), equals: nil)
        var failures = 0
        let insert = PostgreSQLStatement("INSERT INTO \(table) VALUES ('listen')")
        let (begin, commit) = (PostgreSQLStatement("BEGIN"), PostgreSQLStatement("COMMIT"))
        while failures < 4 {
            let before = engine.failures
            expect(answer([insert]), equals: nil)
            expect(answer([begin, insert, commit]), equals: nil)
            failures += engine.failures - before
            let count = try server.connect().run(
                PostgreSQLStatement("SELECT count(*) FROM \(table)")
            )
            // What was given up has left nothing.
            expect(count.number(), equals: 2)
            try server.connect().execute("TRUNCATE \(table)")
        }
    }
}
