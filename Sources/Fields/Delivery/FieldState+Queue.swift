extension FieldState {
    /// What a change has taken the place of, with the change as it was, which may be the last to have what it
    /// forgets: to be released once the lock is free.
    @usableFromInline
    typealias Merged = (changes: [Queued<Value>], mustReport: Bool)

    /// Lets a change start where the last delivered one ended, and stand for all that wait if those are too many.
    ///
    /// The lock must be held.
    @usableFromInline @inline(never)
    func join(_ change: inout Change<Value>, _ script: inout EditScript?) -> Merged? {
        var queued = Queued(change: change, script: script)
        defer { (change, script) = (queued.change, queued.script) }
        if withheld != nil { joinWithheld(&queued) }
        if queue.count < FieldCore<Value>.queueLimit { return nil }
        let waiting = queue.removeAll()
        defer { reportedMerge = true }
        let merged = waiting + [queued]
        queued.join(waiting)
        return (merged, !reportedMerge)
    }

    /// Takes those out who wait for nothing that is still to be delivered.
    ///
    /// The lock must be held.
    @usableFromInline
    func takeSettled() -> [CheckedContinuation<Void, Never>] {
        if settling.isEmpty || isDraining { return [] }
        let next = firstWaiting
        let settled = settling.prefix { $0.revision < next }
        settling.removeFirst(settled.count)
        return settled.map { $0.continuation }
    }

    /// The lowest revision of the changes that wait, also for new observers; `.max` if none do.
    ///
    /// The lock must be held.
    var firstWaiting: UInt64 {
        observers.reduce(queue.firstRevision ?? .max) {
            // A field takes only observers of its own value type.
            min($0, unsafeDowncast($1, to: Observer<Value>.self).early?.since ?? .max)
        }
    }

    /// Keeps where a change begins that is not to be delivered now.
    ///
    /// The lock must be held.
    @usableFromInline
    func withhold(_ change: Change<Value>, _ script: EditScript?) {
        if withheld == nil {
            withheld = Withheld(
                old: change.old,
                script: script?.copy(),
                isForced: change.isForced
            )
        } else {
            withheld?.script?.append(script)
        }
        if change.isForced { withheld?.isForced = true }
    }

    /// Lets a change start where the last delivered one ended, as some were not delivered since.
    ///
    /// The lock must be held.
    private func joinWithheld(_ queued: inout Queued<Value>) {
        guard let start = withheld.take() else { return }
        start.script?.append(queued.script)
        queued.script = start.script
        queued.change.join(from: start.old)
        if start.isForced { queued.change.isForced = true }
    }
}

extension FieldDetails {
    /// Whether a thread that has delivered so many changes leaves the rest to others, because
    /// others set the field, too.
    ///
    /// Slow observers shorten the turn, so that no set takes long. The lock must be held.
    @inlinable @inline(__always)
    final func isTurnOver(after delivered: Int) -> Bool {
        isContended && (delivered >= 256 || isTurnLong())
    }

    /// Notes that no thread calls the observers now.
    @inlinable @inline(__always)
    final func endTurn() {
        isDraining = false
        turnStart = 0
        drainer = nil
    }

    @usableFromInline @inline(never)
    final func isTurnLong() -> Bool {
        let now = Stamp.coarseSeconds()
        if turnStart == 0 { turnStart = now }
        return now - turnStart > 0.01
    }
}
