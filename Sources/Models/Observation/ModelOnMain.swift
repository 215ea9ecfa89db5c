public import ModelKitFields

/// A model as the main thread sees it: observers of its fields are called there.
///
/// ```swift
/// company.onMain.observe("employees.*.name") { change in table.reload(change.path) }
/// ```
///
/// A change that is made on the main thread is delivered synchronously; others are delivered in order
/// when the main thread comes to them, which may be when the field is elsewhere again. A pending change
/// keeps its models alive, but not the observation, which ends with its model and then delivers nothing
/// more.
public struct ModelOnMain: Sendable {
    let model: any Model

    /// Calls a closure on the main thread whenever a field changes that a pattern leads to, or one on
    /// the way there.
    ///
    /// - Parameters:
    ///   - pattern: The fields; all of the model and of models inside, if none is given.
    ///   - body: Called with each change.
    /// - Returns: What ends it.
    @discardableResult
    public func observe(
        _ pattern: FieldPattern = [.all],
        _ body: @escaping @MainActor @Sendable (_ change: ModelChange) -> Void
    ) -> Observation {
        register(pattern) { change in
            body(change)
            return true
        }
    }

    /// Calls a closure on the main thread with its owner and each change, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ pattern: FieldPattern = [.all],
        by owner: Owner,
        _ body: @escaping @MainActor @Sendable (_ owner: Owner, _ change: ModelChange) -> Void
    ) -> Observation {
        let handler = ModelChange.handing(to: owner) { owner, change in
            // The mailbox is on the main thread.
            MainActor.assumeIsolated { body(owner, change) }
        }
        return register(pattern, by: owner) { change in handler(change) }
    }

    private func register(
        _ pattern: FieldPattern,
        by owner: (any AnyObject & Sendable)? = nil,
        _ body: @escaping @MainActor @Sendable (ModelChange) -> Bool
    ) -> Observation {
        let mailbox = EventMailbox(onMain: body)
        return model.watch(pattern, by: owner, ending: { mailbox.close() }, mailbox.take)
    }
}

extension Model {
    /// This model as the main thread sees it.
    public var onMain: ModelOnMain { ModelOnMain(model: self) }
}
