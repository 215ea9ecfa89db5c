extension FieldCore {
    /// Calls a closure in another place with the edits; those that wait for it are joined.
    final func observeScripts<Element>(
        in place: Place,
        _ owner: AnyObject? = nil,
        _ body: @escaping @Sendable (Observer<Value>, ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        let waiting = WaitingEdits<Element>()
        // Of the changes that wait the mailbox delivers the last only; then this has them all.
        let mailbox = Mailbox<Value>(place) { observer, _, _ in
            if let change = waiting.take() { body(observer, change) }
        }
        return observeScripts(owner) { [weak self] observer, change, script in
            guard let self else { return }
            waiting.add(change.old ?? [], change.new ?? [], script)
            mailbox.take(change, of: self, from: observer)
        }
    }
}

/// The change of an array that waits to be delivered, or several joined.
private final class WaitingEdits<Element: Equatable & Sendable>: Sendable {
    /// Its script is a copy that nobody else has.
    private let waiting = Guarded<(old: [Element], new: [Element], script: EditScript)?>(nil)

    func add(_ old: [Element], _ new: [Element], _ script: EditScript) {
        let superseded = waiting.withLock { waiting in
            let superseded = waiting?.new
            if waiting == nil {
                waiting = (old, new, script.copy())
            } else {
                waiting?.new = new
                waiting?.script.append(script)
            }
            return superseded
        }
        withExtendedLifetime(superseded) {}
    }

    func take() -> ArrayChange<Element>? {
        let taken = waiting.withLock { $0.take() }
        return taken.map { ArrayChange(old: $0.old, new: $0.new, script: $0.script) }
    }
}
