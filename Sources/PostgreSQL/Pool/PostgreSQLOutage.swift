import ModelKitEssentials
import ModelKitStores

/// Notifies of times in which no connection can be made, from the first attempt that fails to one that does not.
///
/// What receives events is called while nothing is locked, so attempts of other threads may end meanwhile.
final class PostgreSQLOutage: Sendable {
    private enum State {
        case none, beginning
        case lasts(StoreEvents.Running)
        /// It has ended before what receives its beginning has returned.
        case over(Result<Int?, any Error>)
    }

    private let events: StoreEvents?
    private let state = Guarded(State.none)

    init(_ events: StoreEvents?) { self.events = events }

    /// An attempt has failed.
    func begin() {
        guard let events else { return }
        let isFirst = state.withLock { state in
            guard case .none = state else { return false }
            state = .beginning
            return true
        }
        if !isFirst { return }
        let running = events.begin(.reconnect)
        let end: Result<Int?, any Error>? = state.withLock { state in
            if case .over(let end) = state {
                state = .none
                return end
            }
            state = .lasts(running)
            return nil
        }
        if let end { running.end(end) }
    }

    /// An attempt has not failed, or there will be none.
    func end(_ result: Result<Int?, any Error> = .success(nil)) {
        let running: StoreEvents.Running? = state.withLock { state in
            switch state {
            case .none, .over: return nil
            case .beginning:
                state = .over(result)
                return nil
            case .lasts(let running):
                state = .none
                return running
            }
        }
        running?.end(result)
    }
}
