import ModelKitFields
import ModelKitStores

/// How far a request has come that is tried again, for whoever cancels it.
// Safe: the variables are guarded by the lock.
final class RetryCourse: @unchecked Sendable {
    private enum Stage {
        case pause
        /// The transport is being called.
        case beginning
        case attempt(Promise<HTTPReply>)
    }

    private let lock = Lock()
    private var stage = Stage.pause
    /// Whether the server may have got one of the attempts that have ended.
    private var wasSent = false
    private var isCancelled = false

    /// Before each attempt; false if there is to be none any more.
    func begin() -> Bool {
        lock.withLock {
            if !isCancelled { stage = .beginning }
            return !isCancelled
        }
    }

    func note(_ attempt: Promise<HTTPReply>) { set(.attempt(attempt)) }

    /// After each attempt that there is to be another one for.
    func end(mayBeSent: Bool) {
        lock.withLock { wasSent = mayBeSent }
        set(.pause)
    }

    func cancel() { lock.withLock { isCancelled = true } }

    /// Whether the server may have got any of the attempts, as far as that is known.
    var mayBeSent: Bool {
        let (stage, wasSent) = lock.withLock { (self.stage, self.wasSent) }
        switch stage {
        case .pause: return wasSent
        case .beginning: return true
        case .attempt(let promise):
            guard case .failure(let error)? = promise.result else { return true }
            if let failure = error as? HTTPFailure { return wasSent || failure.mayBeSent }
            return wasSent || !(error is UnsentError)
        }
    }

    /// What was there before is let go of after the lock.
    private func set(_ new: Stage) {
        let old = lock.withLock {
            let old = stage
            stage = new
            return old
        }
        withExtendedLifetime(old) {}
    }
}
