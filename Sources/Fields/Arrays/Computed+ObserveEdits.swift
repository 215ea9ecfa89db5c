extension Computed {
    /// Calls a closure with the edits that lead from each computed array to the next: a reset at the
    /// start, then, whenever it differs, what a comparison of the two has found.
    ///
    /// ```swift
    /// let open = Computed { tasks.value?.filter { !$0.isDone } }
    /// open.observeEdits { change in rows.update(with: change.edits) }
    /// ```
    ///
    /// The arrays are compared once for all observers: insertions, removals and replacements are
    /// found, and if there are many it is a reset.
    @discardableResult
    public func observeEdits<Element>(
        _ body: @escaping @Sendable (_ change: ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        output.observeEdits(body)
    }

    /// Calls a closure with its owner and the edits, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @discardableResult
    public func observeEdits<Element, Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ change: ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        output.observeEdits(owner, body)
    }
}
