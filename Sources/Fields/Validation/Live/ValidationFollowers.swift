/// Those who are told that more or less is known of the validity of a field.
struct ValidationFollowers {
    let live: LiveValidation?
    let marker: Field<Bool>?
}

extension FieldDetails {
    /// Those who follow now.
    ///
    /// The lock must be held.
    final var followers: ValidationFollowers {
        ValidationFollowers(live: live, marker: findingsMarker)
    }
}

extension AnyField {
    /// Tells those who follow to look; no lock may be held.
    final func refresh(_ followers: ValidationFollowers) {
        if let marker = followers.marker { ValidationPath.outside { marker.touch() } }
        if let live = followers.live { refresh(live) }
    }

    /// Notes for the computation that runs, if one does, that it is about to read what was found or
    /// said, and when: unlike one that reads the status it is no listener, for whom the field would
    /// validate by itself.
    final func noteFindingsRead() {
        guard let tracker = Tracker.current, !tracker.pointee.isSuspended else { return }
        let details = ensureDetails()
        let made = Field<Bool>()
        let marker = lock.withLock { () -> Field<Bool> in
            if let known = details.findingsMarker { return known }
            details.findingsMarker = made
            return made
        }
        // Before it is read: what differs afterwards has it made again.
        _ = (trackedChangeRevision, marker.trackedChangeRevision)
    }
}
