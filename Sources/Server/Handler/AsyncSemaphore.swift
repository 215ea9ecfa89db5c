/// Lets one after the other pass, in the order in which they come.
final class AsyncSemaphore: Sendable {
    /// Those that wait; nil while nobody is inside.
    private let waiting = Guarded<[CheckedContinuation<Void, Never>]?>(nil)

    /// Does something once all that came before have done theirs, also where the task is cancelled.
    func pass<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                if waiting == nil {
                    waiting = []
                    return true
                }
                waiting?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        defer {
            let next = waiting.withLock { waiting in
                if waiting?.isEmpty == true { waiting = nil }
                return waiting?.removeFirst()
            }
            next?.resume()
        }
        return try await body()
    }
}
