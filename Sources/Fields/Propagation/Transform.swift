/// How a binding brings the values of a field to one of another type.
@usableFromInline
final class Transform<Value: Equatable & Sendable>: Sendable {
    /// Brings a value to the target; what follows is left to the pass.
    let send: @Sendable (Parcel<Value>, PropagationPass) -> Void

    init(_ send: @escaping @Sendable (Parcel<Value>, PropagationPass) -> Void) {
        self.send = send
    }
}

extension Propagation {
    /// One of what was sent along a new binding, or kept.
    init(_ parcel: Parcel<Value>) {
        self.init(parcel.value, parcel.order, parcel.stamp)
        options = parcel.options
    }

    /// What it brings, to be sent on later.
    func parcel(from origin: ObjectIdentifier? = nil) -> Parcel<Value> {
        Parcel(
            value: value,
            order: order,
            stamp: stamp,
            options: options,
            held: order.revision,
            origin: origin
        )
    }

    /// Has the value sent through a transform, once this propagation is through.
    @usableFromInline @inline(never)
    mutating func handOver(_ transform: AnyObject, from origin: ObjectIdentifier?) {
        // The bindings of a field have only transforms of its values.
        let transform = unsafeDowncast(transform, to: Transform<Value>.self)
        let parcel = parcel(from: origin)
        pass.orMade(PropagationPass()).add { transform.send(parcel, $0) }
    }

    /// Leaves what is still to be done to a pass, which runs it where the stack is not deep.
    func leave(to pass: PropagationPass) {
        pass.pending += pending
        let options = options
        for next in superseded { next.resend(in: pass, options) }
    }
}

extension Superseded {
    /// Sends the value on as a part of a pass, which carries on what others have set.
    func propagation(
        in pass: PropagationPass,
        _ options: PropagationOptions
    ) -> Propagation<Value> {
        pass.beginForwarding()
        var propagation = binding.map { field.resend(along: $0) } ?? field.resend(sendsLate)
        propagation.options = options
        propagation.pass = pass
        propagation.spread(from: nil)
        return propagation
    }

    /// Has that done by the pass, in its turn.
    func resend(in pass: PropagationPass, _ options: PropagationOptions) {
        pass.beginForwarding()
        pass.add { propagation(in: $0, options).leave(to: $0) }
    }
}

extension PropagationPass {
    /// Has observers notified, and computed fields brought up to date, once its work is done.
    func deliver() {
        // It is a forwarder until it ends.
        withExtendedLifetime(self) { DeliveryLoop.deliver(pending) }
    }
}
