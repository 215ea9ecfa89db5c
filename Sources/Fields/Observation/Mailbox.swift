public import Dispatch

/// Brings changes to an observer in another place, keeping one that waits.
// Safe: every variable is guarded by `lock`. `Guarded` would have to look up what its state is made of at
// every change, as that depends on the type of the values.
final class Mailbox<Value: Equatable & Sendable>: Receiver, @unchecked Sendable {
    /// Calls the closure of the user; it runs in the place of the mailbox.
    typealias Body =
        @Sendable (
            _ observer: Observer<Value>, _ old: Value?, _ new: Value?, _ script: EditScript?
        ) -> Void

    private let place: Place
    private let lock = Lock()
    private var body: Body?
    private var waiting: WaitingChange<Value>?
    /// Whether the place has been called for and is not done yet.
    private var isPosted = false

    init(_ place: Place, _ body: @escaping Body) {
        self.place = place
        self.body = body
    }

    /// Calls the closure if this is the main thread and nothing waits; otherwise the place will.
    func take(_ change: Change<Value>, of field: FieldCore<Value>, from observer: Observer<Value>) {
        take(change, nil, of: field, from: observer)
    }

    /// The same with the edits of an array.
    func take(
        _ change: Change<Value>,
        _ script: EditScript?,
        of field: FieldCore<Value>,
        from observer: Observer<Value>
    ) {
        let isHere = place.isCurrent
        let areSame = field.ownEquality
        lock.lock()
        if isHere, !isPosted {
            let body = self.body
            lock.unlock()
            body?(observer, change.old, change.new, script)
            return
        }
        let superseded = waiting?.join(change, script)
        if waiting == nil { waiting = WaitingChange(change, script, by: areSame) }
        let mustPost = !isPosted
        isPosted = true
        lock.unlock()
        withExtendedLifetime(superseded) {}
        if mustPost { place.post { self.notify(observer) } }
    }

    /// Delivers what is pending.
    ///
    /// What comes meanwhile gets a turn of its own, so that the place has time for others.
    private func notify(_ observer: Observer<Value>) {
        lock.lock()
        let change = waiting.take()
        let body = self.body
        lock.unlock()
        if observer.isOrphaned {
            observer.cancel()
        } else if let change, change.isDelivered(takingSets: observer.takesSets),
            !observer.isCancelled
        {
            body?(observer, change.old, change.new, change.script)
        }
        lock.lock()
        let mustPost = waiting != nil
        isPosted = mustPost
        lock.unlock()
        if mustPost { place.post { self.notify(observer) } }
    }

    /// Drops the closure; a call that has begun ends with its own reference to it.
    func close() {
        lock.lock()
        let body = body.take()
        lock.unlock()
        withExtendedLifetime(body) {}
    }
}

/// Where a mailbox calls its observer.
@usableFromInline
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
