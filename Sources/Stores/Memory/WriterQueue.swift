import ModelKitFields

/// One writer after the other, in the order of the calls: at once if none is at work, else on the thread
/// of the one before.
///
/// So a transaction may run the user's code without a lock, and nobody else writes meanwhile.
// Safe: the variables are guarded by the lock, under which no job runs.
final class WriterQueue: @unchecked Sendable {
    private let lock = Lock()
    private var isBusy = false
    private var waiting: [@Sendable () -> Void] = []

    func run(_ job: @escaping @Sendable () -> Void) {
        let isFirst = lock.withLock {
            if isBusy { waiting.append(job) }
            defer { isBusy = true }
            return !isBusy
        }
        guard isFirst else { return }
        job()
        while let jobs = take() {
            for job in jobs { job() }
        }
    }

    /// Those that have come meanwhile; nil if there are none, so that the next one is the first again.
    private func take() -> [@Sendable () -> Void]? {
        lock.withLock {
            if waiting.isEmpty {
                isBusy = false
                return nil
            }
            defer { waiting = [] }
            return waiting
        }
    }
}
