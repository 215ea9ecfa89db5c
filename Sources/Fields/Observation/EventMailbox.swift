/// Brings events to the main thread, in order.
package final class EventMailbox<Event: Sendable>: Sendable {
    /// Returns whether it wants more.
    package typealias Body = @Sendable (Event) -> Bool

    private struct State: Sendable {
        /// nil when it is closed.
        var body: Body?
        var waiting = Fifo<Event>()
        /// Whether the place has been called for and is not done yet.
        var isPosted = false
    }

    private let state: Guarded<State>

    /// Brings them to the main thread.
    package init(onMain body: @escaping @MainActor @Sendable (Event) -> Bool) {
        // Who calls it is in the place of the mailbox.
        state = Guarded(State(body: { event in MainActor.assumeIsolated { body(event) } }))
    }

    /// Takes an event: it is delivered synchronously if this is the main thread and nothing is pending.
    ///
    /// - Returns: Whether more are wanted.
    package func take(_ event: Event) -> Bool {
        let isHere = Place.main.isCurrent
        let (body, isNow, mustPost) = state.withLock { state in
            guard let body = state.body else { return (nil as Body?, false, false) }
            if isHere, !state.isPosted { return (body, true, false) }
            state.waiting.append(event)
            defer { state.isPosted = true }
            return (body, false, !state.isPosted)
        }
        guard let body else { return false }
        if isNow { return body(event) }
        if mustPost { Place.main.post { self.notify() } }
        return true
    }

    /// Delivers the first pending event; what comes meanwhile gets a turn of its own.
    private func notify() {
        let (body, event) = state.withLock { ($0.body, $0.waiting.popFirst()) }
        if let body, let event, !body(event) { close() }
        let mustPost = state.withLock { state in
            state.isPosted = !state.waiting.isEmpty
            return state.isPosted
        }
        if mustPost { Place.main.post { self.notify() } }
    }

    /// Delivers nothing more, also of what is pending.
    package func close() {
        let old = state.withLock { state in
            defer { (state.body, state.waiting) = (nil, Fifo()) }
            return (state.body, state.waiting)
        }
        withExtendedLifetime(old) {}
    }
}
