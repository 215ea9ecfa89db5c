/// One commit on its way along bindings: a list of work, so that the length of a chain is bounded by
/// memory and not by the stack.
@usableFromInline
struct Propagation<Value: Equatable & Sendable> {
    /// The bindings of a field that has taken the value.
    @usableFromInline
    struct Step {
        @usableFromInline let bindings: [Binding]
        @usableFromInline let sender: ObjectIdentifier

        @inlinable
        init(bindings: [Binding], sender: ObjectIdentifier) {
            self.bindings = bindings
            self.sender = sender
        }
    }

    @usableFromInline let value: Value?
    @usableFromInline let order: Order
    @usableFromInline let stamp: Stamp
    /// How its array was made of another, where that is known.
    @usableFromInline var edits: PropagatedEdits<Value>?
    /// The next step, kept apart: in a chain there is never another.
    @usableFromInline var next: Step?
    /// What only few have; made when there is something.
    @usableFromInline var extras: Extras?
    /// What this propagation shares with those that follow it; nil until there is something.
    @usableFromInline var pass: PropagationPass?
    @usableFromInline var options = PropagationOptions()
    @usableFromInline var pending = Pending()

    @usableFromInline
    final class Extras {
        /// The steps after the next, from `head` on.
        @exclusivity(unchecked) var later: [Step] = []
        @exclusivity(unchecked) var head = 0
        /// The fields that held a newer value, or made one of this, or have to send it under another order.
        @exclusivity(unchecked) var superseded: [Superseded<Value>] = []
        /// Where it has found its own value, and goes on.
        var followed: Set<ObjectIdentifier> = []
    }

    @inlinable
    init(_ value: Value?, _ order: Order, _ stamp: Stamp) {
        self.value = value
        self.order = order
        self.stamp = stamp
    }

    /// Notes the bindings of a field that has taken the value.
    ///
    /// A link back to where it came from needs no step.
    @inlinable @inline(__always)
    mutating func add(_ bindings: [Binding], of field: AnyField, from sender: ObjectIdentifier?) {
        if bindings.isEmpty { return }
        if bindings.count == 1, bindings[0].targetID == sender { return }
        let step = Step(bindings: bindings, sender: ObjectIdentifier(field))
        if next == nil { next = step } else { addLater(step) }
    }

    @usableFromInline @inline(never)
    mutating func addLater(_ step: Step) { extras.orMade(Extras()).later.append(step) }

    var superseded: [Superseded<Value>] { extras?.superseded ?? [] }

    /// Notes fields from which the value they hold is to be sent on.
    mutating func supersede(_ list: [Superseded<Value>]) {
        if !list.isEmpty { extras.orMade(Extras()).superseded += list }
    }

    /// Notes that it goes on from a field where it has found its own value: once.
    mutating func follows(_ field: AnyField) -> Bool {
        extras.orMade(Extras()).followed.insert(ObjectIdentifier(field)).inserted
    }

    /// Brings the value, or a newer one, to all that is bound, but not to the field it comes from, and
    /// then has observers notified, and computed fields brought up to date.
    ///
    /// That field need not be named if its order is the propagation's.
    @inlinable @inline(__always)
    mutating func run(from origin: ObjectIdentifier? = nil) {
        spread(from: origin)
        if pass != nil || extras != nil { finish() } else { DeliveryLoop.deliver(pending) }
    }

    /// Whether something is left that a pass has to do.
    var needsPass: Bool { pass != nil || !superseded.isEmpty }

    /// Sends the value on until no field takes it any more.
    @inlinable @inline(__always)
    mutating func spread(from origin: ObjectIdentifier?) {
        while let step = next.take() {
            step.bindings.withUnsafeBufferPointer { bindings in
                for index in bindings.indices {
                    // The array keeps the bindings alive.
                    let binding = Unmanaged.passUnretained(bindings[index])
                    let target = binding._withUnsafeGuaranteedRef { $0.target }
                    if let target, ObjectIdentifier(target) != origin {
                        if let transform = binding._withUnsafeGuaranteedRef({ $0.transform }) {
                            handOver(transform, from: origin)
                        } else {
                            // Without one, links are made only between fields of one value type.
                            unsafeDowncast(target, to: FieldCore<Value>.self)
                                .accept(&self, from: step.sender)
                        }
                    }
                }
            }
            if next == nil, extras != nil { takeLater() }
        }
    }

    @usableFromInline @inline(never)
    mutating func finish() {
        if needsPass { runPass().deliver() } else { DeliveryLoop.deliver(pending) }
    }

    /// Sends on the values that have stopped this propagation, and those that transforms make: whoever set
    /// the former may not have come so far yet, and no set returns before all that is bound has its
    /// value or a newer one.
    mutating func runPass() -> PropagationPass {
        let pass = pass.orMade(PropagationPass())
        // The newest first, which takes the place of the others.
        while let next = extras?.superseded.popLast() {
            let newer = next.propagation(in: pass, options)
            supersede(newer.superseded)
            pending += newer.pending
        }
        // Of relations it has some already.
        pending += pass.pending
        pass.pending = pending
        pass.run()
        return pass
    }

    /// Notes that a field takes another value in place of this one.
    ///
    /// - Returns: Whether it may: not if this value came of one that it made before.
    mutating func noteCoercion(by field: AnyField, at next: UInt64) -> Bool {
        pass.orMade(PropagationPass())
            .noteCoercion(by: ObjectIdentifier(field), of: order.revision, at: next)
    }

    @usableFromInline @inline(never)
    mutating func takeLater() {
        guard let extras, extras.head < extras.later.count else { return }
        next = extras.later[extras.head]
        extras.head += 1
        if extras.head == extras.later.count {
            extras.later.removeAll(keepingCapacity: true)
            extras.head = 0
        } else if extras.head == 1024 {
            extras.later.removeFirst(1024)
            extras.head = 0
        }
    }
}

/// A field from which the value it holds is to be sent on, instead of that of a propagation.
@usableFromInline
struct Superseded<Value: Equatable & Sendable> {
    let field: FieldCore<Value>
    /// The only one along which it is sent, as a value of an earlier set than what was sent along it
    /// first.
    var binding: Binding?
    /// Whether it is sent along such bindings, too, where no one is named.
    var sendsLate = true
}
