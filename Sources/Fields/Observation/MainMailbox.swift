import Dispatch

/// Brings changes to an observer on the main thread, keeping one that waits.
// Safe: every variable is guarded by `lock`.
@usableFromInline
final class MainMailbox<Value: Equatable & Sendable>: @unchecked Sendable {
    @usableFromInline
    typealias Body =
        @MainActor @Sendable (_ owner: AnyObject?, _ old: Value?, _ new: Value?) -> Void

    private let lock = Lock()
    private var body: Body?
    private var waiting: (old: Value?, new: Value?)?
    /// Whether the main thread has been called for and is not done yet.
    private var isPosted = false

    init(_ body: @escaping Body) {
        self.body = body
    }

    /// Calls the closure if this is the main thread and nothing waits; otherwise the main thread
    /// will.
    @usableFromInline
    func take(_ old: Value?, _ new: Value?, from observer: Observer<Value>) {
        let isMain = MainQueue.isCurrent
        lock.lock()
        if isMain, !isPosted {
            let body = self.body
            lock.unlock()
            return MainActor.assumeIsolated { body?(observer.owner, old, new) }
        }
        let overtaken = waiting
        waiting = (overtaken == nil ? old : overtaken?.old, new)
        let post = !isPosted
        isPosted = true
        lock.unlock()
        withExtendedLifetime(overtaken) {}
        if post { MainQueue.post { self.empty(for: observer) } }
    }

    /// Tells what waits, also what comes meanwhile.
    @MainActor
    private func empty(for observer: Observer<Value>) {
        while true {
            lock.lock()
            let change = waiting
            waiting = nil
            if change == nil { isPosted = false }
            let body = self.body
            lock.unlock()
            guard let change else { return }
            if observer.isCancelled { continue }
            if observer.isOrphaned {
                observer.cancel()
            } else {
                body?(observer.owner, change.old, change.new)
            }
        }
    }

    /// Drops the closure; a call that has begun ends with its own reference to it.
    func close() {
        lock.lock()
        let body = self.body
        self.body = nil
        lock.unlock()
        withExtendedLifetime(body) {}
    }
}

/// The main queue, and whether this code runs on it.
///
/// The thread does not tell: on Linux any thread may serve the main queue.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    static func post(_ body: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated(body) }
    }
}
