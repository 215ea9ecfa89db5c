public import Dispatch

/// A field as a dispatch queue sees it: its observers are called there.
///
/// ```swift
/// let indexing = DispatchQueue(label: "indexing")
/// person.name.on(indexing) --> { name in index.update(name) }
/// ```
///
/// Every change is told when the queue comes to it, also one that is made on the queue. Of changes
/// that wait for it only the newest is told, with the old value of the oldest, so an observer is
/// never told a value that was overtaken. An observer is called once at a time, even if the queue is
/// concurrent. One that is cancelled on the queue is not called there again.
public struct OnQueue<Value: Equatable & Sendable>: Sendable {
    let field: Field<Value>
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

    /// Calls a closure on the queue with its owner and the value, while the owner lives.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ owner: Owner, _ value: Value?) -> Void
    ) -> Observation {
        register(trigger, owner) { observer, _, new in
            // The observer hands in the owner it was made with.
            if let object = observer.owner { body(unsafeDowncast(object, to: Owner.self), new) }
        }
    }

    func observeOwned(_ closure: OwnedClosure<Value?>) -> Observation {
        // The closure alone: the owner is held weakly.
        let body = closure.body
        return register(.everySet, closure.owner) { _, _, new in body(new) }
    }

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

/// Calls a closure on a queue with the value, soon and whenever the field is set.
@discardableResult
public func --> <Value>(
    source: OnQueue<Value>,
    body: @escaping @Sendable (_ value: Value?) -> Void
) -> Observation {
    source.observe(body)
}

/// Calls a closure on a queue with the old and the new value.
@discardableResult
public func --> <Value>(
    source: OnQueue<Value>,
    body: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
) -> Observation {
    source.observe(body)
}

/// Calls a closure on a queue soon and whenever the field is set.
@discardableResult
public func --> <Value>(
    source: OnQueue<Value>,
    body: @escaping @Sendable () -> Void
) -> Observation {
    source.observe(body)
}

/// Calls an owner's closure on a queue with the value, while the owner lives.
@discardableResult
public func --> <Value>(source: OnQueue<Value>, closure: OwnedClosure<Value?>) -> Observation {
    source.observeOwned(closure)
}
