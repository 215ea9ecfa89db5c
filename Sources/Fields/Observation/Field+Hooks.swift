import ModelKitValues

/// Why a hook of the library is called.
package enum HookCall: Sendable {
    /// It was just added, and learns the value there is.
    case first
    case change
    /// The field was set to a value that it takes for the one it had.
    case set
}

extension HookCall {
    fileprivate init<Value>(_ change: Change<Value>) {
        self = change.isFirst ? .first : change.isChange ? .change : .set
    }
}

extension Field {
    /// Adds a hook of the library that learns the value, with an old one of nil, and then every set:
    /// each old value is the new one of the call before.
    ///
    /// It counts as no observer, but is cancelled like one some time after its owner is gone.
    package final func hook(
        by owner: AnyObject?,
        _ body: @escaping @Sendable (_ old: Value?, _ new: Value?, HookCall) -> Void
    ) -> Observation {
        addHook(by: owner) { _, change, _ in body(change.old, change.new, HookCall(change)) }
    }

    /// As `hook`, with the edits that lead from each array to the next.
    ///
    /// A set to the same value is a reset.
    package final func hookEdits<Element>(
        by owner: AnyObject?,
        _ body: @escaping @Sendable (_ change: ArrayChange<Element>, HookCall) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        recordEdits()
        return addHook(by: owner) { _, change, script in
            body(ArrayChange(change, change.resolve(&script) ?? .reset), HookCall(change))
        }
    }

    private func addHook(
        by owner: AnyObject?,
        _ body: @escaping Observer<Value>.Edits
    ) -> Observation {
        let observer = Observer<Value>(.everySet, owner: owner, .edits(body))
        observer.isInternal = true
        return register(observer)
    }

    /// Has the edits of arrays recorded from now on.
    final func recordEdits() {
        let details = ensureDetails()
        lock.withLock { details.recordsEdits = true }
    }
}
