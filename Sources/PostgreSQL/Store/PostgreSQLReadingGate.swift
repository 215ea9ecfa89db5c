import Dispatch
import ModelKitEssentials
import Synchronization

/// Keeps what is new from being read and judged while a read takes its moment.
///
/// So what is judged after that moment is not older than what is read, which takes the place of what was judged before.
final class PostgreSQLReadingGate: Sendable {
    private let turn = DispatchSemaphore(value: 1)
    /// How many wait who come seldom, and go first.
    private let waiting = Atomic<Int>(0)

    /// Runs the body, which is done all the time.
    func passing<Value>(_ body: () throws -> Value) rethrows -> Value {
        for _ in 0..<50 where waiting.load(ordering: .relaxed) > 0 { sleep(forSeconds: 0.001) }
        turn.wait()
        defer { turn.signal() }
        return try body()
    }

    /// Runs the body, which is short.
    ///
    /// - Parameters:
    ///   - end: When it is too late; nil for never.
    ///   - body: What to do.
    /// - Returns: What the body gives.
    /// - Throws: What the body throws; `.timedOut` if it is too late.
    func entering<Value>(
        until end: ContinuousClock.Instant?,
        _ body: () throws -> Value
    ) throws -> Value {
        waiting.add(1, ordering: .relaxed)
        let time = end.map { DispatchTime.now() + .milliseconds(Int($0.milliseconds)) }
        let isIn = turn.wait(timeout: time ?? .distantFuture) == .success
        waiting.subtract(1, ordering: .relaxed)
        guard isIn else {
            throw PostgreSQLError(.timedOut, "what was written is being read")
        }
        defer { turn.signal() }
        return try body()
    }
}
