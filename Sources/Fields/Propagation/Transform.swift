/// How a binding brings the values of a field to one of another type.
@usableFromInline
final class Transform<Value: Equatable & Sendable>: Sendable {
    /// Brings a value to the target; what follows is left to the pass.
    let send: @Sendable (Parcel<Value>, PropagationPass) -> Void

    init(_ send: @escaping @Sendable (Parcel<Value>, PropagationPass) -> Void) {
        self.send = send
    }
}

/// A value on its way through a transform.
struct Parcel<Value: Equatable & Sendable>: Sendable {
    let value: Value?
    let order: Order
    let stamp: Stamp
    let options: PropagationOptions
    /// That of the field that it comes from, when that held the value.
    let held: UInt64
    /// The field that the revision begins at, if that does not have it itself.
    let origin: ObjectIdentifier?
}

extension Propagation {
    /// Has the value sent through a transform, once this propagation is through.
    @usableFromInline @inline(never)
    mutating func handOver(_ transform: AnyObject, from origin: ObjectIdentifier?) {
        let pass = pass ?? PropagationPass()
        self.pass = pass
        // The bindings of a field have only transforms of its values.
        let transform = unsafeDowncast(transform, to: Transform<Value>.self)
        let parcel = Parcel(
            value: value,
            order: order,
            stamp: stamp,
            options: options,
            held: order.revision,
            origin: origin
        )
        pass.add { transform.send(parcel, $0) }
    }

    /// Leaves what is still to be done to a pass, which runs it where the stack is not deep.
    func leave(to pass: PropagationPass) {
        pass.owing += owing
        pass.dirtied += dirtied
        let options = options
        for next in superseded { next.resend(in: pass, options) }
    }
}

extension Superseded {
    /// Has the value sent on as a part of a pass.
    func resend(in pass: PropagationPass, _ options: PropagationOptions) {
        pass.forward { pass in
            var propagation = propagation()
            propagation.options = options
            propagation.pass = pass
            propagation.spread(from: nil)
            propagation.leave(to: pass)
        }
    }
}

extension PropagationPass {
    /// Does the work, then has observers notified, and computed fields brought up to date.
    func finish() {
        run()
        // It is a forwarder until it ends.
        withExtendedLifetime(self) { DeliveryLoop.deliver(owing, updating: dirtied) }
    }
}
