extension FieldCore {
    /// Adds a binding, along which the value is to be sent under a later revision than that of every set
    /// before it, so that the target takes it.
    ///
    /// What bindings bring of an earlier set is sent along it as late.
    final func link(to target: AnyField, by transform: Transform<Value>? = nil) -> Parcel<Value> {
        let custom = FieldClock.overriddenStamp()
        let binding = addBinding(to: target, by: transform)
        lock.lock()
        defer { lock.unlock() }
        let revision = Revision.next()
        details?.linkedAt = revision
        binding.linkedAt = revision
        return Parcel(
            value: storage,
            order: Order(revision),
            stamp: custom ?? Stamp.system(),
            options: PropagationOptions(hasOwnTime: custom != nil),
            held: order.revision,
            origin: ObjectIdentifier(self)
        )
    }

    /// Whether a field is this one, which is not bound to itself.
    final func refusesBinding(to target: AnyField) -> Bool {
        if target !== self { return false }
        report(.selfBinding, "a field was bound to itself")
        return true
    }

    /// Adds a binding, or puts it in the place of the one to the same field.
    ///
    /// - Returns: It.
    @discardableResult
    final func addBinding(to target: AnyField, by transform: Transform<Value>? = nil) -> Binding {
        let details = ensureDetails()
        let binding = Binding(to: target, by: transform)
        let upstream = lock.withLock { details.upstream }
        upstream?.prepare()
        defer { upstream?.prepare() }
        lock.lock()
        let old = details.add(binding)
        let isFull = details.bindingCount >= details.bindingLimit
        lock.unlock()
        // Not before: its closure may hold values of the user.
        withExtendedLifetime(old) {}
        if isFull {
            removeDead(\.bindings, details)
            lock.withLock { details.bindingLimit = max(16, details.bindings.count * 2) }
        }
        return binding
    }

    /// Takes a value that another field sends, or has sent while this one was edited, unless this field holds a newer
    /// one, and sends it on.
    final func receive(_ parcel: Parcel<Value>) {
        var propagation = Propagation(parcel)
        accept(&propagation, from: nil)
        propagation.run(from: parcel.origin)
    }
}
