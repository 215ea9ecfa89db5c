extension HookCall {
    fileprivate init<Value>(_ change: Change<Value>) {
        self = change.isFirst ? .first : change.isChange ? .change : .set
    }
}

extension FieldCore {
    /// Adds a hook of the library that learns the value, with an old one of nil, and then every set:
    /// each old value is the new one of the call before.
    ///
    /// It counts as no observer, but is cancelled like one some time after its owner is gone.
    package final func hook(
        by owner: AnyObject?,
        _ body: @escaping @Sendable (_ old: Value?, _ new: Value?, HookCall) -> Void
    ) -> Observation {
        addHook(
            .everySet,
            by: owner,
            .edits { _, change, _ in body(change.old, change.new, HookCall(change)) }
        )
    }

    /// As `hook`, with the edits that lead from each array to the next.
    ///
    /// A set to the same value is a reset.
    package final func hookEdits<Element>(
        by owner: AnyObject?,
        _ body: @escaping @Sendable (_ change: ArrayChange<Element>, HookCall) -> Void
    ) -> Observation where Value == [Element], Element: Equatable & Sendable {
        recordEdits()
        let action = Observer<Value>.Action.edits { _, change, script in
            body(ArrayChange(change, change.resolve(&script) ?? .reset), HookCall(change))
        }
        return addHook(.everySet, by: owner, action)
    }

    fileprivate final func addHook(
        _ trigger: ObservationTrigger,
        by owner: AnyObject?,
        takingSets: Bool = false,
        _ action: Observer<Value>.Action
    ) -> Observation {
        let observer = Observer(trigger, owner: owner, action)
        observer.isInternal = true
        if takingSets { observer.takesSets = true }
        return register(observer)
    }

    /// Has the edits of arrays recorded from now on.
    final func recordEdits() {
        let details = ensureDetails()
        lock.withLock { details.recordsEdits = true }
    }
}

extension TypedField {
    /// Adds a hook of the library, which is notified of changes, with the values before and after, and counts
    /// as no observer.
    ///
    /// - Parameters:
    ///   - starting: Whether it is given the value there is, too, with an old one of nil.
    ///   - owner: With it the hook ends.
    ///   - body: Is notified of each.
    /// - Returns: What ends it.
    package func hookChanges(
        starting: Bool,
        by owner: AnyObject?,
        _ body:
            @escaping @Sendable (_ old: (any Sendable)?, _ new: (any Sendable)?, HookCall) -> Void
    ) -> Observation {
        if starting {
            return core.hook(by: owner) { old, new, call in
                if call != .set { body(old, new, call) }
            }
        }
        return core.addHook(.changes, by: owner, .change { body($0, $1, .change) })
    }

    /// Adds a hook of the library, which is notified of changes or of every set, but nothing at the
    /// start, and counts as no observer.
    ///
    /// It is cancelled like an observer some time after its owner is gone, if it has one.
    package func observeInternally(
        everySet: Bool = false,
        by owner: AnyObject? = nil,
        _ body: @escaping @Sendable () -> Void
    ) -> Observation { core.addHook(.changes, by: owner, takingSets: everySet, .plain(body)) }
}
