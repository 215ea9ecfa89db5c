extension OnMain {
    /// Calls a closure on the main thread with the edits that lead from each array to the next.
    ///
    /// As `Field.observeEdits`, but edits that wait for the main thread are told together, none is
    /// left out.
    @discardableResult
    public func observeEdits<Element>(
        _ body: @escaping @MainActor @Sendable (_ change: ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        observeScripts { _, change in body(change) }
    }

    /// Calls a closure on the main thread with its owner and the edits, while the owner lives.
    @discardableResult
    public func observeEdits<Element, Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body:
            @escaping @MainActor @Sendable (
                _ owner: Owner, _ change: ArrayChange<Element>
            ) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        observeScripts(owner) { object, change in
            // The observer hands in the owner it was made with.
            if let object { body(unsafeDowncast(object, to: Owner.self), change) }
        }
    }

    private func observeScripts<Element>(
        _ owner: AnyObject? = nil,
        _ body: @escaping @MainActor @Sendable (AnyObject?, ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        let waiting = WaitingEdits<Element>()
        // Of the changes that wait the mailbox tells the last only; then this has them all.
        let mailbox = Mailbox<Value>(.main) { observer, _, _ in
            guard let change = waiting.take() else { return }
            MainActor.assumeIsolated { body(observer.owner, change) }
        }
        return field.observeScripts(owner) { [weak field] observer, old, new, script in
            guard let field else { return }
            waiting.add(old, new, script)
            mailbox.take(old, new, of: field, from: observer)
        }
    }
}

/// The change of an array that waits to be told, or several joined.
// Safe: the variable is guarded by the lock.
private final class WaitingEdits<Element: Equatable & Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var waiting: (old: [Element], new: [Element], script: EditScript)?

    func add(_ old: [Element], _ new: [Element], _ script: EditScript) {
        lock.lock()
        let overtaken = waiting?.new
        if waiting == nil {
            waiting = (old, new, script.copy())
        } else {
            waiting?.new = new
            waiting?.script.append(script)
        }
        lock.unlock()
        withExtendedLifetime(overtaken) {}
    }

    func take() -> ArrayChange<Element>? {
        let taken = lock.withLock {
            let taken = waiting
            waiting = nil
            return taken
        }
        return taken.map { ArrayChange(old: $0.old, new: $0.new, script: $0.script) }
    }
}
