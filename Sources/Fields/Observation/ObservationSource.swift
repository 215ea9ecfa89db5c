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

    /// Calls a closure with the value: once at the start, if it does not ask for changes only, then
    /// at every set.
    @discardableResult
    func observe(
        when trigger: ObservationTrigger,
        _ body: @escaping @Sendable (_ value: Value?) -> Void
    ) -> Observation

    /// Calls a closure with the old and the new value; in the first call, if there is one, the old
    /// one is nil.
    @discardableResult
    func observe(
        when trigger: ObservationTrigger,
        _ body: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
    ) -> Observation

    /// Calls a closure once at the start, if it does not ask for changes only, then at every set.
    @discardableResult
    func observe(
        when trigger: ObservationTrigger,
        _ body: @escaping @Sendable () -> Void
    ) -> Observation

    /// Calls a closure with its owner and the value, while the owner lives.
    @discardableResult
    func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger,
        _ body: @escaping @Sendable (_ owner: Owner, _ value: Value?) -> Void
    ) -> Observation

    /// Calls a closure with its owner, the old and the new value, while the owner lives.
    @discardableResult
    func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger,
        _ body: @escaping @Sendable (_ owner: Owner, _ old: Value?, _ new: Value?) -> Void
    ) -> Observation

    /// Stops every observation of an owner or observer, the one of a token, or the binding to a
    /// field.
    func removeObserver(_ owner: AnyObject)
}

extension ObservationSource {
    /// Calls a closure with the value: once at the start, then at every set.
    @inlinable @discardableResult @_disfavoredOverload  // for generic code: types have their own
    public func observe(_ body: @escaping @Sendable (_ value: Value?) -> Void) -> Observation {
        observe(when: .everySet, body)
    }

    /// Calls a closure with the old and the new value: once at the start, then at every set.
    @inlinable @discardableResult @_disfavoredOverload  // as above
    public func observe(
        _ body: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        observe(when: .everySet, body)
    }

    /// Calls a closure once at the start, then at every set.
    @inlinable @discardableResult @_disfavoredOverload  // as above
    public func observe(_ body: @escaping @Sendable () -> Void) -> Observation {
        observe(when: .everySet, body)
    }

    /// Calls a closure with its owner and the value, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ owner: Owner, _ value: Value?) -> Void
    ) -> Observation {
        observe(owner, when: trigger) { owner, _, new in body(owner, new) }
    }

    /// Calls a closure with the value; it is `observe`.
    @inlinable @discardableResult
    public func addObserver(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ value: Value?) -> Void
    ) -> Observation {
        observe(when: trigger, body)
    }

    /// Calls a closure with the old and the new value; it is `observe`.
    @inlinable @discardableResult
    public func addObserver(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        observe(when: trigger, body)
    }

    /// Calls a closure that takes nothing; it is `observe`.
    @inlinable @discardableResult
    public func addObserver(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable () -> Void
    ) -> Observation {
        observe(when: trigger, body)
    }

    func observeOwned(_ closure: OwnedClosure<Value?>) -> Observation {
        func observe(_ owner: some ObservationOwner) -> Observation {
            switch closure.body {
            case .value(let body): self.observe(owner, when: .everySet) { _, new in body(new) }
            case .change(let body):
                self.observe(owner, when: .everySet) { _, old, new in body(old, new) }
            case .plain(let body): self.observe(owner, when: .everySet) { _, _ in body() }
            }
        }
        return observe(closure.owner)
    }
}
