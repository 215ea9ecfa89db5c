import Dispatch
import Foundation
import Libpq
import ModelKit
import ModelKitPostgreSQL
import Synchronization

private let insert = """
    INSERT INTO entry VALUES (nextval('entry_ids'), 'Name 123456', 'City 123', 45, 12.5);
    """

/// The statement by which the store creates one record, as the server has received it, and the same without its log.
struct Statement {
    let logged: String
    let plain: String
    private static let types: [UInt32] = [20, 25, 25, 20, 701, 2950, 23]

    init(of store: PostgreSQLModelStore, _ observer: Libpq) async throws {
        _ = try await store.create(Entry(-1)).value
        logged = observer.text(
            "SELECT query FROM pg_stat_activity WHERE query LIKE 'WITH made AS (INSERT INTO%' LIMIT 1"
        )
        guard let start = logged.range(of: ", logged AS ("),
            let end = logged.range(of: ") SELECT key", range: start.upperBound..<logged.endIndex)
        else { preconditionFailure("the statement has another form: \(logged)") }
        plain = String(logged[..<start.lowerBound] + logged[end.lowerBound...].dropFirst())
    }

    /// Runs it so many times on a connection; the numbers are made of a counter.
    func run(_ connection: Libpq, isLogged: Bool, _ numbers: Range<Int>) {
        let name = isLogged ? "logged" : "plain"
        for number in numbers {
            let entry = Entry(number)
            var values = LibpqValues()
            values.append(Int64(number))
            values.append(entry.name.value ?? "")
            values.append(entry.city.value ?? "")
            values.append(Int64(entry.count.value ?? 0))
            values.append(entry.weight.value ?? 0)
            values.append(UUID())
            values.append(Int32(0))
            connection.run(name, values)
        }
    }

    func prepare(_ connection: Libpq) {
        connection.prepare("logged", logged, Self.types)
        connection.prepare("plain", plain, Self.types)
    }
}

/// Writes per second of pgbench, by a prepared insert of the same columns.
func pgbench(_ clients: Int, _ writes: Int, _ script: String) throws -> Double {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
        "pgbench", "-n", "-M", "prepared", "-c", "\(clients)", "-j", "2", "-t",
        "\(writes / clients)", "-f", script,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
        let rate = Double(line.dropFirst(6).prefix { $0 != " " })
    else { return 0 }
    return rate
}

/// - Returns: Whether all is within its limits.
func measureWriters(_ width: Int) async throws -> Bool {
    let observer = Libpq()
    let script = NSTemporaryDirectory() + "modelkit-insert-\(getpid()).sql"
    try insert.write(toFile: script, atomically: true, encoding: .utf8)
    defer { unlink(script) }
    let writes = 3_200
    observer.execute(
        """
        DROP TABLE IF EXISTS "Entry", "_modelkit_log", entry; \
        DROP SEQUENCE IF EXISTS "_modelkit_revisions_Entry", "_modelkit_numbers_Entry", entry_ids; \
        CREATE TABLE entry (id bigint PRIMARY KEY, name text, city text, count bigint, weight float8); \
        CREATE SEQUENCE entry_ids
        """
    )
    let store = try PostgreSQLModelStore("", PostgreSQLOptions(connections: width))
    let statement = try await Statement(of: store, observer)
    let connections = (0..<width).map { _ in Libpq() }
    for connection in connections { statement.prepare(connection) }
    var rates: [String: [Double]] = [:]
    let next = Atomic(1)
    for round in -1..<7 {
        for name in ["store", "logged", "plain", "pgbench"] {
            observer.execute("TRUNCATE \"Entry\", \"_modelkit_log\", entry; CHECKPOINT")
            let each = writes / width
            let rate: Double
            switch name {
            case "pgbench": rate = try pgbench(width, writes, script)
            case "store":
                let models = (0..<width).map { _ in
                    let first = next.add(each, ordering: .relaxed).oldValue
                    return (first..<first + each).map(Entry.init)
                }
                rate =
                    try await Double(writes)
                    / seconds {
                        try await withThrowingTaskGroup { group in
                            for part in models {
                                group.addTask {
                                    for model in part { _ = try await store.create(model).value }
                                }
                            }
                            try await group.waitForAll()
                        }
                    }
            default:
                rate =
                    await Double(writes)
                    / seconds {
                        await withCheckedContinuation { done in
                            let group = DispatchGroup()
                            for connection in connections {
                                let first = next.add(each, ordering: .relaxed).oldValue
                                group.enter()
                                Thread {
                                    statement.run(
                                        connection,
                                        isLogged: name == "logged",
                                        first..<first + each
                                    )
                                    group.leave()
                                }.start()
                            }
                            group.notify(queue: .global()) { done.resume() }
                        }
                    }
            }
            // The first round is to warm up.
            if round >= 0 { rates[name, default: []].append(rate) }
        }
    }
    try await store.close().value
    let names = ["store", "logged", "plain", "pgbench"]
    let medians = Dictionary(uniqueKeysWithValues: names.map { ($0, median(rates[$0] ?? [])) })
    say(
        "\(width) writers, writes per second: "
            + names.map { "\($0) \(Int(medians[$0] ?? 0))" }.joined(separator: ", ")
    )
    func ratio(_ name: String, _ peer: String) -> Double {
        median(zip(rates[name] ?? [], rates[peer] ?? []).map { $0 / $1 })
    }
    var isGood = report(
        "\(width) writers, the store's statement with its log beside it without",
        ratio("logged", "plain"),
        least: 0.8
    )
    // Without the log: with it, it is that times the figure before.
    let withoutLog = ratio("store", "pgbench") / ratio("logged", "plain")
    isGood =
        report("\(width) writers, the store beside pgbench", ratio("store", "pgbench")) && isGood
    return report("\(width) writers, the same as if it had no log", withoutLog, least: 0.6)
        && isGood
}
