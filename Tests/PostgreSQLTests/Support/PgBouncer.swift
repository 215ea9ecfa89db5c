import Foundation
import Testing

/// pgbouncer before a server, which gives a connection for each transaction.
///
/// A suite that needs it has the trait `.enabled(if: PgBouncer.isInstalled, PgBouncer.reason)`.
final class PgBouncer: Sendable {
    static let isInstalled = PostgreSQLServer.isInstalled && program != nil
    static var reason: Comment { "pgbouncer is not installed" }

    private static let program = PostgreSQLServer.folder(of: "pgbouncer")
        .map { $0 + "/pgbouncer" }

    private static let started = Result {
        try PgBouncer(to: PostgreSQLServer.shared, connections: 20)
    }

    /// One before the server that all suites share, with which it ends.
    static var shared: PgBouncer { get throws { try started.get() } }

    let folder: String

    /// - Parameters:
    ///   - server: What it connects to.
    ///   - connections: How many connections to the server it has at most.
    ///   - socket: The folder of the server's socket, if it is another one's.
    /// - Throws: What it prints.
    init(to server: PostgreSQLServer, connections: Int = 4, by socket: String? = nil) throws {
        folder = "\(server.folder)/pooler-\(UUID().uuidString.prefix(8))"
        try PostgreSQLServer.outputAsPostgres(["mkdir", folder])
        let configuration = """
            [databases]
            * = host=\(socket ?? server.folder) user=postgres
            [pgbouncer]
            listen_port = 5432
            unix_socket_dir = \(folder)
            auth_type = any
            pool_mode = transaction
            default_pool_size = \(connections)
            max_client_conn = 500
            server_login_retry = 1
            pidfile = \(folder)/pid
            logfile = \(folder)/log
            """
        let file = folder + "/pgbouncer.ini"
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: file))
        try PostgreSQLServer.outputAsPostgres([Self.program ?? "", "-d", "-q", file])
    }

    // It has nothing to lose, and threads that start programs may have other signals blocked.
    deinit { signal(SIGKILL) }

    /// Has it stand still, go on or end.
    func signal(_ signal: Int32) {
        let text = try? String(contentsOfFile: folder + "/pid", encoding: .utf8)
        let process = text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        if let process { kill(process, signal) }
    }

    func connection(_ database: String = "postgres") -> String {
        "host=\(folder) user=postgres dbname=\(database)"
    }
}
