/// Puts the changes of a field into an inbox.
final class ChangeInbox<Value: Equatable & Sendable>: Receiver {
    private let inbox: Inbox<WaitingChange<Value>>
    private let buffering: FieldBuffering

    init(_ inbox: Inbox<WaitingChange<Value>>, _ buffering: FieldBuffering) {
        self.inbox = inbox
        self.buffering = buffering
    }

    func take(_ change: Change<Value>, of field: FieldCore<Value>, from observer: Observer<Value>) {
        inbox.add(
            WaitingChange(change, by: field.ownEquality),
            joining: buffering == .unbounded ? nil : { $0.join(change) }
        )
    }

    func close() { inbox.close() }
}
