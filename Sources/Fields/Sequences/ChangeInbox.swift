/// Puts the changes of a field into an inbox.
final class ChangeInbox<Value: Equatable & Sendable>: Receiver {
    private let inbox: Inbox<WaitingChange<Value>>

    init(_ inbox: Inbox<WaitingChange<Value>>) { self.inbox = inbox }

    func take(_ change: Change<Value>, of field: FieldCore<Value>, from observer: Observer<Value>) {
        inbox.add(WaitingChange(change, by: field.ownEquality)) { $0.join(change) }
    }

    func close() { inbox.close() }
}
