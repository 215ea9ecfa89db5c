extension AnyField {
    /// Stops every observation of an owner or observer, the one of a token, and the binding to a
    /// field or to an object that is backed by one.
    ///
    /// One that was not observing, or observes another field, is no error.
    public final func removeObserver(_ owner: AnyObject) {
        guard let details = lock.withLock({ details }) else { return }
        for observation in lock.withLock({ details.observers(perhapsOf: owner) })
        where observation.belongs(to: owner) { observation.cancel() }
        liveStatus?.removeObserver(owner)
        if let field = boundField(of: owner) {
            unbind(field)
            field.releaseSource(of: self)
        }
    }

    /// Stops every observation of this field, and every binding from it.
    public final func removeAllObservers() {
        guard let details = lock.withLock({ details }) else { return }
        let (observers, bindings) = lock.withLock {
            let all = (details.observers, details.bindings)
            for binding in details.bindings { binding.isOver = true }
            details.bindings = []
            return all
        }
        for observation in observers where !observation.isInternal { observation.cancel() }
        withExtendedLifetime(bindings) {}
        liveStatus?.removeAllObservers()
    }

    /// How many observers and bindings of this field there are, also those of its validation state;
    /// those of dead owners may count.
    public final var observerCount: Int {
        observationCount.ofUsers + (liveStatus?.observerCount ?? 0)
    }

    /// How many observers and bindings of users there are, and how many hooks of the library.
    package final var observationCount: (ofUsers: Int, hooks: Int) {
        lock.withLock {
            guard let details else { return (0, 0) }
            let hooks = details.hasHooks ? details.observers.count(where: \.isInternal) : 0
            return (details.observers.count - hooks + details.bindings.count, hooks)
        }
    }

    /// Waits until the observers have been notified of every change made so far.
    ///
    /// It returns at once unless another thread is notifying them. Observers with `onMain` are notified
    /// when the main thread comes to it, which this does not wait for. Cancelling the task does not
    /// end the wait. Do not wait for it in an observer: what it waits for is that observer.
    public final func settled() async {
        await withCheckedContinuation { continuation in
            lock.lock()
            let waits = details?.isSettled == false
            if waits { details?.settling.append((lastRevision, continuation)) }
            lock.unlock()
            if !waits { continuation.resume() }
        }
    }
}
