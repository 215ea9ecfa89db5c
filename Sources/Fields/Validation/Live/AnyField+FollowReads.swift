package import ModelKitValues

// A rule may read more than the value: another field, or what is known of its validity. While somebody
// listens, that is followed, and the rules are asked again when it differs.

extension AnyField {
    /// Follows what the rules read; nil while nobody needs the live validation.
    final var followedReads: ReadFollower? {
        let (live, known) = lock.withLock { (details?.live, details?.live?.reads) }
        guard let live else { return nil }
        if let known { return known }
        let made = ReadFollower { [weak self] in self?.followReads() }
        return lock.withLock {
            let reads = live.reads ?? made
            live.reads = reads
            return reads
        }
    }

    /// Whether a state is shown that is to be found again when what the rules have read differs.
    ///
    /// Not one of a value that was set since: whoever notifies of the set validates it; nor one that others
    /// have found a part of, such as the check of the model: alone the field would forget that. The lock
    /// must be held.
    final func isFollowing(_ live: LiveValidation) -> Bool {
        details?.includesKnown == false && live.followedAt == lastRevision
            && (verdict != .unknown || isAsking) && validatesByItself
    }

    /// Whether the mode has the field validate by itself now; the lock must be held.
    private var validatesByItself: Bool {
        switch details?.validationMode {
        case .onChange: true
        case .onCommit: !traits.contains(.held)
        case .onDemand, nil: false
        }
    }

    /// Asks the rules again, as something is another that they have read beside the value.
    private func followReads() {
        guard let live = lock.withLock({ details?.live }) else { return }
        if live.isObserved { return askIfBehind(live) }
        // A computation that nobody observes now asks when somebody does.
        if lock.withLock({ live.tracking != nil }) { live.status.touch() }
    }

    /// Asks the rules again if what they have read beside the value is another, or was not followed when
    /// the state was found.
    final func askIfBehind(_ live: LiveValidation) {
        let (isDue, reads) = lock.withLock { (isFollowing(live), live.reads) }
        // A validation may have come first.
        guard isDue, reads?.isBehind ?? true else { return }
        if reads == nil, !hasRules, elementField == nil, !hasClassForm { return }
        askOnce { askAgain() }
    }

    /// Asks the rules by a closure, as no part of a validation that the task may be in: once, as a rule that
    /// reads what is known leads here, too.
    final func askOnce(_ ask: () -> Void) {
        let identity = ObjectIdentifier(self)
        let beingRead = TaskValues.beingRead
        if beingRead.contains(identity) { return }
        TaskValues.outsideValidation {
            TaskValues.$beingRead.withValue(beingRead.union([identity]), operation: ask)
        }
    }

    /// Finds again what is known of the value, if others than the field, such as the check of its model,
    /// know something now or did when that was found: as the mode says, and only while somebody needs the
    /// live validation.
    package final func askAgain(adding known: [Issue]) {
        let isDue = lock.withLock { () -> Bool in
            guard let details, let live = details.live else { return false }
            guard details.includesKnown || !known.isEmpty, validatesByItself,
                verdict != .unknown || isAsking || !known.isEmpty
            else { return false }
            // Whoever notifies of a set that was not followed yet need not validate it without them.
            live.validatedAt = lastRevision
            return true
        }
        if isDue { TaskValues.outsideValidation { askAgain(knowing: known) } }
    }

    /// Finds again what is known of the value.
    private func askAgain(knowing known: [Issue] = []) {
        // Async rules that could not answer are not asked again by this.
        let scope = CheckScope(askingAgain: false)
        scope.run { _ in Tracking.suspend { _ = validate(adding: known) } }
    }
}
