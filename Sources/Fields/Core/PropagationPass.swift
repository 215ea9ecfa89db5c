/// What the propagations of one set share, of whatever value type.
@usableFromInline
final class PropagationPass {
    @exclusivity(unchecked) var pending = Pending()
    /// What is still to be sent: a list, so that the number of transforms in a chain is bounded by
    /// memory and not by the stack.
    @exclusivity(unchecked) private var work: [(PropagationPass) -> Void] = []
    /// The fields whose domains have made a value of another.
    private var coercers: Set<ObjectIdentifier> = []
    /// The values that they have made, by their revisions: who made it, and of which.
    private var coercions: [UInt64: (field: ObjectIdentifier, origin: UInt64)] = [:]

    /// How often fields have sent a value along new bindings as one that is late.
    private var late: [ObjectIdentifier: Int] = [:]

    /// Whether it carries on what others have set.
    private var isForwarder = false
    /// Where it has found its own value behind a transform, and goes on.
    private var followed: [UInt64: Set<ObjectIdentifier>] = [:]

    deinit {
        if isForwarder { Forwarders.leave() }
    }

    /// Notes that a field takes another value in place of one.
    ///
    /// - Returns: Whether it may. If the one goes back to a value that the field itself has made,
    ///   others cannot take what it takes, and it would never end. Ranges with a common value never
    ///   come to that: what one of them makes of a value of another is in both.
    func noteCoercion(by field: ObjectIdentifier, of revision: UInt64, at next: UInt64) -> Bool {
        if !coercers.insert(field).inserted {
            var origin = revision
            while let step = coercions[origin] {
                if step.field == field { return false }
                origin = step.origin
            }
        }
        coercions[next] = (field, revision)
        return true
    }

    /// Notes that a value is held, and sent on, under another revision.
    @usableFromInline
    func noteHeld(_ revision: UInt64, as held: UInt64) { coercions[held] = coercions[revision] }

    /// Notes that a field has a late value for those that were bound to it since.
    ///
    /// - Returns: Whether it is sent: transforms that bind something link their fields each time, so
    ///   that it would never end. One that has changed nothing is sent to the linked ones once.
    func noteLate(_ field: ObjectIdentifier, isChange: Bool) -> Bool {
        let count = late[field, default: 0]
        if count > (isChange ? 100 : 0) { return false }
        late[field] = count + 1
        return true
    }

    func add(_ item: @escaping (PropagationPass) -> Void) {
        work.append(item)
    }

    /// Notes that it carries on what others have set: whoever did may not have come further yet.
    func beginForwarding() {
        if !isForwarder { Forwarders.enter() }
        isForwarder = true
    }

    /// Whether it goes on from a field that has its value already: if another thread may have brought
    /// it, once.
    func follows(_ field: AnyField, at revision: UInt64) -> Bool {
        Forwarders.areAny
            && followed[revision, default: []].insert(ObjectIdentifier(field)).inserted
    }

    /// Does the work, and what it adds, in the order in which it was added.
    func run() {
        while !work.isEmpty {
            let items = work
            work = []
            for item in items { item(self) }
        }
    }
}

/// How a set is to be stored wherever bindings bring it.
@usableFromInline
struct PropagationOptions: Sendable {
    /// Whether it is about the inside of a value, which has changed although the value is the same.
    @usableFromInline var isForced = false
    /// Whether its time is that of a clock which the task has brought, and may be behind earlier ones.
    @usableFromInline var hasOwnTime = false

    @inlinable
    init(hasOwnTime: Bool = false) { self.hasOwnTime = hasOwnTime }
}
