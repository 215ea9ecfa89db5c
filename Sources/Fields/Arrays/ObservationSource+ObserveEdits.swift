extension Field {
    /// Calls a closure with the edits that lead from each array to the next.
    ///
    /// ```swift
    /// var rows: [String] = []
    /// tags.observeEdits { change in try? change.apply(to: &rows) }
    /// ```
    ///
    /// The first call is a reset to the current elements; then it is called whenever the array
    /// differs. Edits of an `ArrayField` are delivered as they were made, those of a batch together.
    /// Where a whole array was set, the arrays are compared, once for all observers: insertions,
    /// removals and replacements are found, and if there are many it is a reset.
    @discardableResult
    public final func observeEdits<Element>(
        _ body: @escaping @Sendable (_ change: ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        observeScripts { _, change, script in body(ArrayChange(change, script)) }
    }

    /// Calls a closure with its owner and the edits, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @discardableResult
    public final func observeEdits<Element, Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ change: ArrayChange<Element>) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        observeScripts(owner) { observer, change, script in
            guard let object = observer.owner else { return }
            // The observer has the owner that it was made with.
            let owner = unsafeDowncast(object, to: Owner.self)
            body(owner, ArrayChange(change, script))
        }
    }
}

extension FieldCore {
    final func observeScripts<Element>(
        _ owner: AnyObject? = nil,
        _ body:
            @escaping @Sendable (
                _ observer: Observer<Value>, _ change: Change<Value>, EditScript
            ) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        recordEdits()
        let action = Observer<Value>.Action.edits { observer, change, script in
            if let script = change.resolve(&script) { body(observer, change, script) }
        }
        return register(Observer(.everySet, owner: owner, action))
    }
}
