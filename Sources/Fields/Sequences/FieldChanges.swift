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
///
/// Each iterator observes the field from its making on, and stops when its task is cancelled, when
/// the loop is left or when the iterator is released. The field is held weakly: when it is gone,
/// what waits is delivered and the sequence ends, as also when its observers are all removed.
public struct FieldChanges<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = FieldChange<Value>
    public typealias Failure = Never

    private weak let field: Field<Value>?
    private let buffering: FieldBuffering

    init(_ field: Field<Value>, _ buffering: FieldBuffering) {
        self.field = field
        self.buffering = buffering
    }

    /// Starts to observe the field.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: ChangeIterator(field, .changes, buffering))
    }

    /// Takes the changes one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        var base: ChangeIterator<Value>

        /// Waits for the next change; nil is the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> FieldChange<Value>? {
            await base.next(isolation: actor).map { FieldChange(old: $0.old, new: $0.new) }
        }
    }
}

extension Field {
    /// The changes as a sequence, which gives a slow consumer all of them.
    public final var changes: FieldChanges<Value> { changes(buffering: .unbounded) }

    /// The changes as a sequence, which buffers for a slow consumer as `buffering` says.
    public final func changes(buffering: FieldBuffering) -> FieldChanges<Value> {
        FieldChanges(self, buffering)
    }
}
