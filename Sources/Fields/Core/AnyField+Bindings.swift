extension AnyField {
    /// Takes a binding to a field from the list.
    ///
    /// The lock must not be held.
    final func unbind(_ target: AnyField) {
        let binding = lock.withLock { details?.removeBinding(to: ObjectIdentifier(target)) }
        withExtendedLifetime(binding) {}
    }

    /// Takes links to fields that are gone from a list.
    ///
    /// The lock must not be held: looking at a target may be what ends its life.
    final func removeDead(
        _ links: ReferenceWritableKeyPath<FieldDetails, [Binding]>,
        _ details: FieldDetails
    ) {
        let dead = lock.withLock { details[keyPath: links] }.filter { $0.target == nil }
        let identities = Set(dead.map { ObjectIdentifier($0) })
        lock.withLock {
            details[keyPath: links].removeAll { identities.contains(ObjectIdentifier($0)) }
        }
        withExtendedLifetime(dead) {}
    }

    /// Holds a computed field that this one is bound to, once.
    final func retain(_ source: AnyObject, _ output: AnyField) {
        if output === self { return }
        let details = ensureDetails()
        lock.withLock {
            if details.retained.contains(where: { $0.source === source }) { return }
            details.retained.append((source, output))
        }
    }

    /// Lets go of the computed field whose value a field brings, which was bound to this one.
    final func releaseSource(of output: AnyField) {
        let released = lock.withLock { () -> AnyObject? in
            guard let details,
                let index = details.retained.firstIndex(where: { $0.output === output })
            else { return nil }
            return details.retained.remove(at: index).source
        }
        withExtendedLifetime(released) {}
    }

    /// Notifies every observation that the field is gone.
    ///
    /// For `deinit`.
    @usableFromInline @inline(never)
    final func detachObservers(_ details: FieldDetails) {
        let (observers, sources) = lock.withLock { (details.observers, details.retained) }
        for source in sources { source.output.unbind(self) }
        // No call is running: whoever made it would have kept the field alive.
        for observation in observers where observation.detach() { observation.dispose() }
    }

    /// Whether sets of the field keep the other side of a relation in step.
    package final var isRelated: Bool { lock.withLock { details?.relation != nil } }

    /// Whether it is the other side of a key and not loaded: then it refers to nothing.
    ///
    /// The lock must be held.
    @usableFromInline
    final var lacksMembers: Bool { details?.relation?.isUnloaded ?? false }
}

// The lock must be held.
extension AnyField {
    /// That of the value.
    @inlinable final var order: Order {
        if let given = details?.given, given.revision == lastRevision { return given.order }
        return Order(lastRevision)
    }

    /// That under which the value is sent along a binding: where it is of an earlier set than what was
    /// sent along it first, it has to follow that.
    final func order(along binding: Binding) -> Order {
        let own = order
        return own.origin > binding.linkedAt ? own : binding.order(ofLate: lastRevision)
    }

    /// The own binding that an order has begun at, if it has.
    final func binding(of order: Order) -> Binding? {
        guard let details, order.origin <= details.linkedAt else { return nil }
        // Where a default value was replaced, all have the same.
        let begun = details.bindings.filter { $0.linkedAt == order.origin }
        return begun.first { self.order(along: $0).step == order.step } ?? begun.first
    }

    /// An order as it is for this field: of what comes back that was sent along an own binding, it is
    /// that of the value which was sent; nil where that is known, or is not the value any more.
    @usableFromInline
    final func own(_ order: Order) -> Order? {
        guard let binding = binding(of: order) else { return order }
        let sent = self.order(along: binding)
        guard sent.origin == order.origin, sent.step == order.step, sent < order else { return nil }
        return self.order.following(at: order.revision)
    }
}
