package import Foundation
import ModelKitFields
package import ModelKitPostgreSQL
import Synchronization
package import Testing

/// A PostgreSQL server that the tests start, in a temporary folder with a socket of its own.
///
/// One is shared by all suites of a process; it ends with the process. A suite that needs it has the trait
/// `.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason)`.
package final class PostgreSQLServer: Sendable {
    package static let isInstalled = programs != nil && (try? PostgreSQLLibrary.system) != nil
    package static var reason: Comment {
        "PostgreSQL is not installed: there is no initdb, or no libpq"
    }

    private static let started = Result { try PostgreSQLServer() }

    package static var shared: PostgreSQLServer {
        get throws { try started.get() }
    }

    /// Where `.s.PGSQL.5432` is.
    package let folder: String
    private let number = Atomic(0)

    /// Makes another server, whose options can be given and which can be stopped.
    /// - Parameters:
    ///   - options: Parameters of its configuration.
    ///   - authentication: How users show who they are; the password of postgres is hunter2 if one is asked for.
    ///   - port: Where it listens on this machine as well, with a certificate of its own for `localhost`.
    /// - Throws: What a program of the server has printed.
    package init(
        _ options: [String: String] = [:],
        authentication: String = "trust",
        port: UInt16? = nil
    )
        throws
    {
        folder = try Self.makeFolder()
        let password = folder + "/password"
        try Data("hunter2".utf8).write(to: URL(fileURLWithPath: password))
        try Self.run(
            "initdb",
            [
                "-D", data, "-U", "postgres", "--auth=\(authentication)", "--pwfile=\(password)",
                "-E", "UTF8", "--locale=C", "--no-sync",
            ]
        )
        var options = Self.options.merging(options, uniquingKeysWith: { $1 })
        if let port {
            options["listen_addresses"] = "127.0.0.1"
            options["port"] = "\(port)"
            options["ssl"] = "on"
            try Self.outputAsPostgres(
                [
                    "openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2",
                    "-subj",
                    "/CN=localhost", "-keyout", data + "/server.key", "-out", data + "/server.crt",
                ]
            )
        }
        try begin(options)
    }

    /// - Parameters:
    ///   - server: Whose files it has.
    ///   - isFollowing: Whether it follows that one.
    /// - Throws: What a program of the server has printed.
    private init(copying server: PostgreSQLServer, isFollowing: Bool) throws {
        folder = try Self.makeFolder()
        let files = ["-h", server.folder, "-U", "postgres", "-D", data, "-c", "fast", "--no-sync"]
        try Self.run("pg_basebackup", files + (isFollowing ? ["-R"] : []))
        try begin([:])
    }

    /// Makes a copy of it that follows it and can only be read.
    package func standby() throws -> PostgreSQLServer {
        try PostgreSQLServer(copying: self, isFollowing: true)
    }

    /// Makes a copy of it as it is now, which goes on by itself.
    package func copy() throws -> PostgreSQLServer {
        try PostgreSQLServer(copying: self, isFollowing: false)
    }

    /// Ends following another one, and takes writes.
    package func promote() throws { try Self.run("pg_ctl", ["-D", data, "-w", "promote"]) }

    /// Copies its database into another server, by what `pg_dump` writes.
    package func dump(into other: PostgreSQLServer) throws {
        let file = folder + "/dump.sql"
        try Self.run("pg_dump", ["-h", folder, "-U", "postgres", "-f", file])
        let reading = ["-qX", "-v", "ON_ERROR_STOP=1", "-h", other.folder, "-U", "postgres"]
        try Self.run("psql", reading + ["-f", file])
    }

    /// Where folders of servers are: the user of servers gets there, and the names of sockets in them have no more than
    /// 103 bytes, as they must not on some systems.
    package static let temporaryFolder: String = {
        let folder = FileManager.default.temporaryDirectory.standardizedFileURL.path
        let isUsable =
            folder.utf8.count <= 40 && (try? outputAsPostgres(["test", "-x", folder])) != nil
        return isUsable ? folder : "/tmp"
    }()

    private static func makeFolder() throws -> String {
        let number = count.add(1, ordering: .relaxed).newValue
        let folder = "\(temporaryFolder)/modelkit-postgresql-\(getpid())-\(number)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        Self.giveToPostgres(folder)
        return folder
    }

    /// Makes a folder that of the user as whom servers run.
    package static func giveToPostgres(_ folder: String) {
        guard getuid() == 0, let user = getpwnam("postgres")?.pointee else { return }
        chown(folder, user.pw_uid, user.pw_gid)
    }

    private func begin(_ options: [String: String]) throws {
        var lines = "unix_socket_directories = '\(folder)'\n"
        for (name, value) in options { lines += "\(name) = '\(value)'\n" }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: data + "/postgresql.conf"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(lines.utf8))
        try file.close()
        try start()
        try watch()
        Self.folders.withLock { $0.append(folder) }
    }

    private static let options = [
        "fsync": "off", "full_page_writes": "off", "listen_addresses": "", "max_connections": "200",
        "max_prepared_transactions": "10",
    ]
    private static let count = Atomic(0)
    /// Those that are removed at the end of the process, where also their servers end.
    private static let folders: Guarded<[String]> = {
        atexit {
            for folder in PostgreSQLServer.folders.withLock(\.self) {
                PostgreSQLServer.end(folder)
            }
        }
        return Guarded([])
    }()

    private var data: String { folder + "/data" }

    // MARK: Databases

    /// The connection string of a database.
    package func connection(_ database: String = "postgres") -> String {
        "host=\(folder) user=postgres dbname=\(database)"
    }

    /// Makes a database of its own.
    package func database() throws -> String {
        let name = "d\(number.add(1, ordering: .relaxed).newValue)"
        let connection = try connect()
        try connection.execute("CREATE DATABASE \(name)")
        return self.connection(name)
    }

    /// Makes a schema of its own in the database that is there, which is quicker.
    package func schema() throws -> String {
        let name = "s\(number.add(1, ordering: .relaxed).newValue)"
        let connection = try connect()
        try connection.execute("CREATE SCHEMA \(name)")
        return name
    }

    /// Connects; the thread waits.
    package func connect(
        _ connection: String? = nil,
        mode: PostgreSQLMode = .direct,
        isReadOnly: Bool = false,
        notice: (@Sendable (String) -> Void)? = nil
    ) throws -> PostgreSQLConnection {
        let target = try PostgreSQLTarget(
            connection ?? self.connection(),
            library: .system,
            mode: mode,
            isReadOnly: isReadOnly,
            notice: notice
        )
        let made = try PostgreSQLConnection.open(target, until: .now + .seconds(60))
        // A busy machine may take long to cancel something.
        made.grace = .seconds(60)
        made.deadline = nil
        return made
    }

    /// Waits until a connection, as `pg_stat_activity` shows it, meets a condition; for a minute at most.
    package func wait(until condition: String) {
        let statement = PostgreSQLStatement("SELECT 1 FROM pg_stat_activity WHERE \(condition)")
        guard let connection = try? connect() else { return }
        for _ in 0..<6000 {
            if (try? connection.run(statement).rowCount) ?? 1 > 0 { return }
            usleep(10_000)
        }
    }

    /// The same without keeping a thread, which what it waits for may need.
    package func reach(_ condition: String) async throws {
        let sql = "SELECT 1 FROM pg_stat_activity WHERE \(condition)"
        for _ in 0..<6000 {
            if try connect().run(PostgreSQLStatement(sql)).rowCount > 0 { return }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// What its shell prints for a statement: a line for each row, with `|` between columns.
    package func shell(_ sql: String) throws -> [String] {
        let arguments = ["-qAtX", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "postgres"]
        let printed = try Self.run("psql", arguments + ["-c", sql])
        return printed.split(separator: "\n").map(String.init)
    }

    // MARK: Processes

    /// Starts it, and waits until it takes connections.
    package func start() throws {
        try Self.run("pg_ctl", ["-D", data, "-l", folder + "/log", "-w", "start"])
    }

    /// Ends it at once, as when the machine loses power.
    package func stop() throws {
        try Self.run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"])
    }

    /// Its processes, the first of them that of the server.
    package var processes: [pid_t] {
        guard let first = Self.process(folder) else { return [] }
        let children = try? Self.output(["pgrep", "-P", "\(first)"])
        return [first]
            + (children ?? "").split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
    }

    /// Has all of its processes stand still, or go on.
    package func signal(_ signal: Int32) { for process in processes { kill(process, signal) } }

    private static func process(_ folder: String) -> pid_t? {
        let text = try? String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8)
        return text?.split(separator: "\n").first.flatMap { pid_t($0) }
    }

    /// The processes of poolers that have their folders in the server's.
    private static func poolers(_ folder: String) -> [pid_t] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return (names ?? []).filter { $0.hasPrefix("pooler-") }.compactMap { name in
            let text = try? String(contentsOfFile: "\(folder)/\(name)/pid", encoding: .utf8)
            return text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }
    }

    private static func end(_ folder: String) {
        if let process = process(folder) {
            kill(process, SIGCONT)
            kill(process, SIGQUIT)
            for _ in 0..<200 where kill(process, 0) == 0 { usleep(10_000) }
        }
        for process in poolers(folder) { kill(process, SIGKILL) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Ends it also where this process is killed.
    private func watch() throws {
        let script = """
            while kill -0 \(getpid()) 2>/dev/null; do sleep 1; done
            if [ -e \(data)/postmaster.pid ]; then kill -QUIT $(head -n 1 \(data)/postmaster.pid); sleep 1; fi
            cat \(folder)/pooler-*/pid 2>/dev/null | xargs -r kill -KILL
            rm -rf \(folder)
            """
        _ = try Self.spawn(["/bin/sh", "-c", script], output: "/dev/null")
    }

    // MARK: Programs

    /// The folder of the server's programs; Debian keeps them off the path.
    private static let programs: String? = {
        let versions = "/usr/lib/postgresql"
        let debian = (try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []
        let folders = debian.sorted { Int($0) ?? 0 > Int($1) ?? 0 }.map { "\(versions)/\($0)/bin" }
        return folder(of: "initdb", in: folders + path)
    }()

    private static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":").map(String.init)

    /// The first of some folders that has a program, of those of the path if nothing else is said.
    package static func folder(of program: String, in folders: [String]? = nil) -> String? {
        (folders ?? path).first { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    /// Runs one of them, as the user postgres if this is root, whom it refuses.
    @discardableResult
    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        try outputAsPostgres(["\(programs ?? "")/\(program)"] + arguments)
    }

    @discardableResult
    package static func outputAsPostgres(_ command: [String]) throws -> String {
        try output(getuid() == 0 ? ["runuser", "-u", "postgres", "--"] + command : command)
    }

    struct Failure: Error {
        let command: [String]
        let output: String
    }

    /// Runs a program, and gives what it prints.
    @discardableResult
    package static func output(_ command: [String]) throws -> String {
        let name = FileManager.default.temporaryDirectory
            .appendingPathComponent("modelkit-postgresql-\(UUID().uuidString).log").path
        defer { unlink(name) }
        let process = try spawn(command, output: name)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let text = try String(contentsOfFile: name, encoding: .utf8)
        guard status == 0 else { throw Failure(command: command, output: text) }
        return text
    }

    /// Foundation's `Process` would wait for the server as well, which a program has started.
    private static func spawn(_ command: [String], output: String) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // A server counts what it has of this process as files of its own.
        let script = """
            for file in /proc/$$/fd/*; do
                number=${file##*/}
                if [[ $number -gt 2 ]]; then eval "exec $number>&-"; fi
            done
            exec "$@"
            """
        let arguments = (["bash", "-c", script, "bash"] + command).map { strdup($0) } + [nil]
        let variables = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var process = pid_t()
        let code = posix_spawnp(&process, "bash", &actions, nil, arguments, variables)
        guard code == 0 else { throw Failure(command: command, output: "errno \(code)") }
        return process
    }
}
