/// Takes the changes of a field one after the other: what the iterators of both sequences are made
/// of.
///
/// The observation ends with it.
struct ChangeIterator<Value: Equatable & Sendable> {
    private var base = InboxIterator<WaitingChange<Value>>()
    private let takesSets: Bool

    init(_ field: FieldCore<Value>?, _ trigger: ObservationTrigger, _ buffering: FieldBuffering) {
        guard let field else {
            base.inbox.close()
            takesSets = false
            return
        }
        let observer = Observer<Value>(trigger, .receiver(ChangeInbox(base.inbox, buffering)))
        let observation = field.register(observer)
        takesSets = observer.takesSets
        base.inbox.whenClosed { observation.cancel() }
    }

    /// The next change; nil when the task is cancelled, and after the last when the observation is.
    mutating func next(
        isolation: isolated (any Actor)?
    ) async -> (old: Value?, new: Value?)? {
        while let change = await base.next(isolation: isolation) {
            if change.isDelivered(takingSets: takesSets) { return (change.old, change.new) }
        }
        return nil
    }
}
