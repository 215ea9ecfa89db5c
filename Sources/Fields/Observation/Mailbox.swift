import Dispatch
import ModelKitValues

/// Brings changes to an observer in another place, keeping one that waits.
final class Mailbox<Value: Equatable & Sendable>: Receiver {
    /// Calls the closure of the user; it runs in the place of the mailbox.
    typealias Body = @Sendable (_ observer: Observer<Value>, _ old: Value?, _ new: Value?) -> Void

    private struct State: Sendable {
        /// nil when it is closed.
        var body: Body?
        var waiting: WaitingChange<Value>?
        /// Whether the place has been called for and is not done yet.
        var isPosted = false
    }

    private let place: Place
    private let state: Guarded<State>

    init(_ place: Place, _ body: @escaping Body) {
        self.place = place
        state = Guarded(State(body: body))
    }

    /// Calls the closure if this is the main thread and nothing waits; otherwise the place will.
    func take(_ change: Change<Value>, of field: Field<Value>, from observer: Observer<Value>) {
        let isHere = place.isCurrent
        let areSame = field.ownEquality
        let (isNow, body, superseded, mustPost) = state.withLock { state in
            if isHere, !state.isPosted { return (true, state.body, nil as Value??, false) }
            let superseded = state.waiting?.join(change)
            if state.waiting == nil { state.waiting = WaitingChange(change, by: areSame) }
            defer { state.isPosted = true }
            return (false, nil, superseded, !state.isPosted)
        }
        if isNow {
            body?(observer, change.old, change.new)
            return
        }
        withExtendedLifetime(superseded) {}
        if mustPost { place.post { self.notify(observer) } }
    }

    /// Delivers what is pending.
    ///
    /// What comes meanwhile gets a turn of its own, so that the place has time for others.
    private func notify(_ observer: Observer<Value>) {
        let (change, body) = state.withLock { ($0.waiting.take(), $0.body) }
        if observer.isOrphaned {
            observer.cancel()
        } else if let change, change.isTold(takingSets: observer.takesSets), !observer.isCancelled {
            body?(observer, change.old, change.new)
        }
        let mustPost = state.withLock { state in
            state.isPosted = state.waiting != nil
            return state.isPosted
        }
        if mustPost { place.post { self.notify(observer) } }
    }

    /// Drops the closure; a call that has begun ends with its own reference to it.
    func close() {
        let body = state.withLock { $0.body.take() }
        withExtendedLifetime(body) {}
    }
}

/// Where a mailbox calls its observer.
enum Place: Sendable {
    case main
    case queue(DispatchQueue)

    /// Whether this code runs there, so that a call needs no detour.
    ///
    /// A queue does not show that: what it runs may run at once with this.
    var isCurrent: Bool {
        switch self {
        // The thread does not show that: on Linux any thread may serve the main queue.
        case .main: DispatchQueue.getSpecific(key: Self.mainKey) == true
        case .queue: false
        }
    }

    func post(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .main: DispatchQueue.main.async(execute: body)
        case .queue(let queue): queue.async(execute: body)
        }
    }

    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()
}
