/// How far a request has come that is tried again, for whoever cancels it.
final class RetryCourse: Sendable {
    private enum Stage {
        case pause
        /// The transport is being called.
        case beginning
        case attempt(Promise<HTTPReply>)
    }

    private struct State {
        var stage = Stage.pause
        /// Whether the server may have got one of the attempts that have ended.
        var wasSent = false
        var isCancelled = false
    }

    private let state = Guarded(State())

    /// Before each attempt; false if there is to be none any more.
    func begin() -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.stage = .beginning }
            return !state.isCancelled
        }
    }

    func note(_ attempt: Promise<HTTPReply>) { set(.attempt(attempt)) }

    /// After each attempt that there is to be another one for.
    func end(mayBeSent: Bool) {
        state.withLock { $0.wasSent = mayBeSent }
        set(.pause)
    }

    func cancel() { state.withLock { $0.isCancelled = true } }

    /// Whether the server may have got any of the attempts, as far as that is known.
    var mayBeSent: Bool {
        let (stage, wasSent) = state.withLock { ($0.stage, $0.wasSent) }
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
        let old = state.withLock { state in
            defer { state.stage = new }
            return state.stage
        }
        withExtendedLifetime(old) {}
    }
}
