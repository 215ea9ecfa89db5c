/// Keeps the changes of a field for one iterator, and rings when there are some.
// Safe: `waiting` is guarded by `lock`.
final class ChangeInbox<Value: Equatable & Sendable>: Receiver, @unchecked Sendable {
    private let lock = Lock()
    private let buffering: FieldBuffering
    // Only a bell, not the values: a stream drops what it does not keep under a lock of its own,
    // and a value that dies there may run code of the user.
    private let bell: AsyncStream<Void>.Continuation
    private var waiting = Fifo<WaitingChange<Value>>()

    init(_ buffering: FieldBuffering, _ bell: AsyncStream<Void>.Continuation) {
        self.buffering = buffering
        self.bell = bell
    }

    func take(_ change: Change<Value>, of field: Field<Value>, from observer: Observer<Value>) {
        let areSame = field.ownEquality
        lock.lock()
        let wasEmpty = waiting.isEmpty
        var overtaken: Value?
        if wasEmpty || buffering == .unbounded {
            waiting.append(WaitingChange(change, by: areSame))
        } else {
            overtaken = waiting.updateNewest { $0.join(change) } ?? nil
        }
        lock.unlock()
        withExtendedLifetime(overtaken) {}
        if wasEmpty { bell.yield() }
    }

    /// The oldest change that waits.
    func next() -> WaitingChange<Value>? {
        lock.withLock { waiting.popFirst() }
    }

    /// Ends the iterator when it has taken what waits, and the observation if it is not over.
    func close() {
        bell.finish()
    }
}
