extension AnyField {
    /// Takes an observation from the list.
    ///
    /// - Parameters:
    ///   - observation: The observation.
    ///   - retiring: Whether its closure is to be dropped: by the delivery that runs, at its end, or
    ///     by the caller.
    /// - Returns: Whether the caller has to drop it.
    final func remove(_ observation: Observation, retiring: Bool) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard let details else { return retiring }
        if let index = details.index(of: observation) {
            details.observers.remove(at: index)
            details.noteDemand()
            if details.observersByOwner != nil { details.forgetOwner(of: observation) }
        }
        guard retiring, details.isDraining else { return retiring }
        details.retired.append(observation)
        return false
    }

    /// Cancels the observers whose owners are gone.
    ///
    /// The lock must not be held: looking at an owner may be what ends its life.
    @usableFromInline @inline(never)
    final func removeOrphans(_ details: FieldDetails) {
        let observers = lock.withLock { details.observers }
        for observation in observers where observation.isOrphaned { observation.cancel() }
        lock.withLock { details.observerLimit = max(16, details.observers.count * 2) }
    }

    /// Ends every observation, also the hooks of the library.
    ///
    /// No code of the user runs before the result is released, with which the closures are.
    final func endObservations() -> AnyObject {
        let observers = lock.withLock { details?.observers ?? [] }
        // From the end, where to take one out moves no other.
        return EndedObservations(observers.reversed().filter { $0.end() })
    }
}

/// Drops the closures of observations that have ended when it is released.
private final class EndedObservations {
    /// In the reverse order.
    private let observations: [Observation]

    init(_ observations: [Observation]) { self.observations = observations }

    deinit {
        for observation in observations.reversed() { observation.dispose() }
    }
}

extension FieldDetails {
    /// Adds an observation at the end.
    ///
    /// The lock must be held.
    @usableFromInline
    func append(_ observation: Observation, of field: AnyField) {
        lastNumber += 1
        observation.attach(to: field, number: lastNumber, since: field.lastRevision)
        observers.append(observation)
        noteDemand()
        if observation.isInternal { hasHooks = true }
        if observersByOwner != nil, let owner = observation.ownerID {
            observersByOwner?[owner, default: []].append(observation)
        }
    }

    /// Those among whom are all that belong to an owner, an observer or a token.
    ///
    /// The lock must be held.
    func observers(perhapsOf object: AnyObject) -> [Observation] {
        if observersByOwner == nil {
            if observers.count < 32 { return observers }
            // To look at all for each who leaves would take the square of the time.
            var known: [ObjectIdentifier: [Observation]] = [:]
            for observation in observers {
                if let owner = observation.ownerID { known[owner, default: []].append(observation) }
            }
            observersByOwner = known
        }
        let token = object as? Observation ?? (object as? ScopedObservation)?.observation
        let own = token.flatMap { index(of: $0) }.map { [observers[$0]] } ?? []
        return own + (observersByOwner?[ObjectIdentifier(object)] ?? [])
    }

    /// Takes an observation from those of its owner; the lock must be held.
    fileprivate func forgetOwner(of observation: Observation) {
        if observers.isEmpty { return observersByOwner = nil }
        guard let owner = observation.ownerID else { return }
        observersByOwner?[owner]?.removeAll { $0 === observation }
        if observersByOwner?[owner]?.isEmpty ?? false { observersByOwner?[owner] = nil }
    }

    fileprivate func index(of observation: Observation) -> Int? {
        var low = 0
        var high = observers.count
        while low < high {
            let middle = (low + high) / 2
            if observers[middle].number < observation.number {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < observers.count && observers[low] === observation ? low : nil
    }
}
