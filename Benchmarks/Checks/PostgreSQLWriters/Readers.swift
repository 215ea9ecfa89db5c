import Foundation
import Libpq
import ModelKit
import ModelKitPostgreSQL
import Synchronization

private final class Counts: Sendable {
    let cancelled = Atomic(0)
    let slow = Atomic(0)
}

/// - Returns: Whether all is within its limits.
func measureReaders() async throws -> Bool {
    let store = try PostgreSQLModelStore("", PostgreSQLOptions(connections: 8))
    let observer = Libpq()
    observer.execute("DROP TABLE IF EXISTS \"Entry\", \"Slow\", \"_modelkit_log\"")
    _ = try await store.create((1...10_000).map(Entry.init)).value
    _ = try await store.list(Slow.self).value
    observer.execute("ANALYZE")
    let end = ContinuousClock.now + .seconds(12)
    let counts = Counts()
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
                counts.slow.add(1, ordering: .relaxed)
            }
            return []
        }
        // One is cancelled each second, while it runs.
        group.addTask {
            while .now < end {
                let list: Promise<[Entry]> = store.list(Entry.self)
                try await Task.sleep(for: .milliseconds(5))
                list.cancel()
                do { _ = try await list.value } catch {
                    counts.cancelled.add(1, ordering: .relaxed)
                }
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
            + "\(counts.slow.load(ordering: .relaxed)) of 5 s, \(counts.cancelled.load(ordering: .relaxed)) cancelled"
    )
    return report("64 tasks on 8 connections, p99 beside p50", most / half, most: 5)
}
