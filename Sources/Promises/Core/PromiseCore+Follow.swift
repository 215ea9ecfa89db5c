import ModelKitValues

extension PromiseCore {
    /// Makes it end as `inner` will, by `fire`, which copies the outcome.
    ///
    /// False, and nothing done, if it is settled or follows a promise already.
    @usableFromInline
    final func follow(
        pending inner: PromiseCore,
        _ queue: DrainQueue.Pointer?,
        _ fire: @escaping Fire
    ) -> Bool {
        lock.lock()
        guard phase == .pending else {
            let isCancelled = self.isCancelled
            lock.unlock()
            // It would have been the consumer of this work.
            if isCancelled { inner.cancel(onlyIfUnwanted: true) }
            return false
        }
        let old = (link, self.fire)
        link = inner
        self.fire = fire
        phase = .following
        lock.unlock()
        withExtendedLifetime(old) {}

        inner.attach(self)
        // Looked at after the attaching: of two threads that close a circle together, at least one
        // sees the other's half.
        lock.lock()
        let isWaiting = phase == .following
        let hasWaiters = head != nil
        lock.unlock()
        if !isWaiting {
            inner.leave(self)
        } else if hasWaiters, inner.waits(for: self) {
            settle(queue: queue) { error = PromiseError.selfResolution }
            _ = inner.remove(self)
        }
        return true
    }

    /// Whether it is `target`, or waits for it through any number of others.
    ///
    /// Costs one lock each, and is asked only for a promise that somebody waits for, so that building
    /// a long chain stays linear. `all` is the end of the search.
    private final func waits(for target: PromiseCore) -> Bool {
        var current = self
        while current !== target {
            current.lock.lock()
            let link = current.phase.isPending ? current.link : nil
            current.lock.unlock()
            guard let next = link?.core else { return false }
            current = next
        }
        return true
    }
}
