/// What the waves of one set share, of whatever value type.
@usableFromInline
final class Journey {
    /// The fields whose observers are to be told.
    var owing: [DeliveryLoop.Entry] = []
    /// The computations that have read what was set.
    var dirtied: [ComputedNode] = []
    /// What is still to be sent: a list, so that the number of transforms in a chain is bounded by
    /// memory and not by the stack.
    private var work: [(Journey) -> Void] = []
    /// The fields whose domains have made a value of another.
    private var coercers: Set<ObjectIdentifier> = []
    /// The values that they have made, by their revisions: who made it, and of which.
    private var coercions: [UInt64: (field: ObjectIdentifier, origin: UInt64)] = [:]

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

    func add(_ item: @escaping (Journey) -> Void) {
        work.append(item)
    }

    /// Does the work, and the work that comes of it, first come first served.
    func run() {
        while !work.isEmpty {
            let items = work
            work = []
            for item in items { item(self) }
        }
    }
}
