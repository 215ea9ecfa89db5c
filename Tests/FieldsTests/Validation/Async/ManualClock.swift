import ModelKitFields

/// A clock that stands still until it is moved on.
// Safe: the variables are guarded by `lock`.
final class ManualClock: Clock, @unchecked Sendable {
    struct Instant: InstantProtocol {
        var offset = Swift.Duration.zero

        func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private typealias Sleeper = (
        deadline: Instant, continuation: CheckedContinuation<Void, any Error>
    )

    private let lock = Lock()
    private var time = Instant()
    private var sleepers: [Int: Sleeper] = [:]
    private var cancelled: Set<Int> = []
    private var count = 0

    var now: Instant { lock.withLock { time } }
    let minimumResolution = Swift.Duration.zero

    /// How many sleep.
    var sleeping: Int { lock.withLock { sleepers.count } }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let id = lock.withLock {
            count += 1
            return count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                lock.lock()
                let isOver = cancelled.contains(id) || deadline <= time
                if !isOver { sleepers[id] = (deadline, continuation) }
                lock.unlock()
                if isOver { continuation.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            lock.withLock {
                cancelled.insert(id)
                return sleepers.removeValue(forKey: id)
            }?.continuation.resume()
        }
    }

    /// Goes on, and wakes those whose time has come.
    func advance(by duration: Swift.Duration) {
        let woken = lock.withLock {
            time = time.advanced(by: duration)
            let due = sleepers.filter { $0.value.deadline <= time }
            for id in due.keys { sleepers[id] = nil }
            return due.sorted { $0.value.deadline < $1.value.deadline }
        }
        for (_, sleeper) in woken { sleeper.continuation.resume() }
    }
}

/// Waits until a condition holds, which another task brings about.
func until(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
}

/// Lets other tasks go on for a while, to find what should not happen.
func letOthersRun() async {
    for _ in 0..<100 { await Task.yield() }
}
