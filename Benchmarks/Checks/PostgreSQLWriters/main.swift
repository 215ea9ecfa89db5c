import Dispatch
import Foundation
import Libpq
import ModelKit
import ModelKitPostgreSQL
import Synchronization

// What many writers get done, and how long readers wait beside what takes long. Each figure is the median of rounds in
// which all that is compared takes turns. Ends with an error where one is above its limit.
//
//     .ci/postgresql -- swift run -c release PostgreSQLWriters

/// Writes a line at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

guard Libpq.hasServer else {
    say("there is no server: run it by .ci/postgresql")
    exit(0)
}

final class Entry: Model {
    let id = Field<Int>()
    let name = Field<String>()
    let city = Field<String>()
    let count = Field<Int>()
    let weight = Field<Double>()

    convenience init(_ number: Int) {
        self.init()
        id.value = number
        (name.value, city.value) = ("Name \(number)", "City \(number % 1_000)")
        (count.value, weight.value) = (number % 90, Double(number % 700) / 7)
    }
}

final class Slow: Model {
    let id = Field<Int>()
}

var isOver = false

@MainActor func report(_ what: String, _ ratio: Double, least: Double? = nil, most: Double? = nil) {
    let isBad = least.map { ratio < $0 } ?? false || most.map { ratio > $0 } ?? false
    let limit = least.map { "at least \($0)" } ?? most.map { "at most \($0)" } ?? ""
    say("\(what): \(shown(ratio))  \(isBad ? "OVER: " : "")\(limit)")
    isOver = isOver || isBad
}

func shown(_ number: Double) -> String { String(format: "%.2f", number) }

func median(_ numbers: [Double]) -> Double {
    let sorted = numbers.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

// MARK: Writers

/// The statement by which the store creates one record, as the server has received it, and the same without its log.
struct Statement {
    let logged: String
    let plain: String
    private static let types: [UInt32] = [1016, 1009, 1009, 1016, 1022, 2950, 23]

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
            values.append([Int64(number)])
            for text in [entry.name.value ?? "", entry.city.value ?? ""] {
                values.append(array: 1, of: 25) { _, bytes in
                    bytes.append(bigEndian: Int32(text.utf8.count))
                    bytes.append(contentsOf: text.utf8)
                }
            }
            values.append([Int64(entry.count.value ?? 0)])
            values.append(array: 1, of: 701) { _, bytes in
                bytes.append(bigEndian: Int32(8))
                bytes.append(bigEndian: (entry.weight.value ?? 0).bitPattern)
            }
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

func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .seconds(1)
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

let observer = Libpq()
let script = NSTemporaryDirectory() + "modelkit-insert-\(getpid()).sql"
try """
INSERT INTO entry VALUES (nextval('entry_ids'), 'Name 123456', 'City 123', 45, 12.5);
""".write(toFile: script, atomically: true, encoding: .utf8)
defer { unlink(script) }

@MainActor func measureWriters(_ width: Int) async throws {
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
    report(
        "\(width) writers, the store's statement with its log beside it without",
        ratio("logged", "plain"),
        least: 0.8
    )
    // Without the log: with it, it is that times the figure before.
    let withoutLog = ratio("store", "pgbench") / ratio("logged", "plain")
    report("\(width) writers, the store beside pgbench", ratio("store", "pgbench"))
    report("\(width) writers, the same as if it had no log", withoutLog, least: 0.6)
}

// MARK: Readers

@MainActor func measureReaders() async throws {
    let store = try PostgreSQLModelStore("", PostgreSQLOptions(connections: 8))
    observer.execute("DROP TABLE IF EXISTS \"Entry\", \"Slow\", \"_modelkit_log\"")
    _ = try await store.create((1...10_000).map(Entry.init)).value
    _ = try await store.list(Slow.self).value
    observer.execute("ANALYZE")
    let end = ContinuousClock.now + .seconds(12)
    let cancelled = Atomic(0)
    let slow = Atomic(0)
    let times = try await withThrowingTaskGroup(of: [Double].self) { group in
        // One waits for five seconds, again and again, on the server.
        group.addTask {
            while .now < end {
                let blocker = Libpq()
                blocker.execute("BEGIN; LOCK TABLE \"Slow\"")
                let waiting: Promise<[Slow]> = store.list(Slow.self)
                try await Task.sleep(for: .seconds(5))
                blocker.execute("COMMIT")
                _ = try await waiting.value
                slow.add(1, ordering: .relaxed)
            }
            return []
        }
        // One is cancelled each second, while it runs.
        group.addTask {
            while .now < end {
                let list: Promise<[Entry]> = store.list(Entry.self)
                try await Task.sleep(for: .milliseconds(5))
                list.cancel()
                do { _ = try await list.value } catch { cancelled.add(1, ordering: .relaxed) }
                try await Task.sleep(for: .seconds(1))
            }
            return []
        }
        for number in 0..<62 {
            group.addTask {
                var (times, key) = ([Double](), number + 1)
                while .now < end {
                    key = (key * 48_271) % 0x7fff_ffff
                    let start = ContinuousClock.now
                    _ = try await store.lookup(Entry.self, identifier: key % 10_000 + 1).value
                    times.append((ContinuousClock.now - start) / .milliseconds(1))
                }
                return times
            }
        }
        return try await group.reduce(into: [Double]()) { $0 += $1 }
    }.sorted()
    try await store.close().value
    let (half, most) = (times[times.count / 2], times[times.count * 99 / 100])
    say(
        "64 tasks on 8 connections: \(times.count) lookups, p50 \(shown(half)) ms, p99 \(shown(most)) ms, "
            + "\(slow.load(ordering: .relaxed)) of 5 s, \(cancelled.load(ordering: .relaxed)) cancelled"
    )
    report("64 tasks on 8 connections, p99 beside p50", most / half, most: 5)
}

for width in [16, 64] { try await measureWriters(width) }
try await measureReaders()
exit(isOver ? 1 : 0)
