/// An observer of fields of a type.
// Safe: `body` and `action` are written once more only when no call runs or can begin; `takesSets` is written
// at the registration; `start` is written, with `since`, under the lock of the field, which guards `early`.
@usableFromInline
final class Observer<Value: Equatable & Sendable>: Observation, @unchecked Sendable {
    /// What is called: the user's closure itself, so that a call goes through no other.
    @usableFromInline
    enum Action: Sendable {
        case value(@Sendable (_ value: Value?) -> Void)
        case change(@Sendable (_ old: Value?, _ new: Value?) -> Void)
        case plain(@Sendable () -> Void)
        case owned(@Sendable (_ owner: AnyObject, _ value: Value?) -> Void)
        case object(@Sendable (AnyObject, FieldCore<Value>, _ value: Value?) -> Void)
        case receiver(any Receiver<Value>)
        case edits(Edits)
        case none
    }

    /// Takes a change of an array whose script, if it is not known, it finds and keeps.
    @usableFromInline
    typealias Edits =
        @Sendable (_ observer: Observer, _ change: Change<Value>, _ script: inout EditScript?) ->
        Void

    /// A closure that is called where it is, without a count of references to it: only a borrowed value that
    /// cannot be copied is.
    @usableFromInline
    struct Body: ~Copyable, Sendable {
        @usableFromInline let closure: (@Sendable (_ value: Value?) -> Void)?

        @inlinable init(_ body: (@Sendable (_ value: Value?) -> Void)?) { closure = body }

        /// By its case, as a comparison with nil makes an object of the closure in debug.
        @inlinable var isEmpty: Bool { if case .some = closure { false } else { true } }

        @inlinable @inline(__always) borrowing func call(_ value: Value?) { closure?(value) }
    }

    /// What is called with the new value alone: apart, as it is the most frequent.
    ///
    /// Whoever calls it keeps the observer, which drops it only when no call runs.
    @exclusivity(unchecked) @usableFromInline var body: Body
    /// What is called else.
    @exclusivity(unchecked) @usableFromInline var action: Action
    @usableFromInline let trigger: ObservationTrigger
    /// Whether it is notified also of a set to the same value; of a computed value nobody is.
    @exclusivity(unchecked) @usableFromInline var takesSets: Bool

    /// What an observer begins with: in an object, without which every observer would have room for it.
    @usableFromInline
    final class Start: Sendable {
        let value: Value?
        /// The revision of the field at the registration, which the observer's `since` says no more.
        let since: UInt64

        @usableFromInline
        init(_ value: Value?, _ since: UInt64) { (self.value, self.since) = (value, since) }
    }

    /// The value it began with, until its first change, if it was added while others waited.
    @exclusivity(unchecked) @usableFromInline var start: Start?

    /// The changes that wait until an observer has the value it starts with.
    @usableFromInline
    final class Early {
        var changes: [Queued<Value>] = []
        /// The lowest revision of them, and of those that were taken out to be delivered.
        var since: UInt64
        /// Whether the merging of them was reported.
        var reportedMerge = false

        init(since revision: UInt64) { since = revision }
    }

    /// What waits for it; nil where nothing does.
    @exclusivity(unchecked) @usableFromInline var early: Early?

    @inlinable
    init(_ trigger: ObservationTrigger, owner: AnyObject? = nil, _ action: Action) {
        if case .value(let body) = action { self.body = Body(body) } else { body = Body(nil) }
        self.action = body.isEmpty ? action : .none
        self.trigger = trigger
        takesSets = trigger == .everySet
        super.init(starting: trigger == .everySet, owner: owner)
    }

    /// Calls the observer, if it asked for such a change.
    ///
    /// Only one thread at a time does.
    @inlinable @inline(__always)
    func notify(_ field: FieldCore<Value>, _ change: Change<Value>, _ script: inout EditScript?) {
        if takesSets || change.isChange { call(field, change, &script) }
    }

    @inlinable @inline(__always)
    func call(_ field: FieldCore<Value>, _ change: Change<Value>, _ script: inout EditScript?) {
        if !body.isEmpty { return body.call(change.new) }
        switch action {
        case .change(let body): body(change.old, change.new)
        case .plain(let body): body()
        default: callOther(field, change, &script)
        }
    }

    @inlinable @inline(never)
    func callOther(_ field: FieldCore<Value>, _ change: Change<Value>, _ script: inout EditScript?)
    {
        let owner = owner
        if ownerID != nil, owner == nil { return cancel() }
        switch action {
        case .owned(let body): if let owner { body(owner, change.new) }
        case .object(let body): if let owner { body(owner, field, change.new) }
        case .receiver(let receiver): receiver.take(change, of: field, from: self)
        case .edits(let body): body(self, change, &script)
        case .value, .change, .plain, .none: break
        }
    }

    /// Whether it is given the old value of a change.
    var takesOld: Bool {
        switch action {
        case .change, .receiver, .edits: true
        case .value, .plain, .owned, .object, .none: false
        }
    }

    @usableFromInline
    override func dispose() {
        // Stored first: what a closure holds may run the user's code as it is freed.
        var last = Body(nil)
        swap(&last, &body)
        if case .receiver(let receiver) = action { receiver.close() }
        action = .none
    }
}
