import ModelKitValues

extension Field {
    /// Takes the value of another field if that is loaded and was set later than this one.
    ///
    /// A field that was never set, whatever its default value, was set before every other; of two
    /// that were set at the same time this one keeps its value. What is taken goes through the
    /// domain to observers and bound fields like a set, but `updatedAt` is that of the other field,
    /// and so is `changedAt` if the value differs.
    ///
    /// - Returns: Whether the value was taken.
    @discardableResult
    public final func merge(from other: Field<Value>) -> Bool {
        let source = other.lock.withLock {
            (value: other.storage, load: other.load, updated: other.updated, changed: other.changed)
        }
        guard source.load == .loaded else { return false }
        // nil may have been loaded there without being a change.
        let changed = source.changed.date == nil ? source.updated : source.changed
        while true {
            let (revision, own) = lock.withLock { (lastRevision, updated) }
            guard source.updated.seconds > own.seconds else { return false }
            if becomesRelated() {
                let stamp = RelatedStamp(custom: source.updated, changed: changed)
                if commitRelated(source.value, at: revision, stamp) != nil { return true }
                continue
            }
            guard let taken = lockTaking(source.value, unless: { $0 != revision }) else { continue }
            defer { withExtendedLifetime(taken) {} }
            _ = commitLocked(
                taken.value,
                isChange: taken.isChange,
                source.updated,
                changed: changed
            )
            return true
        }
    }

    /// Sets the value of another field, or what a closure makes of it, with its times and load state
    /// if they are to be restored.
    @discardableResult
    package final func takeValue(
        of other: Field<Value>,
        at expected: UInt64?,
        restoring: Bool,
        as convert: (Value?) -> Value? = { $0 }
    ) -> UInt64? {
        let source = other.lock.withLock {
            (value: other.storage, load: other.load, updated: other.updated, changed: other.changed)
        }
        if restoring, !admitsMembers(source.load) {
            unloadValue()
            return revision
        }
        guard let revision = commit(convert(source.value), at: expected) else { return nil }
        lock.lock()
        // An observer may have set it, or another thread.
        if restoring, lastRevision == revision {
            (load, updated, changed) = (source.load, source.updated, source.changed)
        }
        lock.unlock()
        if restoring { attributesDidChange() }
        return revision
    }
}
