import ModelKitValues

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
// Safe: every variable is guarded by `lock`.
public final class FieldSubscription<Value: Equatable & Sendable>: Receiver, @unchecked Sendable {
    /// Takes a value and returns how many more are asked for, `Int.max` for all that will come.
    public typealias Receive = @Sendable (_ value: Value?) -> Int

    private enum End { case cancelled, finished }

    private let lock = Lock()
    private weak let field: Field<Value>?
    private var receive: Receive?
    private var finish: (@Sendable () -> Void)?
    private var observation: Observation?
    /// How many values may still be sent; `Int.max` never ends.
    private var demand = 0
    /// What was asked for and could not be sent yet, and the newest value.
    private var waiting = Fifo<Value?>()
    private var hasStarted = false
    /// Whether a thread calls a closure now; it also does what is to be done meanwhile.
    private var isServing = false
    private var end: End?

    /// A subscription that does nothing before its start.
    ///
    /// - Parameters:
    ///   - field: The field; nil stands for one that is gone.
    ///   - receive: Called with each value.
    ///   - finish: Called when no value will come any more, unless the subscription is cancelled.
    public init(
        to field: Field<Value>?,
        receive: @escaping Receive,
        finish: @escaping @Sendable () -> Void
    ) {
        self.field = field
        self.receive = receive
        self.finish = finish
    }

    /// A subscription to a computed field, which delivers only values that differ.
    ///
    /// To one that has ended it finishes at once.
    public convenience init(
        to computed: Computed<Value>?,
        receive: @escaping Receive,
        finish: @escaping @Sendable () -> Void
    ) {
        self.init(to: computed?.output, receive: receive, finish: finish)
    }

    /// Starts to observe the field, and sends the current value if one is asked for.
    ///
    /// Call it once the subscriber knows of the subscription. A second call does nothing.
    public func start() {
        lock.lock()
        let mustStart = !hasStarted && end == nil
        hasStarted = true
        lock.unlock()
        guard mustStart else { return }
        guard let field else { return close() }
        let observation = field.register(Observer(.everySet, .receiver(self)))
        lock.lock()
        let isOver = end != nil
        if !isOver { self.observation = observation }
        lock.unlock()
        if isOver { observation.cancel() }
    }

    /// Asks for more values, `Int.max` for all that will come.
    ///
    /// A count below one does nothing.
    public func request(_ count: Int) {
        lock.lock()
        raiseDemand(count)
        lock.unlock()
        serve()
    }

    /// Ends the subscription and releases the closures.
    ///
    /// On the thread that sends none is called again once this returns. Cancelling twice does
    /// nothing.
    public func cancel() {
        lock.lock()
        end = .cancelled
        let observation = self.observation
        self.observation = nil
        lock.unlock()
        observation?.cancel()
        serve()
    }

    @usableFromInline
    func take(_ change: Change<Value>, of field: Field<Value>, from observer: Observer<Value>) {
        lock.lock()
        var superseded = change.new
        if end != nil {
            // Too late.
        } else if waiting.count <= demand {
            waiting.append(change.new)
        } else {
            waiting.updateNewest { swap(&$0, &superseded) }
        }
        lock.unlock()
        withExtendedLifetime(superseded) {}
        serve()
    }

    @usableFromInline
    func close() {
        lock.lock()
        if end == nil { end = .finished }
        observation = nil
        lock.unlock()
        serve()
    }

    /// Calls the closures as long as there is a reason to, unless another call of this does.
    private func serve() {
        lock.lock()
        guard !isServing else { return lock.unlock() }
        isServing = true
        while end != .cancelled, demand > 0, !waiting.isEmpty {
            let more = sendNext()
            lock.lock()
            raiseDemand(more)
        }
        isServing = false
        if end == nil { return lock.unlock() }
        let dropped = (waiting, receive, finish)
        waiting = Fifo()
        receive = nil
        finish = nil
        let hasFinished = end == .finished
        lock.unlock()
        if hasFinished { dropped.2?() }
    }

    /// Sends the oldest value that waits.
    ///
    /// Unlocks; the lock must be held.
    private func sendNext() -> Int {
        let value = waiting.popFirst() ?? nil
        if demand < .max { demand -= 1 }
        let receive = self.receive
        lock.unlock()
        return receive?(value) ?? 0
    }

    /// Adds to the demand.
    ///
    /// The lock must be held.
    private func raiseDemand(_ count: Int) {
        if count > 0 { demand = demand > .max - count ? .max : demand + count }
    }
}
