import ModelKitModels
import ModelKitPromises

extension StoreSession {
    /// What a use of a store comes after.
    enum Turn: Sendable {
        /// The writes of these models that were asked for before, which later ones come after.
        case models([any Model])
        /// All writes that were asked for before, and later ones come after it; it is one of these models.
        case everything(writing: [any Model] = [])
        /// As it reads: nothing, unless a write waits for its turn, which the store does not know of.
        case nothing

        var isNothing: Bool { if case .nothing = self { true } else { false } }
    }

    /// Makes one use of a store.
    ///
    /// - Parameters:
    ///   - label: What it is called in events; not asked for where nobody receives them.
    ///   - turn: What it comes after.
    ///   - deadline: After how long it fails with `.timedOut`.
    ///   - count: How many models an outcome has, for events.
    ///   - awaitsEnd: Whether who cancels it when it has begun waits for its outcome, if the store knows that.
    ///   - abandoned: Takes back what was done for it before its turn, which does not come.
    ///   - start: Begins it, in its turn.
    /// - Returns: A promise that fails with `.cancelled` when it is cancelled, by which what was begun is
    ///   left alone.
    func run<Found: Sendable, Value: Sendable>(
        _ label: @autoclosure () -> StoreEvent.Label,
        after turn: Turn,
        deadline: Duration?,
        count: @escaping @Sendable (Value) -> Int? = { _ in nil },
        awaitsEnd: Bool = true,
        abandoned: @escaping @Sendable () -> Void = {},
        _ start: @escaping @Sendable () throws -> StoreOperation<Found, Value>.Attempt
    ) -> Promise<Value> {
        let (promise, resolver) = Promise<Value>.withResolvers()
        run(
            label(),
            after: turn,
            deadline: deadline,
            count: count,
            awaitsEnd: awaitsEnd,
            abandoned: abandoned,
            settling: promise,
            { resolver.resolve($0) },
            start: start
        )
        return promise
    }

    /// The same for a promise whose value the operation does not know: it decides about cancelling that, and
    /// has a closure settle it.
    func run<Found: Sendable, Value: Sendable>(
        _ label: @autoclosure () -> StoreEvent.Label,
        after turn: Turn,
        deadline: Duration?,
        count: @escaping @Sendable (Value) -> Int? = { _ in nil },
        awaitsEnd: Bool = true,
        abandoned: @escaping @Sendable () -> Void = {},
        settling promise: PromiseCore,
        _ settle: @escaping @Sendable (Result<Value, any Error>) -> Void,
        start: @escaping @Sendable () throws -> StoreOperation<Found, Value>.Attempt
    ) {
        let event = events?.begin(label())
        if let refusal = body.refusal {
            abandoned()
            settle(.failure(refusal))
            event?.end(.failure(refusal))
            return
        }
        let (done, doneResolver) = Promise<Void>.withResolvers()
        let before: [Promise<Void>]
        var models: [any Model] = []
        switch turn {
        case .models(let given):
            models = given
            before = queue(given, done)
        case .everything(let given):
            models = given
            before = queue(given, afterAll: true, done)
        case .nothing: before = readsWaitFor.map { [$0] } ?? []
        }
        let operation = StoreOperation(
            isRead: turn.isNothing,
            awaitsEnd: awaitsEnd,
            start: start,
            abandoned: abandoned,
            settle: settle
        ) { [models] in
            self.leave(models, done)
            doneResolver.fulfill()
            // Until here no other object can have the identity of one of them.
            withExtendedLifetime(models) {}
        } ended: { result in
            event?.end(result.map(count))
        }
        // Where others wait, it goes on.
        promise.whenCancelled(leaving: turn.isNothing ? readCancellation : leftWrite) {
            operation.cancel()
        }
        if let deadline { operation.stop(after: deadline) }
        if before.isEmpty {
            if let asked = operation.begin(), ordersReads { delayReads(until: asked) }
        } else {
            let (asked, askedResolver) = Promise<Void>.withResolvers()
            if ordersReads, !turn.isNothing { delayReads(until: asked) }
            Promise<Void>.all(before).observe { _ in
                askedResolver.follow(operation.begin() ?? .value(()))
            }
        }
    }
}

/// One for all, as making an existential error allocates.
private let leftWrite: any Error = StoreError.cancelled(.unknown)
