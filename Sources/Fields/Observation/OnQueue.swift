public import Dispatch

/// A field as a dispatch queue sees it: its observers are called there.
///
/// ```swift
/// let indexing = DispatchQueue(label: "indexing")
/// person.name.on(indexing) --> { name in index.update(name) }
/// ```
///
/// Every change is delivered when the queue comes to it, also one that is made on the queue. Of pending
/// changes only the newest is delivered, with the old value of the oldest, so an observer never receives
/// a value that was superseded. An observer is called once at a time, even if the queue is
/// concurrent. One that is cancelled on the queue is not called there again.
public struct OnQueue<Value: Equatable & Sendable>: ObservationSource {
    let field: FieldCore<Value>
    let queue: DispatchQueue

    /// Calls a closure on the queue with the value: once soon, then whenever the field is set.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ value: Value?) -> Void
    ) -> Observation {
        register(trigger) { _, _, new in body(new) }
    }

    /// Calls a closure on the queue with the old and the new value.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        register(trigger) { _, old, new in body(old, new) }
    }

    /// Calls a closure on the queue once soon, then whenever the field is set.
    @discardableResult
    public func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable () -> Void
    ) -> Observation {
        register(trigger) { _, _, _ in body() }
    }

    /// Calls a closure on the queue with its owner, the old and the new value, while the owner
    /// lives.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ owner: Owner, _ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        register(trigger, owner) { observer, old, new in
            // The observer hands in the owner it was made with.
            if let object = observer.owner {
                body(unsafeDowncast(object, to: Owner.self), old, new)
            }
        }
    }

    /// Stops every observation of an owner or observer, or the one of a token, wherever it is
    /// called.
    public func removeObserver(_ owner: AnyObject) { field.removeObserver(owner) }

    private func register(
        _ trigger: ObservationTrigger,
        _ owner: AnyObject? = nil,
        _ body: @escaping Mailbox<Value>.Body
    ) -> Observation {
        let mailbox = Mailbox<Value>(.queue(queue), body)
        return field.register(Observer(trigger, owner: owner, .receiver(mailbox)))
    }
}

extension Field {
    /// This field as a dispatch queue sees it.
    public final func on(_ queue: DispatchQueue) -> OnQueue<Value> {
        OnQueue(field: self, queue: queue)
    }
}
