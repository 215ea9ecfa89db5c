/// A promise that is the outcome of a handler, which it keeps until the handler's turn.
// Safe: `handler` belongs to whoever took the node out of the list it waits in.
@usableFromInline
final class PromiseStep<Input, Output, Value: Sendable>: Promise<Value>, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var handler: ((Input) throws -> Output)?

    @inlinable
    init(_ handler: @escaping @Sendable (Input) throws -> Output, _ fire: @escaping Fire) {
        self.handler = handler
        super.init(fire: fire)
    }

    @usableFromInline
    override func releaseHandler() {
        handler = nil
    }

    /// Hands the handler out, and frees it, if the source ended the way it deals with; nil if the
    /// step was cancelled meanwhile.
    @inlinable @inline(__always)
    func takeHandler() -> ((Input) throws -> Output)? {
        let handler = self.handler
        self.handler = nil
        return isSettled ? nil : handler
    }
}

/// A handler whose outcome nobody is promised.
// Safe: `handler` belongs to whoever took the node out of the list it waits in.
@usableFromInline
final class PromiseObserver<Input>: PromiseNode, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var handler: ((Input) -> Void)?

    @inlinable
    init(_ handler: @escaping @Sendable (Input) -> Void, _ fire: @escaping Fire) {
        self.handler = handler
        super.init(fire)
    }

    override func wasDropped() {
        handler = nil
    }
}

extension Promise {
    /// Makes the step wait for this promise.
    @inlinable @inline(__always)
    final func start<Input, Output, Next>(
        _ step: PromiseStep<Input, Output, Next>,
        on executor: PromiseExecutor?
    ) -> Promise<Next> {
        if let executor { step.hop(to: executor) }
        if !isSettled { step.link = self }
        attach(step)
        return step
    }
}
