/// What closures can observe: a field, a computed field, an object that is backed by a
/// field, and each of them as a queue sees it.
///
/// ```swift
/// func log<T>(_ source: some ObservationSource<T>) -> Observation {
///     source.observe(when: .changes) { old, new in print(old as Any, new as Any) }
/// }
/// let observation = log(person.name)
/// source -/-> observation
/// ```
///
/// An app's own observables adopt ``FieldBacked``, which brings all of this.
public protocol ObservationSource<Value>: Sendable {
    associatedtype Value: Equatable & Sendable

    /// Where observers are registered.
    var observerList: ObserverList<Value> { get }
}

extension ObservationSource {
    /// Calls a closure with the value: once at the start, if it does not ask for changes only, then
    /// whenever it is set; that of a computed field whenever it differs.
    ///
    /// The closure runs on the thread that sets the field (or on one that already delivers other
    /// changes), with no lock held; that of `on(_:)` on the queue.
    @inlinable @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ value: Value?) -> Void
    ) -> Observation {
        observerList.register(trigger, .value(body))
    }

    /// Calls a closure with the old and the new value; in the first call, if there is one, the old
    /// one is nil.
    ///
    /// Each old value is the new one of the call before.
    @inlinable @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        observerList.register(trigger, .change(body))
    }

    /// Calls a closure once at the start, if it does not ask for changes only, then at every set.
    @inlinable @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable () -> Void
    ) -> Observation {
        observerList.register(trigger, .plain(body))
    }

    /// Calls a closure with its owner and the value, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @inlinable @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ owner: Owner, _ value: Value?) -> Void
    ) -> Observation {
        let action = Observer<Value>.Action.owned { object, new in
            // The observer hands in the owner it was made with.
            body(unsafeDowncast(object, to: Owner.self), new)
        }
        return observerList.register(trigger, owner: owner, action)
    }

    /// Calls a closure with its owner, the old and the new value, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ owner: Owner, _ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        let action = Observer<Value>.Action.edits { observer, change, _ in
            guard let object = observer.owner else { return }
            // The observer has the owner that it was made with.
            body(unsafeDowncast(object, to: Owner.self), change.old, change.new)
        }
        return observerList.register(trigger, owner: owner, action)
    }

    /// Stops every observation of an owner or observer, the one of a token, and the binding to a
    /// field or to an object that is backed by one, wherever it is called.
    public func removeObserver(_ owner: AnyObject) { observerList.field.removeObserver(owner) }
}
