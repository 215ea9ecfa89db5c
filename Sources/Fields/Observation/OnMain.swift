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
    let field: FieldCore<Value>

    /// Calls a closure on the main thread with the value: once now, then whenever the field is set.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @MainActor @Sendable (_ value: Value?) -> Void
    ) -> Observation {
        register(trigger) { _, _, new in body(new) }
    }

    /// Calls a closure on the main thread with the old and the new value.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @MainActor @Sendable (_ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        register(trigger) { _, old, new in body(old, new) }
    }

    /// Calls a closure on the main thread once now, then whenever the field is set.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @MainActor @Sendable () -> Void
    ) -> Observation {
        register(trigger) { _, _, _ in body() }
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
        register(trigger, owner) { object, old, new in
            // The observer hands in the owner it was made with.
            if let object { body(unsafeDowncast(object, to: Owner.self), old, new) }
        }
    }

    /// Stops every observation of an owner or observer, or the one of a token, wherever it is
    /// called.
    public func removeObserver(_ owner: AnyObject) { field.removeObserver(owner) }

    func observeOwned(_ closure: OwnedMainClosure<Value?>) -> Observation {
        // The closure alone: the owner is held weakly.
        let body = closure.body
        return register(.everySet, closure.owner) { _, old, new in
            switch body {
            case .value(let body): body(new)
            case .change(let body): body(old, new)
            case .plain(let body): body()
            }
        }
    }

    private func register(
        _ trigger: ObservationTrigger,
        _ owner: AnyObject? = nil,
        _ body: @escaping @MainActor @Sendable (AnyObject?, Value?, Value?) -> Void
    ) -> Observation {
        let mailbox = Mailbox<Value>(.main) { observer, old, new in
            MainActor.assumeIsolated { body(observer.owner, old, new) }
        }
        return field.register(Observer(trigger, owner: owner, .receiver(mailbox)))
    }
}

extension Field {
    /// This field as the main thread sees it.
    public final var onMain: OnMain<Value> { OnMain(field: self) }
}
