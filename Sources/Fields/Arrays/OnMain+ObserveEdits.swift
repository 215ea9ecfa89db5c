extension OnMain {
    /// Calls a closure on the main thread with the edits that lead from each array to the next.
    ///
    /// As `Field.observeEdits`, but pending edits are delivered together, and none is left out.
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
        field.observeScripts(in: .main, owner) { observer, change in
            MainActor.assumeIsolated { body(observer.owner, change) }
        }
    }
}
