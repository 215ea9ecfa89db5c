import ModelKitValues

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

extension Field {
    /// A transform that brings the values of this field to another, and keeps neither alive.
    func transform<Target>(
        to target: Field<Target>,
        by convert: @escaping @Sendable (Value?) throws -> Target?
    ) -> Transform<Value> {
        let sender = ObjectIdentifier(self)
        return Transform { [weak self, weak target] parcel, pass in
            guard let target,
                target.isOlder(than: parcel.order, pass, parcel.options)
            else { return }
            let value: Target?
            do {
                value = try convert(parcel.value)
            } catch {
                self?.noteFailure(error, at: parcel.held, pass)
                return
            }
            var propagation = Propagation<Target>(value, parcel.order, parcel.stamp)
            propagation.options = parcel.options
            propagation.pass = pass
            target.accept(&propagation, from: sender)
            propagation.spread(from: parcel.origin)
            propagation.leave(to: pass)
        }
    }

    /// Whether what is to be brought is newer than this field's value, which is asked before code of
    /// the user makes a value of it; otherwise the field's own value is sent on where another thread may have brought
    /// it.
    private func isOlder(
        than order: Order,
        _ pass: PropagationPass,
        _ options: PropagationOptions
    ) -> Bool {
        let (brought, own, revision) = lock.withLock { (self.own(order), self.order, lastRevision) }
        if let brought, brought > own { return true }
        if brought.map({ own > $0 }) ?? false || pass.follows(self, at: revision) {
            if options.isForced { noteInside(&pass.dirtied) }
            Superseded(self).resend(in: pass, options)
        }
        return false
    }
}
