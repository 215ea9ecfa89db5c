public import Dispatch
public import ModelKitFields

/// A model as a dispatch queue sees it: observers of its fields are called there.
///
/// ```swift
/// let indexing = DispatchQueue(label: "indexing")
/// company.on(indexing).observe("employees.*.name") { change in index.update(change.model) }
/// ```
///
/// Every change is delivered, in order, when the queue comes to it, also one that is made on the queue; the
/// field may be elsewhere again by then. An observer is called once at a time, even if the queue is
/// concurrent, and one that is cancelled on the queue is not called there again. A pending change keeps
/// its models alive, but not the observation, which ends with its model and then delivers nothing more.
public struct ModelOnQueue: Sendable {
    let model: any Model
    let queue: DispatchQueue

    /// Calls a closure on the queue whenever a field changes that a pattern leads to, or one on the way
    /// there.
    ///
    /// - Parameters:
    ///   - pattern: The fields; all of the model and of models inside, if none is given.
    ///   - body: Called with each change.
    /// - Returns: What ends it.
    @discardableResult
    public func observe(
        _ pattern: FieldPattern = [.all],
        _ body: @escaping @Sendable (_ change: ModelChange) -> Void
    ) -> Observation {
        register(pattern) { change in
            body(change)
            return true
        }
    }

    /// Calls a closure on the queue with its owner and each change, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ pattern: FieldPattern = [.all],
        by owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ change: ModelChange) -> Void
    ) -> Observation {
        register(pattern, by: owner, ModelChange.handing(to: owner, body))
    }

    private func register(
        _ pattern: FieldPattern,
        by owner: (any AnyObject & Sendable)? = nil,
        _ body: @escaping EventMailbox<ModelChange>.Body
    ) -> Observation {
        let mailbox = EventMailbox(on: queue, body)
        return model.watch(pattern, by: owner, ending: { mailbox.close() }, mailbox.take)
    }
}

extension Model {
    /// This model as a dispatch queue sees it.
    public func on(_ queue: DispatchQueue) -> ModelOnQueue {
        ModelOnQueue(model: self, queue: queue)
    }
}
