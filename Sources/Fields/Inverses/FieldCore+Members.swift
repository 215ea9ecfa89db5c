// A field that is the other side of a key, and what it does while it is not loaded.

extension FieldCore {
    /// Whether it is the other side of a key, and not loaded.
    package final var isUnloadedRelation: Bool { lock.withLock { lacksMembers } }

    /// Sets the objects that have the field's owner, as a store has found them.
    ///
    /// Objects that have the owner and are not among them are not stored yet, and come last; observers
    /// are notified once. It is no set of the other sides.
    ///
    /// - Parameters:
    ///   - stored: The objects, in their order. Those whose owner is another one by now are left out.
    ///   - isGone: Whether another object, which has the owner still, is not to be in the field.
    package final func loadMembers(
        _ stored: [RelatedObject],
        unless isGone: (RelatedObject) -> Bool = { _ in false }
    ) {
        guard let inverse = relation, let owner = inverse.owner, let side = inverse.field else {
            return
        }
        var outflow = InverseOutflow()
        _ = commitRelated(inverse, RelatedStamp(), &outflow) { seen, unloaded, _ in
            let storedIDs = Set(stored.map { ObjectIdentifier($0) })
            let others = inverse.objects(of: seen, unloaded).filter {
                !storedIDs.contains(ObjectIdentifier($0)) && !isGone($0)
            }
            let members = (stored + others).filter {
                side($0)?.inverseView(of: owner)?.contains ?? false
            }
            let value = inverse.shape.value(members)
            if unloaded == nil, !isDifferent(seen, value) { return nil }
            return RelatedEdit(removed: [], added: []) { stored in
                let old = stored
                stored = value
                // With the members, so that one that is taken out at once is kept.
                if inverse.taken == nil { inverse.taken = [:] }
                return (old as Any, true, nil)
            }
        }
        lock.withLock { if state?.inverse?.unloaded == nil { load = .loaded } }
        keepTaken()
        deliver(outflow)
    }

    /// Sets all members, whose keys are set then, also of a field that is not loaded.
    package final func setMembers(_ value: Value?) {
        if let inverse = relation {
            var outflow = InverseOutflow()
            _ = commitRelated(inverse, RelatedStamp(), &outflow) { seen, unloaded, _ in
                let new = value.map(inverse.shape.distinct)
                return replacement(inverse, new, of: seen, unloaded)
            }
            deliver(outflow)
        } else {
            _ = commit(value, at: nil)
        }
        becomeLoaded()
    }

    /// Counts the field as loaded, without a set: of a model that is made here, whose owner nobody has yet.
    package final func becomeLoaded() { lock.withLock { load = .loaded } }

    /// The value.
    ///
    /// Where it is nil as the field is not loaded, that is reported, once for all objects of a type. A
    /// computation that reads it has no value anyway.
    final var knownValue: Value? {
        let value = readTracked { storage }
        guard value == nil, Tracker.current == nil, isUnloadedRelation else { return value }
        let owner = lock.withLock { state?.inverse?.owner }
        let place = "\(owner.map { "\(type(of: $0))." } ?? "")\(label)"
        if reportedPlaces.withLock({ $0.insert(place).inserted }) {
            reportUnloaded("has no elements that anybody knows; load it first")
        }
        return value
    }

    /// Takes the value of another field of a copy's original, of which the objects in it do not know until
    /// the field is set or `join()` is called.
    package final func takeApart(_ other: FieldCore<Value>) {
        let inverse = lock.withLock { () -> Inverse<Value>? in
            defer {
                details?.relation = nil
                traits.remove(.related)
            }
            return state?.inverse
        }
        _ = takeValue(of: other, at: nil, restoring: true)
        guard let inverse else { return }
        lock.withLock {
            details?.relation = inverse
            traits.insert(.related)
            inverse.unloaded = storage == nil ? nil : RememberedObjects()
        }
    }

    /// Keeps the value of a field that is linked now, whose objects do not know of it until the field is set or
    /// `join()` is called.
    package final func stayApart() {
        lock.withLock { if storage != nil { state?.inverse?.unloaded = RememberedObjects() } }
    }

    /// The objects that were taken out since the field was loaded, and are kept until that is stored.
    package final var takenObjects: [RelatedObject] {
        lock.withLock { state?.inverse?.taken.map { Array($0.values) } } ?? []
    }

    /// Keeps what is taken out of the field from now on, as a store has its owner.
    package final func keepTaken() {
        lock.withLock {
            guard let inverse = state?.inverse, inverse.unloaded == nil else { return }
            if inverse.taken == nil { inverse.taken = [:] }
        }
    }

    /// Lets go of an object that was taken out.
    package final func forgetTaken(_ object: RelatedObject) {
        lock.withLock { state?.inverse?.taken?[ObjectIdentifier(object)] = nil }
    }

    /// Lets go of all objects that were taken out, and keeps none from now on, as no store has the owner.
    package final func dropTaken() {
        let taken = lock.withLock { state?.inverse?.taken.take() }
        withExtendedLifetime(taken) {}
    }

    /// Takes the field's owner out of objects, and leaves the value as it is: they know of the owner again
    /// when the field is set, or `join()` is called.
    ///
    /// - Parameter isLeft: Whether an object is to have the owner no more.
    package final func leave(where isLeft: (RelatedObject) -> Bool) {
        guard let inverse = relation, !inverse.isDerived else { return }
        var outflow = InverseOutflow()
        _ = commitRelated(inverse, RelatedStamp(), &outflow) { value, unloaded, _ in
            let objects = inverse.objects(of: value, unloaded)
            let left = objects.filter(isLeft)
            if left.isEmpty { return nil }
            var edit = RelatedEdit<Value>(removed: left, added: [], perform: nil, isUnloaded: true)
            // One that is not loaded stays so, and has no value to keep.
            if value != nil { edit.leaving = RememberedObjects(objects.filter { !isLeft($0) }) }
            return edit
        }
        deliver(outflow)
    }

    /// Lets the objects in the field of a copy, or of an object that has left, know of their owner.
    package final func join() {
        guard let inverse = relation, !inverse.isDerived else { return }
        var outflow = InverseOutflow()
        _ = commitRelated(inverse, RelatedStamp(), &outflow) { value, unloaded, _ in
            guard unloaded != nil, let value else { return nil }
            return RelatedEdit(removed: [], added: inverse.shape.objects(value), perform: nil)
        }
        lock.withLock { if storage != nil { inverse.unloaded = nil } }
        deliver(outflow)
    }

    /// Reports that the field was used while it is not loaded.
    final func reportUnloaded(_ message: String) {
        report(.relationNotLoaded, "a relation that is not loaded \(message)")
    }

    /// Keeps the field out of the relations of others, for good.
    ///
    /// The other side of a key begins as loaded.
    package final func standApart(as shape: InverseShape<Value>, isDerived: Bool) {
        if isDerived { becomeLoaded() }
        install(Inverse(owner: nil, shape: shape, isDerived: isDerived, field: nil))
    }

    /// Whether it is kept out of the relations of others.
    package final var isApart: Bool { lock.withLock { state?.inverse?.isApart ?? false } }

    /// Has the other side of a key that stands apart be loaded, if another field is that it follows.
    ///
    /// - Returns: Whether it can have a value; false only where it is to be not loaded.
    final func admitsMembers(_ load: LoadState) -> Bool {
        lock.withLock {
            guard traits.contains(.related), let inverse = state?.inverse, inverse.isDerived,
                inverse.isApart
            else { return true }
            if load == .loaded { inverse.unloaded = nil }
            return load == .loaded
        }
    }

    /// Whether the value that the field has, or had, at a revision has an object.
    ///
    /// The lock must not be held.
    final func has(
        _ object: RelatedObject,
        in value: Value,
        at revision: UInt64,
        _ inverse: Inverse<Value>
    ) -> Bool {
        // Few are looked at in less time than one is looked up.
        guard inverse.shape.count(value) > 64 else { return inverse.shape.contains(value, object) }
        let known = lock.withLock { () -> Bool? in
            inverse.members?.revision == revision
                ? inverse.members?.identities.contains(ObjectIdentifier(object)) : nil
        }
        if let known { return known }
        let members = InverseMembers(inverse.shape.objects(value), at: revision)
        // Asked now: who notes a commit later is to change the set in place.
        let isThere = members.identities.contains(ObjectIdentifier(object))
        lock.withLock { if lastRevision == revision { inverse.members = members } }
        return isThere
    }

    /// Notes what a commit has made of the value.
    ///
    /// The lock must be held.
    final func noteMembers(
        of inverse: Inverse<Value>,
        since before: UInt64,
        removed: [RelatedObject],
        added: [RelatedObject]
    ) {
        guard inverse.members?.revision == before else { return }
        inverse.members?.revision = lastRevision
        for object in removed { inverse.members?.identities.remove(ObjectIdentifier(object)) }
        for object in added { inverse.members?.identities.insert(ObjectIdentifier(object)) }
    }
}

/// What was reported already.
private let reportedPlaces = Guarded<Set<String>>([])

/// Which objects a large value of a relation has, so that not all of them are looked at each time.
struct InverseMembers {
    /// The revision of the field with that value.
    var revision: UInt64
    var identities: Set<ObjectIdentifier>

    init(_ objects: [RelatedObject], at revision: UInt64) {
        (self.revision, identities) = (revision, Set(objects.map { ObjectIdentifier($0) }))
    }
}
