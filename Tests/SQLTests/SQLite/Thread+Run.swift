import Foundation
import ModelKitFields

extension Thread {
    /// Runs the body on a thread of its own and waits for it.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () -> Result<Value, any Error>
    ) throws -> Value {
        let outcome = Outcome<Value>()
        Thread { outcome.set(body()) }.start()
        return try outcome.wait()
    }
}

private final class Outcome<Value: Sendable>: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let lock = Lock()
    // Safe: only touched under the lock.
    nonisolated(unsafe) private var result: Result<Value, any Error>?

    func set(_ result: Result<Value, any Error>) {
        lock.withLock { self.result = result }
        done.signal()
    }

    func wait() throws -> Value {
        done.wait()
        let result = lock.withLock { self.result }
        guard let result else { throw CancellationError() }
        return try result.get()
    }
}
