package import Dispatch
import ModelKitValues

/// Brings events to the main thread or a queue, in order.
// Safe: the variables are guarded by `lock`; what they held is released outside of it.
package final class EventMailbox<Event: Sendable>: @unchecked Sendable {
    /// Returns whether it wants more.
    package typealias Body = @Sendable (Event) -> Bool

    private let place: Place
    private let lock = Lock()
    /// nil when it is closed.
    private var body: Body?
    private var waiting = Fifo<Event>()
    /// Whether the place has been called for and is not done yet.
    private var isPosted = false

    /// Brings them to the main thread.
    package init(onMain body: @escaping @MainActor @Sendable (Event) -> Bool) {
        place = .main
        // Who calls it is in the place of the mailbox.
        self.body = { event in MainActor.assumeIsolated { body(event) } }
    }

    /// Brings them to a queue.
    package init(on queue: DispatchQueue, _ body: @escaping Body) {
        place = .queue(queue)
        self.body = body
    }

    /// Takes an event: it is delivered synchronously if this is the main thread and nothing is pending.
    ///
    /// - Returns: Whether more are wanted.
    package func take(_ event: Event) -> Bool {
        let isHere = place.isCurrent
        lock.lock()
        guard let body else {
            lock.unlock()
            return false
        }
        if isHere, !isPosted {
            lock.unlock()
            return body(event)
        }
        waiting.append(event)
        let mustPost = !isPosted
        isPosted = true
        lock.unlock()
        if mustPost { place.post { self.notify() } }
        return true
    }

    /// Delivers the first pending event; what comes meanwhile gets a turn of its own.
    private func notify() {
        lock.lock()
        let (body, event) = (self.body, waiting.popFirst())
        lock.unlock()
        if let body, let event, !body(event) { close() }
        let mustPost = lock.withLock {
            isPosted = !waiting.isEmpty
            return isPosted
        }
        if mustPost { place.post { self.notify() } }
    }

    /// Delivers nothing more, also of what is pending.
    package func close() {
        lock.lock()
        let old = (body, waiting)
        (body, waiting) = (nil, Fifo())
        lock.unlock()
        withExtendedLifetime(old) {}
    }
}
