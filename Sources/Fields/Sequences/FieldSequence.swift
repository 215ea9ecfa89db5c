/// The values or the changes of a field as a sequence, which a loop takes one after the other.
///
/// Each iterator observes the field from its making on, and stops when its task is cancelled, when
/// the loop is left or when the iterator is released. The field is held weakly: when it is gone,
/// what waits is delivered and the sequence ends, as also when its observers are all removed.
public struct FieldSequence<Value: Equatable & Sendable, Element: Sendable>: AsyncSequence, Sendable
{
    public typealias Failure = Never

    private weak let field: FieldCore<Value>?
    private let trigger: ObservationTrigger
    private let buffering: FieldBuffering
    private let element: @Sendable (_ old: Value?, _ new: Value?) -> Element

    init(
        _ field: FieldCore<Value>?,
        _ trigger: ObservationTrigger,
        _ buffering: FieldBuffering,
        _ element: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Element
    ) {
        self.field = field
        self.trigger = trigger
        self.buffering = buffering
        self.element = element
    }

    /// Starts to observe the field.
    public func makeAsyncIterator() -> Iterator {
        let base = InboxIterator<WaitingChange<Value>>(buffering)
        let observer = Observer<Value>(trigger, .receiver(ChangeInbox(base.inbox)))
        if let observation = field?.register(observer) {
            base.inbox.whenClosed { observation.cancel() }
        } else {
            base.inbox.close()
        }
        return Iterator(base: base, takesSets: observer.takesSets, element: element)
    }

    /// Takes them one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: InboxIterator<WaitingChange<Value>>
        fileprivate let takesSets: Bool
        fileprivate let element: @Sendable (_ old: Value?, _ new: Value?) -> Element

        /// Waits for the next one; nil when the task is cancelled, and after the last.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while let change = await base.next(isolation: actor) {
                if change.isDelivered(takingSets: takesSets) {
                    return element(change.old, change.new)
                }
            }
            return nil
        }
    }
}

/// The values of a field as a sequence: the current one, then those that are set.
///
/// ```swift
/// for await age in person.age.values {
///     label.text = "\(age ?? 0)"
/// }
/// ```
///
/// Every set counts, also to the value that was there. A consumer that is slower than the sets gets
/// the newest value next, unless the sequence was made with `buffering: .unbounded`; then it gets
/// all of them, save those that the field itself has joined for its slow observers or in a `batch`.
public typealias FieldValues<Value: Equatable & Sendable> = FieldSequence<Value, Value?>

/// The changes of a field as a sequence: those that come after an iterator was made.
///
/// ```swift
/// for await change in person.age.changes {
///     print("from \(change.old ?? 0) to \(change.new ?? 0)")
/// }
/// ```
///
/// Only sets to a different value count. Each old value is the new one of the change before. A
/// consumer that is slower than the sets gets all of them in order, unless the sequence was made
/// with `buffering: .newest`: then what waits is joined into one change, with the old value of the
/// oldest, and is not delivered where it leads back to that.
public typealias FieldChanges<Value: Equatable & Sendable> = FieldSequence<
    Value, FieldChange<Value>
>

extension ValueSource {
    /// The values as a sequence, which gives a slow consumer the newest; it ends when the field or
    /// computed field dies.
    public var values: FieldValues<Value> { values(buffering: .newest) }

    /// The values as a sequence, which buffers for a slow consumer as `buffering` says.
    public func values(buffering: FieldBuffering) -> FieldValues<Value> {
        FieldValues(observerList.field, .everySet, buffering) { _, new in new }
    }

    /// The changes as a sequence, which gives a slow consumer all of them; it ends when the field or
    /// computed field dies.
    public var changes: FieldChanges<Value> { changes(buffering: .unbounded) }

    /// The changes as a sequence, which buffers for a slow consumer as `buffering` says.
    public func changes(buffering: FieldBuffering) -> FieldChanges<Value> {
        FieldChanges(observerList.field, .changes, buffering) { FieldChange(old: $0, new: $1) }
    }
}
