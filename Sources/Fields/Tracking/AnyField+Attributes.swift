public import ModelKitEssentials

// What a field knows beside its value: when it was set, how much is known, whether somebody edits it. A
// computation that reads it depends on it, and it is registered with the Observation module. Nobody pays for that
// before somebody asks: then the field gets a trait, by which a set to the same value is noticed, and
// a marker, which is touched where something differs without a set.

extension AnyField {
    /// When any value was last set, also the one it had; nil before the first set.
    public final var updatedAt: Date? {
        if Tracking.isOn { noteAttributeRead() }
        return lock.withLock { updated }.date
    }

    /// When the field was last set to a different value (by `==`; two NaN are equal).
    public final var changedAt: Date? {
        if Tracking.isOn { noteAttributeRead() }
        return lock.withLock { changed }.date
    }

    /// Whether this field was set later than another; one that was never set, whatever its default
    /// value, was set before every other.
    ///
    /// Those that a store has read of one record may have one time, and none of them is newer.
    public final func isNewer(than other: AnyField) -> Bool {
        if Tracking.isOn {
            noteAttributeRead()
            other.noteAttributeRead()
        }
        // One lock after the other: two fields may be compared both ways at once.
        let time = lock.withLock { updated }.seconds
        return time > other.lock.withLock { other.updated }.seconds
    }

    /// How much is known of the value.
    ///
    /// Every set makes it `.loaded`; the rest is the app's to set.
    public final var loadState: LoadState {
        get {
            if Tracking.isOn { noteAttributeRead() }
            return untrackedLoadState
        }
        set {
            let isChange = lock.withLock {
                defer { load = newValue }
                return load != newValue
            }
            if isChange { attributesDidChange() }
        }
    }

    /// Notes, for whoever asks for it, that something beside the value is about to be read.
    final func noteAttributeRead() {
        guard let tracker = Tracker.current else {
            if Tracking.isObserving { noteAttributeAccess() }
            return
        }
        if tracker.pointee.isSuspended { return }
        lock.withLock { _ = traits.insert(.timed) }
        noteRead(of: \.attributesMarker)
    }

    /// Registers with the Observation module that something beside the value is about to be read.
    private func noteAttributeAccess() {
        let details = ensureDetails()
        let marker = self.marker(\.attributesMarker, in: details)
        let isFirst = lock.withLock {
            defer { details.marksSets = true }
            return !details.marksSets
        }
        if isFirst {
            _ = typed?.observeInternally(everySet: true) { [weak marker] in marker?.touch() }
        }
        marker.noteAccess()
    }

    /// Notifies those who have read something beside the value that it differs; no lock may be held.
    final func attributesDidChange() {
        if Tracking.isOn { lock.withLock { details?.attributesMarker }?.touch() }
    }

    /// How much is known of the value, whose read is not tracked.
    package final var untrackedLoadState: LoadState { lock.withLock { load } }

    /// Notes for the computation that runs, if one does, that it is about to read what a marker stands
    /// for.
    final func noteRead(of marker: ReferenceWritableKeyPath<FieldDetails, AnyField?>) {
        guard let tracker = Tracker.current, !tracker.pointee.isSuspended else { return }
        let known = self.marker(marker, in: ensureDetails())
        // Before it is read: what differs afterwards has it made again.
        _ = (trackedChangeRevision, known.trackedChangeRevision)
    }

    /// A marker, which is made if there is none.
    final func marker(
        _ marker: ReferenceWritableKeyPath<FieldDetails, AnyField?>,
        in details: FieldDetails
    ) -> AnyField {
        if let known = lock.withLock({ details[keyPath: marker] }) { return known }
        let new = FieldCore<Bool>(nil)
        return lock.withLock {
            // Another thread may have made it meanwhile.
            if let known = details[keyPath: marker] { return known }
            details[keyPath: marker] = new
            return new
        }
    }
}
