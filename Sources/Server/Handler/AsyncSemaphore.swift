import ModelKitValues

/// Lets one after the other pass, in the order in which they come.
// Safe: the variables are guarded by the lock.
final class AsyncSemaphore: @unchecked Sendable {
    private let lock = Lock()
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Does something once all that came before have done theirs, also where the task is cancelled.
    func pass<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await withCheckedContinuation { continuation in
            let isFree = lock.withLock {
                if isBusy { waiting.append(continuation) }
                defer { isBusy = true }
                return !isBusy
            }
            if isFree { continuation.resume() }
        }
        defer { leave() }
        return try await body()
    }

    private func leave() {
        let next = lock.withLock {
            isBusy = !waiting.isEmpty
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }
        next?.resume()
    }
}
