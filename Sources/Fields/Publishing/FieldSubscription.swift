/// What a publisher of a field's values is made of, for whatever reactive library: it sends as many
/// values as were asked for.
///
/// ```swift
/// let subscription = FieldSubscription(
///     to: person.age,
///     receive: { age in
///         print(age ?? 0)
///         return 0   // no more than was asked for
///     },
///     finish: { print("the person is gone") }
/// )
/// subscription.request(2)
/// subscription.start()
/// ```
///
/// The first value is the current one, then comes one for every set. While none is asked for, only
/// the newest is kept. The field is held weakly; when it is gone, what was asked for and waits is
/// sent and the subscription finishes, as also when the field's observers are all removed.
///
/// All methods may be called from any thread and from within both closures, which are called one at
/// a time, with no lock held, on the thread that sets the field or asks for values. A subscription
/// that is neither cancelled nor finished keeps its closures alive, and the field keeps it alive.
public final class FieldSubscription<Value: Equatable & Sendable>: Receiver {
    /// Takes a value and returns how many more are asked for, `Int.max` for all that will come.
    public typealias Receive = @Sendable (_ value: Value?) -> Int

    private enum End { case cancelled, finished }

    /// What a thread that serves has to do.
    private enum Turn {
        case nothing
        case send(Value?, Receive?)
        /// Nothing but to release, and to say that it has finished, if it has.
        case end(dropped: State, finish: (@Sendable () -> Void)?)
    }

    private struct State: Sendable {
        var receive: Receive?
        var finish: (@Sendable () -> Void)?
        var observation: Observation?
        /// How many values may still be sent; `Int.max` never ends.
        var demand = 0
        /// What was asked for and could not be sent yet, and the newest value.
        var waiting = Fifo<Value?>()
        var hasStarted = false
        /// Whether a thread calls a closure now; it also does what is to be done meanwhile.
        var isServing = false
        var end: End?

        mutating func raiseDemand(_ count: Int) {
            if count > 0 { demand = demand > .max - count ? .max : demand + count }
        }

        mutating func nextTurn() -> Turn {
            isServing = end != .cancelled && demand > 0 && !waiting.isEmpty
            if isServing {
                if demand < .max { demand -= 1 }
                return .send(waiting.popFirst() ?? nil, receive)
            }
            guard let end else { return .nothing }
            let dropped = self
            (waiting, receive, finish) = (Fifo(), nil, nil)
            return .end(dropped: dropped, finish: end == .finished ? dropped.finish : nil)
        }
    }

    private weak let field: FieldCore<Value>?
    private let state: Guarded<State>

    /// A subscription that does nothing before its start.
    ///
    /// - Parameters:
    ///   - source: The field, or the computed one, of which only values that differ are delivered; nil stands
    ///     for one that is gone.
    ///   - receive: Called with each value.
    ///   - finish: Called when no value will come any more, unless the subscription is cancelled.
    public init(
        to source: (some ValueSource<Value>)?,
        receive: @escaping Receive,
        finish: @escaping @Sendable () -> Void
    ) {
        field = source?.observerList.field
        state = Guarded(State(receive: receive, finish: finish))
    }

    /// Starts to observe the field, and sends the current value if one is asked for.
    ///
    /// Call it once the subscriber knows of the subscription. A second call does nothing.
    public func start() {
        let mustStart = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted && state.end == nil
        }
        guard mustStart else { return }
        guard let field else { return close() }
        let observation = field.register(Observer(.everySet, .receiver(self)))
        let isOver = state.withLock { state in
            if state.end == nil { state.observation = observation }
            return state.end != nil
        }
        if isOver { observation.cancel() }
    }

    /// Asks for more values, `Int.max` for all that will come.
    ///
    /// A count below one does nothing.
    public func request(_ count: Int) {
        state.withLock { $0.raiseDemand(count) }
        serve()
    }

    /// Ends the subscription and releases the closures.
    ///
    /// On the thread that sends none is called again once this returns. Cancelling twice does
    /// nothing.
    public func cancel() {
        let observation = state.withLock { state in
            state.end = .cancelled
            return state.observation.take()
        }
        observation?.cancel()
        serve()
    }

    @usableFromInline
    func take(_ change: Change<Value>, of field: FieldCore<Value>, from observer: Observer<Value>) {
        var superseded = change.new
        state.withLock { state in
            if state.end != nil {
                // Too late.
            } else if state.waiting.count <= state.demand {
                state.waiting.append(change.new)
            } else {
                state.waiting.updateNewest { swap(&$0, &superseded) }
            }
        }
        withExtendedLifetime(superseded) {}
        serve()
    }

    @usableFromInline
    func close() {
        let observation = state.withLock { state in
            if state.end == nil { state.end = .finished }
            return state.observation.take()
        }
        withExtendedLifetime(observation) {}
        serve()
    }

    /// Calls the closures as long as there is a reason to, unless another call of this does.
    private func serve() {
        var turn = state.withLock { $0.isServing ? .nothing : $0.nextTurn() }
        while case .send(let value, let receive) = turn {
            let more = receive?(value) ?? 0
            turn = state.withLock { state in
                state.raiseDemand(more)
                return state.nextTurn()
            }
        }
        if case .end(_, let finish) = turn { finish?() }
    }
}
