public import ModelKitFields

/// The changes of a model's fields, and of those of models inside, as a sequence: those that come after
/// an iterator was made.
///
/// ```swift
/// for await change in company.changes { print(change.path) }
/// for await change in company.changes(of: "employees.*.name") { print(change.model) }
/// ```
///
/// A consumer that is slower than the changes gets all of them, unless the sequence was made with
/// `buffering: .newest`: then it gets the last one, of whatever field. A change that waits keeps its
/// models alive.
///
/// Each iterator observes from its making on, and stops when its task is cancelled, when the loop is
/// left or when the iterator is released. The model is held weakly: when it is gone, what waits is
/// delivered and the sequence ends; while others hold all of its observed fields, at their next change.
public struct ModelChanges: AsyncSequence, Sendable {
    public typealias Element = ModelChange
    public typealias Failure = Never

    private weak let model: (any Model)?
    private let pattern: FieldPattern
    private let buffering: FieldBuffering

    init(_ model: any Model, _ pattern: FieldPattern, _ buffering: FieldBuffering) {
        self.model = model
        self.pattern = pattern
        self.buffering = buffering
    }

    /// Starts to observe the model.
    public func makeAsyncIterator() -> Iterator {
        let base = InboxIterator<ModelChange>(buffering)
        let inbox = base.inbox
        guard let model else {
            inbox.close()
            return Iterator(base: base)
        }
        let observation = model.watch(pattern, ending: { inbox.close() }) { change in
            inbox.add(change) { pending in
                defer { pending = change }
                return pending
            }
            return true
        }
        inbox.whenClosed { observation.cancel() }
        return Iterator(base: base)
    }

    /// Takes the changes one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        var base: InboxIterator<ModelChange>

        /// Waits for the next change; nil is the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> ModelChange? {
            await base.next(isolation: actor)
        }
    }
}

extension Model {
    /// The changes of all fields of this model and of those inside, as a sequence, which gives a slow
    /// consumer all of them.
    public var changes: ModelChanges { changes(of: [.all]) }

    /// The changes of the fields that a pattern leads to, as a sequence.
    ///
    /// - Parameters:
    ///   - pattern: The fields, as ``observe(_:_:)`` takes them. One that leads to no field is reported to
    ///     `ModelKitDiagnostics` when an iterator is made, which ends at once.
    ///   - buffering: What is kept for a slow consumer.
    /// - Returns: The sequence.
    public func changes(
        of pattern: FieldPattern,
        buffering: FieldBuffering = .unbounded
    ) -> ModelChanges {
        ModelChanges(self, pattern, buffering)
    }
}
