/// Brings events to the main thread, in order.
// Safe: the variables are guarded by `lock`; what they held is released outside of it.
package final class EventMailbox<Event: Sendable>: @unchecked Sendable {
    /// Returns whether it wants more.
    package typealias Body = @MainActor @Sendable (Event) -> Bool

    private let place = Place.main
    private let lock = Lock()
    /// nil when it is closed.
    private var body: Body?
    private var waiting = Fifo<Event>()
    /// Whether the main thread has been called for and is not done yet.
    private var isPosted = false

    package init(_ body: @escaping Body) {
        self.body = body
    }

    /// Takes an event: it is told in place if this is the main thread and nothing waits.
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
            return MainActor.assumeIsolated { body(event) }
        }
        waiting.append(event)
        let mustPost = !isPosted
        isPosted = true
        lock.unlock()
        if mustPost { place.post { self.tell() } }
        return true
    }

    /// Tells the event that waits first; what comes meanwhile gets a turn of its own.
    private func tell() {
        lock.lock()
        let (body, event) = (self.body, waiting.popFirst())
        lock.unlock()
        if let body, let event, !MainActor.assumeIsolated({ body(event) }) { close() }
        let mustPost = lock.withLock {
            isPosted = !waiting.isEmpty
            return isPosted
        }
        if mustPost { place.post { self.tell() } }
    }

    /// Tells nothing more, also of what waits.
    package func close() {
        lock.lock()
        let old = (body, waiting)
        (body, waiting) = (nil, Fifo())
        lock.unlock()
        withExtendedLifetime(old) {}
    }
}
