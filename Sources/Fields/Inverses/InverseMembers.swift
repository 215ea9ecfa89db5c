import ModelKitValues

/// Which objects a large value of a relation has, so that not all of them are looked at each time.
struct InverseMembers {
    /// The revision of the field with that value.
    private(set) var revision: UInt64
    private var identities: Set<ObjectIdentifier>

    init(_ objects: [RelatedObject], at revision: UInt64) {
        self.revision = revision
        identities = Set(objects.map { ObjectIdentifier($0) })
    }

    func contains(_ object: RelatedObject) -> Bool {
        identities.contains(ObjectIdentifier(object))
    }

    /// Takes what a commit has taken out and put in.
    mutating func edit(
        removed: [RelatedObject],
        added: [RelatedObject],
        at revision: UInt64
    ) {
        self.revision = revision
        for object in removed { identities.remove(ObjectIdentifier(object)) }
        for object in added { identities.insert(ObjectIdentifier(object)) }
    }
}

extension Field {
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
            inverse.members?.revision == revision ? inverse.members?.contains(object) : nil
        }
        if let known { return known }
        let members = InverseMembers(inverse.shape.objects(value), at: revision)
        let isThere = members.contains(object)
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
        inverse.members?.edit(removed: removed, added: added, at: lastRevision)
    }
}
