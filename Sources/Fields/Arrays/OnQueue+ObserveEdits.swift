extension OnQueue {
    /// Calls a closure on the queue with the edits that lead from each array to the next.
    ///
    /// As `Field.observeEdits`, but pending edits are delivered together, and none is left out.
    @discardableResult
    public func observeEdits<Element>(
        _ body: @escaping @Sendable (_ change: ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        field.observeScripts(in: .queue(queue)) { _, change in body(change) }
    }

    /// Calls a closure on the queue with its owner and the edits, while the owner lives.
    @discardableResult
    public func observeEdits<Element, Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ change: ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        field.observeScripts(in: .queue(queue), owner) { observer, change in
            // The observer hands in the owner it was made with.
            if let object = observer.owner { body(unsafeDowncast(object, to: Owner.self), change) }
        }
    }
}
