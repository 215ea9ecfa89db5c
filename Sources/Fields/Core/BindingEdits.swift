/// The bindings of a field that has many, as they are since the list of all was asked for: to copy that for
/// each that is added or taken out would take the square of the time.
///
/// Guarded by the lock of the field.
@usableFromInline
final class BindingEdits {
    /// By their targets.
    private var current: [ObjectIdentifier: Binding]
    /// The targets of those that were added, in this order.
    private var added: [ObjectIdentifier] = []

    init(_ bindings: [Binding]) {
        current = Dictionary(bindings.map { ($0.targetID, $0) }, uniquingKeysWith: { $1 })
    }

    var count: Int { current.count }

    subscript(target: ObjectIdentifier) -> Binding? {
        get { current[target] }
        set {
            let old = current[target]
            current[target] = newValue
            if old == nil, newValue != nil { added.append(target) }
        }
    }

    /// The list of all, with those in their places that were in it before.
    func settle(_ bindings: [Binding]) -> [Binding] {
        // A new one: the thread sanitizer does not see that those who walked through the list are through.
        var settled: [Binding] = []
        settled.reserveCapacity(current.count)
        for target in bindings.map(\.targetID) + added {
            if let binding = current.removeValue(forKey: target) { settled.append(binding) }
        }
        return settled
    }
}

// The lock of the field must be held.
extension FieldDetails {
    /// From so many on, changes are kept apart.
    private static var manyBindings: Int { 32 }

    /// Those to each field that is bound.
    @inlinable @inline(__always)
    final var bindings: [Binding] {
        get { bindingEdits == nil ? settledBindings : settleBindings() }
        set {
            settledBindings = newValue
            bindingEdits = nil
            noteDemand()
        }
    }

    /// Whether there are none, found without a count of references.
    @inlinable @inline(__always)
    final var isUnbound: Bool { bindingEdits == nil ? settledBindings.isEmpty : bindings.isEmpty }

    final var bindingCount: Int { bindingEdits?.count ?? settledBindings.count }

    @usableFromInline @inline(never)
    final func settleBindings() -> [Binding] {
        if let bindingEdits { bindings = bindingEdits.settle(settledBindings) }
        return settledBindings
    }

    /// Adds a binding, or puts it in the place of the one to the same field.
    ///
    /// - Returns: That one, which is to be released without the lock.
    final func add(_ binding: Binding) -> Binding? {
        let edits = editsOfMany
        // One with the same identity is a link to the target, or to a dead field in its place.
        let old = self.binding(to: binding.targetID)
        old?.isOver = true
        if let edits, !holdsClosure(old) {
            edits[binding.targetID] = binding
            noteDemand()
        } else if let old {
            bindings = bindings.map { $0 === old ? binding : $0 }
        } else {
            bindings = bindings + [binding]
        }
        return old
    }

    /// Takes out the binding to a field.
    ///
    /// - Returns: The binding, which is to be released without the lock.
    final func removeBinding(to target: ObjectIdentifier) -> Binding? {
        let edits = editsOfMany
        guard let old = binding(to: target) else { return nil }
        old.isOver = true
        if let edits, !holdsClosure(old) {
            edits[target] = nil
            noteDemand()
        } else {
            bindings = bindings.filter { $0 !== old }
        }
        return old
    }

    /// The binding to a field.
    final func binding(to target: ObjectIdentifier) -> Binding? {
        if let bindingEdits { return bindingEdits[target] }
        return settledBindings.first { $0.targetID == target }
    }

    private var editsOfMany: BindingEdits? {
        if bindingEdits == nil, settledBindings.count >= Self.manyBindings {
            bindingEdits = BindingEdits(settledBindings)
        }
        return bindingEdits
    }

    /// Whether a binding may not stay in the list: what its closure holds is released with it, which may
    /// run code of the user.
    private func holdsClosure(_ binding: Binding?) -> Bool { binding?.transform != nil }
}
