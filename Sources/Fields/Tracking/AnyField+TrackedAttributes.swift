import ModelKitValues

// What a field knows beside its value: when it was set, how much is known, whether somebody edits it. A
// computation that reads it depends on it, and it is registered with the Observation module. Nobody pays for that
// before somebody asks: then the field gets a trait, by which a set to the same value is noticed, and
// a marker, which is touched where something differs without a set.

extension AnyField {
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
        if isFirst { _ = observeInternally(everySet: true) { [weak marker] in marker?.touch() } }
        marker.noteAccess()
    }

    /// Notifies those who have read something beside the value that it differs; no lock may be held.
    final func attributesDidChange() {
        if Tracking.isOn { lock.withLock { details?.attributesMarker }?.touch() }
    }

    /// How much is known of the value, whose read is not tracked.
    package final var untrackedLoadState: LoadState { lock.withLock { load } }
}
