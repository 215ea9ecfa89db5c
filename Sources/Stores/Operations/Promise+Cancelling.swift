package import ModelKitPromises

extension Promise {
    /// A promise of a value once this one is there, which is cancelled as this one is: with its error, or
    /// not at all.
    func giving<Other>(_ value: Other) -> Promise<Other> {
        let (promise, resolver) = Promise<Other>.withResolvers()
        resolver.whenCancelled { [self] in cancelled() }
        observe { resolver.resolve($0.map { _ in value }) }
        return promise
    }

    /// The same, which fails like what else a store does when it is cancelled.
    func cancelling(with outcome: Outcome) -> Promise {
        let (promise, resolver) = Promise.withResolvers()
        resolver.whenCancelled { [self] in
            cancel()
            return StoreError.cancelled(outcome)
        }
        observe { resolver.resolve($0) }
        return promise
    }

    /// Cancels it, and gives what it has failed with; nil if it goes on.
    package func cancelled() -> (any Error)? {
        cancel()
        if case .failure(let error) = result { return error }
        return nil
    }
}
