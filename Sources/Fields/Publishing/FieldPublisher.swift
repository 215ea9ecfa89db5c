#if canImport(Combine)
public import Combine

/// Publishes the values of a field, or of a computed one: the current one to each new subscriber,
/// then those that are set.
///
/// ```swift
/// person.age.publisher
///     .map { age in "\(age ?? 0)" }
///     .sink { text in print(text) }
///     .store(in: &cancellables)
/// ```
///
/// Every set counts, also to the value that was there; of a computed field what differs. A subscriber
/// gets as many values as it has
/// asked for; while it asks for none, only the newest is kept for it. It is called with no lock
/// held, on the thread that sets the field or asks for values. The field is held weakly: when it is
/// gone, the publisher finishes.
public struct FieldPublisher<Value: Equatable & Sendable>: Publisher, Sendable {
    public typealias Output = Value?
    public typealias Failure = Never

    private typealias Subscribe =
        @Sendable (
            @escaping FieldSubscription<Value>.Receive, @escaping @Sendable () -> Void
        ) -> FieldSubscription<Value>

    private let subscribe: Subscribe

    init(_ source: some ValueSource<Value>) {
        subscribe = { [weak source] receive, finish in
            FieldSubscription(to: source, receive: receive, finish: finish)
        }
    }

    public func receive<Downstream: Subscriber<Value?, Never>>(subscriber: Downstream) {
        // Safe: a subscriber has to bear any thread, and is called by one at a time: the subscription
        // calls its closures one after the other.
        nonisolated(unsafe) let receive = { subscriber.receive($0).max ?? .max }
        nonisolated(unsafe) let finish = { subscriber.receive(completion: .finished) }
        let subscription = subscribe({ value in receive(value) }, { finish() })
        subscriber.receive(subscription: FieldLink(subscription))
        subscription.start()
    }
}

/// What a subscriber asks for values.
private final class FieldLink<Value: Equatable & Sendable>: Subscription {
    private let subscription: FieldSubscription<Value>

    init(_ subscription: FieldSubscription<Value>) {
        self.subscription = subscription
    }

    func request(_ demand: Subscribers.Demand) {
        subscription.request(demand.max ?? .max)
    }

    func cancel() {
        subscription.cancel()
    }
}

extension ValueSource {
    /// The values as a publisher, which replays the current one to each new subscriber; it finishes
    /// when the field, or the computed one, is gone.
    public var publisher: FieldPublisher<Value> { FieldPublisher(self) }
}
#endif
