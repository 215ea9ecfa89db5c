/// How a binding brings the values of a field to one of another type.
@usableFromInline
final class Transform<Value: Equatable & Sendable>: Sendable {
    /// Brings a value to the target; what follows is left to the journey.
    let send: @Sendable (Parcel<Value>, Journey) -> Void

    init(_ send: @escaping @Sendable (Parcel<Value>, Journey) -> Void) {
        self.send = send
    }
}

/// A value on its way through a transform.
struct Parcel<Value: Equatable & Sendable>: Sendable {
    let value: Value?
    let order: Order
    let stamp: Stamp
    let manner: Manner
    /// That of the field that it comes from, when that held the value.
    let held: UInt64
    /// The field that the revision begins at, if that does not have it itself.
    let origin: ObjectIdentifier?
}

extension Wave {
    /// Has the value sent through a transform, once this wave is through.
    @usableFromInline @inline(never)
    mutating func handOver(_ transform: AnyObject, from origin: ObjectIdentifier?) {
        let journey = journey ?? Journey()
        self.journey = journey
        // The bindings of a field have only transforms of its values.
        let transform = unsafeDowncast(transform, to: Transform<Value>.self)
        let parcel = Parcel(
            value: value,
            order: order,
            stamp: stamp,
            manner: manner,
            held: order.revision,
            origin: origin
        )
        journey.add { transform.send(parcel, $0) }
    }

    /// Leaves what is still to be done to a journey, which runs it where the stack is not deep.
    func leave(to journey: Journey) {
        journey.owing += owing
        journey.dirtied += dirtied
        let manner = manner
        for next in overtaken { next.resend(in: journey, manner) }
    }
}

extension Overtaken {
    /// Has the value sent on as a part of a journey.
    func resend(in journey: Journey, _ manner: Manner) {
        journey.carryOn { journey in
            var wave = wave()
            wave.manner = manner
            wave.journey = journey
            wave.spread(from: nil)
            wave.leave(to: journey)
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
        return Transform { [weak self, weak target] parcel, journey in
            guard let target,
                target.isOlder(than: parcel.order, journey, parcel.manner)
            else { return }
            let value: Target?
            do {
                value = try convert(parcel.value)
            } catch {
                self?.noteFailure(error, at: parcel.held, journey)
                return
            }
            var wave = Wave<Target>(value, parcel.order, parcel.stamp)
            wave.manner = parcel.manner
            wave.journey = journey
            target.accept(&wave, from: sender)
            wave.spread(from: parcel.origin)
            wave.leave(to: journey)
        }
    }

    /// Whether what is to be brought is newer than this field's value, which is asked before code of
    /// the user makes a value of it; otherwise the field's own value is sent on where another thread may have brought
    /// it.
    private func isOlder(
        than order: Order,
        _ journey: Journey,
        _ manner: Manner
    ) -> Bool {
        let (brought, own, revision) = lock.withLock { (self.own(order), self.order, lastRevision) }
        if let brought, brought > own { return true }
        if brought.map({ own > $0 }) ?? false || journey.follows(self, at: revision) {
            if manner.isForced { noteInside(&journey.dirtied) }
            Overtaken(self).resend(in: journey, manner)
        }
        return false
    }
}
