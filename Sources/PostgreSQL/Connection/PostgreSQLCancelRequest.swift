import Dispatch
import Synchronization

/// What has the server cancel what a connection runs, once, from any thread and without waiting.
final class PostgreSQLCancelRequest: Sendable {
    private let cancel: @Sendable () -> Void
    private let isSent = Atomic(false)
    private let end = DispatchGroup()

    init(_ cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }

    var wasSent: Bool { isSent.load(ordering: .acquiring) }

    /// On a thread of its own: it blocks, and a server that does not run does not answer.
    func send() {
        if isSent.exchange(true, ordering: .acquiringAndReleasing) { return }
        end.enter()
        DispatchQueue(label: "ModelKitPostgreSQL cancel").async { [self] in
            cancel()
            end.leave()
        }
    }

    /// Waits until the server has taken it, after which it cancels nothing that is run later; not for one that was not
    /// sent.
    ///
    /// - Returns: False if the time was over.
    func finish(until deadline: ContinuousClock.Instant) -> Bool {
        end.wait(timeout: .now() + .milliseconds(Int(deadline.milliseconds))) == .success
    }
}
