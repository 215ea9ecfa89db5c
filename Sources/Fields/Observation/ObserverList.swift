/// Where the observers of a value are registered, and called.
///
/// It is what the library asks of an ``ObservationSource``, which has the methods to observe it.
public struct ObserverList<Value: Equatable & Sendable>: ObservationSource {
    @usableFromInline let field: FieldCore<Value>
    /// Where they are called; nil where the field delivers.
    @usableFromInline let place: Place?

    @inlinable @inline(__always)
    init(_ field: FieldCore<Value>, in place: Place? = nil) {
        self.field = field
        self.place = place
    }

    public var observerList: ObserverList { self }

    @inlinable @inline(__always)
    func register(
        _ trigger: ObservationTrigger,
        owner: AnyObject? = nil,
        _ action: Observer<Value>.Action
    ) -> Observation {
        guard let place else { return field.register(Observer(trigger, owner: owner, action)) }
        return field.register(Observer(trigger, owner: owner, posted(action, to: place)))
    }

    /// The same action in another place, of the changes that are pending there for the newest.
    @usableFromInline @inline(never)
    func posted(_ action: Observer<Value>.Action, to place: Place) -> Observer<Value>.Action {
        .receiver(
            Mailbox<Value>(place) { observer, old, new, _ in
                switch action {
                case .value(let body): body(new)
                case .change(let body): body(old, new)
                case .plain(let body): body()
                case .owned(let body): if let owner = observer.owner { body(owner, new) }
                case .edits(let body):
                    var script: EditScript?
                    let change = Change(old: old, new: new, isChange: true, revision: 0)
                    body(observer, change, &script)
                case .object, .receiver, .none: break
                }
            }
        )
    }
}
