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

        var models: [any Model] {
            switch self {
            case .models(let models), .everything(let models): models
            case .nothing: []
            }
        }

        var isNothing: Bool { if case .nothing = self { true } else { false } }
        var isAfterAll: Bool { if case .everything = self { true } else { false } }
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
    /// - Returns: A promise as `StoreOperation.run` makes of one.
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
        let operation = StoreOperation(
            self,
            after: turn,
            events?.begin(label()),
            count: count,
            awaitsEnd: awaitsEnd,
            abandoned: abandoned,
            start: start
        ) { resolver.resolve($0) }
        operation.run(deadline: deadline, for: promise)
        return promise
    }
}
