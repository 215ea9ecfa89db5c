@testable import ModelKitPostgreSQL

/// Transactions that stay open for long, as those of a program which was forgotten.
///
/// One is a writer of the table `Entry`, which has logged `held`, one of another database, and one is prepared and has
/// logged `prepared`.
struct Strangers {
    private let writers: [PostgreSQLConnection]
    private let preparing: PostgreSQLConnection
    private let prepared: String

    init(_ server: PostgreSQLServer, _ space: String) throws {
        let log = try PostgreSQLLog(in: space)
        let table = try server.connect()
        try table.execute("BEGIN; UPDATE \"\(space)\".\"Entry\" SET amount = 1; \(log.row("held"))")
        let elsewhere = try server.connect(server.database())
        try elsewhere.execute("CREATE TABLE t (i int); BEGIN; INSERT INTO t VALUES (1)")
        preparing = try server.connect()
        try preparing.execute("BEGIN; \(log.row("prepared")); PREPARE TRANSACTION '\(space)'")
        (writers, prepared) = ([table, elsewhere], space)
    }

    /// Ends those of connections.
    func end(_ ending: String) throws { for writer in writers { try writer.execute(ending) } }

    /// Ends the one that is prepared.
    func endPrepared(_ ending: String) throws {
        try preparing.execute("\(ending) PREPARED '\(prepared)'")
    }
}

extension PostgreSQLLog {
    /// What writes to the log as a process does that ends before it notifies anybody.
    func row(_ id: String, _ n: Int = 0) -> String {
        """
        INSERT INTO \(name) (n, token, type, kind, keys, revisions) \
        VALUES (\(n), gen_random_uuid(), 'Entry', 1, '{\(id)}', '{1}')
        """
    }
}
