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
///
/// Each iterator observes the field from its making on, and stops when its task is cancelled, when
/// the loop is left or when the iterator is released. The field is held weakly: when it is gone,
/// what waits is delivered and the sequence ends, as also when its observers are all removed.
public struct FieldValues<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value?
    public typealias Failure = Never

    private weak let field: FieldCore<Value>?
    private let buffering: FieldBuffering

    init(_ field: FieldCore<Value>, _ buffering: FieldBuffering) {
        self.field = field
        self.buffering = buffering
    }

    /// Starts to observe the field.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: ChangeIterator(field, .everySet, buffering))
    }

    /// Takes the values one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        var base: ChangeIterator<Value>

        /// Waits for the next value; the outer nil is the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> Value?? {
            await base.next(isolation: actor).map { $0.new }
        }
    }
}

extension Field {
    /// The values as a sequence, which gives a slow consumer the newest.
    public final var values: FieldValues<Value> { values(buffering: .newest) }

    /// The values as a sequence, which buffers for a slow consumer as `buffering` says.
    public final func values(buffering: FieldBuffering) -> FieldValues<Value> {
        FieldValues(self, buffering)
    }
}
