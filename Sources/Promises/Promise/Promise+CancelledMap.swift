extension Promise {
    /// The same as `map`, but that it fails with an error of the caller when it is cancelled.
    package final func map<New: Sendable>(
        cancelledBy error: any Error,
        _ transform: @escaping @Sendable (Value) throws -> New
    ) -> Promise<New> {
        let mapped = CancelledMap(error, transform)
        if !isSettled { mapped.link = self }
        attach(mapped)
        return mapped
    }
}

// Safe: `transform` belongs to whoever took the node out of the list it waits in; the error never changes.
private final class CancelledMap<In: Sendable, Out: Sendable>: Promise<Out>, @unchecked Sendable {
    private let ownError: any Error
    private var transform: ((In) throws -> Out)?

    init(_ error: any Error, _ transform: @escaping @Sendable (In) throws -> Out) {
        ownError = error
        self.transform = transform
        super.init { node, source, queue in
            let mapped = node.as(CancelledMap.self), source = source.as(Promise<In>.self)
            let transform = mapped.transform.take()
            guard let transform, !mapped.isSettled else { return }
            if let error = source.error { return _ = mapped.settle(error: error, queue) }
            mapped.attempt(queue) {
                mapped.settle(value: try transform(source.settledValue), queue)
            }
        }
    }

    override var cancellationError: any Error { ownError }

    override func releaseHandler() { transform = nil }
}
