import ModelKitModels

extension StoreSession {
    /// What a use of a store comes after.
    enum Turn: Sendable {
        /// The writes of these models that were asked for before, which later ones come after.
        case models([any Model])
        /// All writes that were asked for before.
        case everything
        /// Nothing, as it reads.
        case nothing

        var isNothing: Bool { if case .nothing = self { true } else { false } }
    }

    /// Makes one use of a store.
    ///
    /// - Parameters:
    ///   - label: What it is called in events.
    ///   - turn: What it comes after.
    ///   - deadline: After how long it fails with `.timedOut`.
    ///   - count: How many models an outcome has, for events.
    ///   - start: Begins it, in its turn.
    /// - Returns: A promise that fails with `.cancelled` when it is cancelled, by which what was begun is
    ///   left alone.
    func run<Found: Sendable, Value: Sendable>(
        _ label: StoreEvent.Label,
        after turn: Turn,
        deadline: Duration?,
        count: @escaping @Sendable (Value) -> Int? = { _ in nil },
        _ start: @escaping @Sendable () throws -> StoreOperation<Found, Value>.Attempt
    ) -> Promise<Value> {
        let (done, doneResolver) = Promise<Void>.withResolvers()
        let before: [Promise<Void>]
        var models: [any Model] = []
        switch turn {
        case .models(let given):
            models = given
            before = queue(given, done)
        case .everything: before = queue(nil, done)
        case .nothing: before = []
        }
        let (promise, resolver) = Promise<Value>.withResolvers()
        let event = events?.begin(label)
        let operation = StoreOperation(resolver, isRead: turn.isNothing, start: start) { [models] in
            self.leave(models, done)
            doneResolver.fulfill()
            // Until here no other object can have the identity of one of them.
            withExtendedLifetime(models) {}
        } ended: { result in
            event?.end(result.map(count))
        }
        resolver.whenCancelled { operation.cancel() }
        if let deadline { operation.stop(after: deadline) }
        if before.isEmpty {
            operation.begin()
        } else {
            Promise<Void>.all(before).observe { _ in operation.begin() }
        }
        return promise
    }
}
