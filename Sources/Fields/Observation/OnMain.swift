/// A field as the main thread sees it: its observers are called there.
///
/// ```swift
/// person.name.onMain --> { name in label.text = name }
/// ```
///
/// A change that is made on the main thread is delivered synchronously; others are delivered when the
/// main thread comes to it. Of pending changes only the newest is delivered, with the old value of the
/// oldest, so an observer never receives a value that was superseded.
public struct OnMain<Value: Equatable & Sendable>: Sendable {
    let source: ObserverList<Value>

    init(_ field: FieldCore<Value>) { source = ObserverList(field, in: .main) }

    /// Calls a closure on the main thread with the value: once now, then whenever the field is set.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @MainActor @Sendable (_ value: Value?) -> Void
    ) -> Observation {
        source.observe(when: trigger) { new in MainActor.assumeIsolated { body(new) } }
    }

    /// Calls a closure on the main thread with the old and the new value.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @MainActor @Sendable (_ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        source.observe(when: trigger) { old, new in
            MainActor.assumeIsolated { body(old, new) }
        }
    }

    /// Calls a closure on the main thread once now, then whenever the field is set.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @MainActor @Sendable () -> Void
    ) -> Observation {
        source.observe(when: trigger) { MainActor.assumeIsolated { body() } }
    }

    /// Calls a closure on the main thread with its owner and the value, while the owner lives.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @MainActor @Sendable (_ owner: Owner, _ value: Value?) -> Void
    ) -> Observation {
        observe(owner, when: trigger) { owner, _, new in body(owner, new) }
    }

    /// Calls a closure on the main thread with its owner, the old and the new value, while the owner
    /// lives.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body:
            @escaping @MainActor @Sendable (_ owner: Owner, _ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        source.observe(owner, when: trigger) { owner, old, new in
            MainActor.assumeIsolated { body(owner, old, new) }
        }
    }

    /// Stops every observation of an owner or observer, or the one of a token, wherever it is
    /// called.
    public func removeObserver(_ owner: AnyObject) { source.removeObserver(owner) }
}

extension ValueSource {
    /// This value as the main thread sees it.
    public var onMain: OnMain<Value> { OnMain(observerList.field) }
}
