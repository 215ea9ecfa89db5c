extension ObservationSource {
    /// Calls a closure with the edits that lead from each array to the next.
    ///
    /// ```swift
    /// var rows: [String] = []
    /// tags.observeEdits { change in try? change.apply(to: &rows) }
    /// ```
    ///
    /// The first call is a reset to the current elements; then it is called whenever the array
    /// differs. Edits of an `ArrayField` are delivered as they were made, those of a batch together, as are
    /// those that are pending on a queue. Where a whole array was set, or computed, the arrays are compared,
    /// once for all observers: insertions, removals and replacements are found, and if there are many it is
    /// a reset.
    @discardableResult
    public func observeEdits<Element>(
        _ body: @escaping @Sendable (_ change: ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        observerList.observeScripts { _, change in body(change) }
    }

    /// Calls a closure with its owner and the edits, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @discardableResult
    public func observeEdits<Element, Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ change: ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        observerList.observeScripts(owner) { observer, change in
            guard let object = observer.owner else { return }
            // The observer has the owner that it was made with.
            body(unsafeDowncast(object, to: Owner.self), change)
        }
    }
}

extension OnMain {
    /// Calls a closure on the main thread with the edits that lead from each array to the next.
    ///
    /// As `Field.observeEdits`, but pending edits are delivered together, and none is left out.
    @discardableResult
    public func observeEdits<Element>(
        _ body: @escaping @MainActor @Sendable (_ change: ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        source.observeEdits { change in MainActor.assumeIsolated { body(change) } }
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
        source.observeEdits(owner) { owner, change in
            MainActor.assumeIsolated { body(owner, change) }
        }
    }
}

extension ObserverList {
    /// Registers a closure that takes edits; in another place those that are pending there are joined.
    fileprivate func observeScripts<Element>(
        _ owner: AnyObject? = nil,
        _ body: @escaping @Sendable (Observer<Value>, ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        field.recordEdits()
        guard let place else {
            let action = Observer<Value>.Action.edits { observer, change, script in
                guard let script = change.resolve(&script) else { return }
                body(observer, ArrayChange(change, script))
            }
            return register(.everySet, owner: owner, action)
        }
        let mailbox = Mailbox<Value>(place) { observer, old, new, script in
            body(observer, ArrayChange(old: old ?? [], new: new ?? [], script: script ?? .reset))
        }
        let action = Observer<Value>.Action.edits { [weak field] observer, change, script in
            guard let field, let script = change.resolve(&script) else { return }
            mailbox.take(change, script, of: field, from: observer)
        }
        return field.register(Observer(.everySet, owner: owner, action))
    }
}
