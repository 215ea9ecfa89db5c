import Synchronization

/// Collects what observers see, from any thread.
final class Log<Entry: Sendable>: Sendable {
    // A class lock of the standard library would be invisible to the thread sanitizer on Linux, so
    // this spins; tests do not care.
    private let isLocked = Atomic<Bool>(false)
    nonisolated(unsafe) private var storage: [Entry] = []  // guarded by `isLocked`

    private func withLock<Result>(_ body: () -> Result) -> Result {
        while isLocked.exchange(true, ordering: .acquiring) {}
        defer { isLocked.store(false, ordering: .releasing) }
        return body()
    }

    func add(_ entry: Entry) { withLock { storage.append(entry) } }
    var entries: [Entry] { withLock { storage } }
    var count: Int { withLock { storage.count } }
    func clear() { withLock { storage = [] } }
}

/// A count that several threads raise.
final class Counter: Sendable {
    private let storage = Atomic<Int>(0)
    func increment() { storage.add(1, ordering: .sequentiallyConsistent) }
    func decrement() { storage.subtract(1, ordering: .sequentiallyConsistent) }
    var value: Int { storage.load(ordering: .sequentiallyConsistent) }
}
