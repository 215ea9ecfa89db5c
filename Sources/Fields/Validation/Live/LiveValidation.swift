/// Brings what a field knows of its validity to those who listen.
///
/// There is one while somebody does, or async rules are asked. The truth is in the field: this is
/// notified whenever that may differ.
///
/// Guarded by the lock of the field that has it.
@usableFromInline
final class LiveValidation {
    let status: FieldCore<ValidationStatus>
    fileprivate var users = 0
    /// Notified of every set of the field.
    fileprivate var hook: Observation?
    /// The revision of the value that was validated as a computation asked.
    var validatedAt: UInt64 = 0
    /// The revision of the value that was there when it began to follow, or was followed last.
    var followedAt: UInt64 = 0
    /// Keeps it up once the Observation module has asked, or a computation, which do not say when
    /// they end.
    var tracking: LiveUse?
    /// Follows what the rules have read beside the value; nil before they were asked.
    var reads: ReadFollower?

    fileprivate init(of field: AnyField) {
        status = FieldCore(field.knownStatus)
        status.ensureDetails().reportsDifferences = true
    }

    /// Whether somebody listens whose owner is not gone.
    var isObserved: Bool { status.isObservedByLiving }
}

/// One who needs the live validation of a field: it is kept up as long as there is one.
final class LiveUse: Sendable {
    private weak let field: AnyField?

    /// One that has joined the live validation of a field.
    fileprivate init(of field: AnyField) {
        self.field = field
    }

    deinit { field?.leaveLive() }
}

extension AnyField {
    /// The live validation, up to date, and what keeps it up, for one who listens.
    final func listenLive() -> (live: LiveValidation, use: LiveUse) {
        let (live, use) = useLive()
        askIfBehind(live)
        return (live, use)
    }

    /// The live validation, up to date, and what keeps it up.
    final func useLive() -> (live: LiveValidation, use: LiveUse) {
        let details = ensureDetails()
        let known = lock.withLock { details.live?.joined }
        let live = known ?? install(LiveValidation(of: self), details)
        let use = LiveUse(of: self)
        refresh(live)
        return (live, use)
    }

    /// Installs the live validation, unless there is one by now.
    private func install(_ made: LiveValidation, _ details: FieldDetails) -> LiveValidation {
        lock.lock()
        if let live = details.live?.joined {
            lock.unlock()
            return live
        }
        details.rawLive = made.joined
        made.followedAt = lastRevision
        let revision = lastRevision
        lock.unlock()
        let hook = typed?.observeInternally(everySet: true) { [weak self] in
            self?.followChange()
        }
        let isSuperseded = lock.withLock {
            made.hook = hook
            return lastRevision != revision
        }
        // The hook has not seen that set.
        if isSuperseded { followChange() }
        return made
    }

    /// Takes the live validation down after the last who needed it.
    ///
    /// It is the one that was joined: it stays as long as somebody needs it.
    fileprivate func leaveLive() {
        let (ended, hook) = lock.withLock { () -> (LiveValidation?, Observation?) in
            guard let details, let live = details.live else { return (nil, nil) }
            live.users -= 1
            if live.users > 0 { return (nil, nil) }
            details.rawLive = nil
            return (live, live.hook)
        }
        hook?.cancel()
        withExtendedLifetime(ended) {}
    }

    /// Has the live validation report what is known now.
    ///
    /// Whoever looked last is right: who looked before and writes later has to look again. No lock
    /// may be held.
    final func refresh(_ live: LiveValidation) {
        TaskValues.outsideValidation {
            var seen = live.status.revision
            while live.status.commit(knownStatus, at: seen) == nil { seen = live.status.revision }
        }
    }

    /// The validation status, of whose changes the Observation module is notified, and so is SwiftUI.
    ///
    /// Reading it counts as observing, so that the field validates by itself from then on.
    ///
    /// ```swift
    /// Text(email.observedValidationStatus.issues.first?.description ?? "")
    /// ```
    public final var observedValidationStatus: ValidationStatus {
        keptLive.status.noteAccess()
        return validationStatus
    }

    /// The live validation, which stays up from now on.
    private var keptLive: LiveValidation {
        if let live = lock.withLock({ details?.live }), lock.withLock({ live.tracking != nil }) {
            return live
        }
        let (live, use) = useLive()
        let isFirst = lock.withLock {
            defer { if live.tracking == nil { live.tracking = use } }
            return live.tracking == nil
        }
        if isFirst { askIfBehind(live) }
        return live
    }

    /// Notes for the computation that runs, if one does, that it is about to read what is known of the
    /// validity.
    ///
    /// If that is observed, the field validates by itself, and here, so that nobody is notified of the
    /// time in between.
    final func noteValidationRead() {
        guard let tracker = Tracker.current, !tracker.pointee.isSuspended else { return }
        let live = keptLive
        let status = live.status
        // Before it is read: what differs afterwards has it made again.
        Tracking.didRead(self, changeRevision)
        Tracking.didRead(status, status.changeRevision)
        let isDue = lock.withLock {
            verdict == .unknown && details?.validationMode == .onChange
                && live.followedAt != lastRevision && !isAsking
        }
        if !isDue, status.isObservedByLiving { return askIfBehind(live) }
        if isDue, status.isObservedByLiving {
            askOnce {
                // In a batch it is validated again at the end, when what its rules read is there, too.
                lock.withLock { if details?.batcher == nil { live.validatedAt = lastRevision } }
                Tracking.suspend { _ = validate() }
            }
        }
    }

    /// What brings the validation to observers, if somebody listens.
    final var liveStatus: AnyField? { lock.withLock { details?.live }?.status }

    /// Whether an observer or a computation is to be notified of its changes, whose owner is not gone.
    package final var isObservedByLiving: Bool {
        guard let details = lock.withLock({ details }) else { return false }
        removeOrphans(details)
        return lock.withLock { !details.observers.isEmpty || !details.dependents.isEmpty }
    }
}

extension LiveValidation {
    /// This, with one more who needs it.
    ///
    /// The lock of the field must be held.
    fileprivate var joined: LiveValidation {
        users += 1
        return self
    }
}

extension FieldDetails {
    /// What async rules have answered; nil without such rules.
    final var checks: Checks? { rawChecks.map { unsafeDowncast($0, to: Checks.self) } }

    /// What brings the state to those who listen; nil while nobody does.
    final var live: LiveValidation? { rawLive.map { unsafeDowncast($0, to: LiveValidation.self) } }
}
