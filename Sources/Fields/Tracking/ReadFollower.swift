/// Calls a closure when something is another that closures have read: fields, computed fields, what is
/// known of their validity.
///
/// ```swift
/// let follower = ReadFollower { [weak self] in self?.askAgain() }
/// issues = follower.follow { rule.issues(of: value) }
/// follower.catchUp()
/// ```
///
/// It holds what was read, but is held by nobody but its owner.
package final class ReadFollower: Sendable {
    private let node: FollowerNode

    /// A follower of nothing.
    ///
    /// - Parameter change: Called like an observer: on the thread that has set something, with no lock
    ///   held, after the computed fields are right; in a batch once, at its end. It is not called again
    ///   before something is followed anew.
    package convenience init(_ change: @escaping @Sendable () -> Void) {
        let signal = FieldCore<Bool>(nil)
        _ = signal.observeInternally(change)
        self.init(signal)
    }

    /// A follower that touches a field instead, which it holds.
    init(_ signal: FieldCore<Bool>) {
        node = FollowerNode(signal)
    }

    deinit { node.dispose() }

    /// Lets go of what was read; the closure is not called again.
    func end() { node.dispose() }

    /// Runs a closure, whose reads are followed from now on instead of those of the one before.
    ///
    /// They are no reads of a computation that is running.
    package func follow<Result>(_ body: () -> Result) -> Result {
        // It is always run.
        if let result = node.follow(body) { return result }
        return body()
    }

    /// Has the closure called if something has changed while it was read, to be called once the result
    /// is stored.
    package func catchUp() { node.catchUp() }

    /// Whether something has changed that was read last, or nothing was followed yet.
    package var isBehind: Bool { node.lock.withLock { node.isBehind } }

    /// Whether the last closure may have set what it has read, or what that was made of, and nobody else is known to
    /// have.
    var hasSetAlone: Bool { node.lock.withLock { node.hasSetAlone } }
}

/// The reads that a follower follows: they are linked and compared like those of a computation, but
/// when they have changed, somebody is notified, and nothing is evaluated.
// Safe: as for `ComputedNode`; what this adds is guarded by its lock.
private final class FollowerNode: ComputedNode, @unchecked Sendable {
    @exclusivity(unchecked) var isBehind = true
    /// Whether somebody is to be notified of that.
    @exclusivity(unchecked) private var isOwing = false
    /// Whether the last closure may have set what it has read, or what that was made of.
    @exclusivity(unchecked) private var mayFeedItself = false
    /// Whether somebody else is known to have set something of that.
    @exclusivity(unchecked) private var isSetByOthers = false
    /// The thread that has run the closure, until all is set that follows from what that has set.
    @exclusivity(unchecked) private var runner: ThreadState.Pointer?

    /// The lock must be held.
    var hasSetAlone: Bool { mayFeedItself && !isSetByOthers }

    init(_ signal: FieldCore<Bool>) {
        // Both closures are called with the node that holds them.
        super.init(
            evaluation: { node, now, thread in
                unsafeDowncast(node, to: FollowerNode.self).fallBehind(at: now, on: thread)
            },
            push: { node, _ in unsafeDowncast(node, to: FollowerNode.self).notify() }
        )
        madeOutput = signal
        demand = .observers
    }

    func follow<Result>(_ body: () -> Result) -> Result? {
        let thread = ThreadState.current
        let before = thread.pointee.evaluating
        _ = thread.pointee.beginEvaluation()
        // Read before anything is: what is committed from here on is noticed.
        let start = Revision.current
        var reading = Reading()
        var result: Result?
        track(self, &reading, at: start, on: thread) { result = body() }
        thread.pointee.evaluating = before
        keep(&reading, at: start, on: thread)
        reading.deliverPostponed(on: thread)
        if !reading.ownSets.isEmpty { lock.withLock { runner = nil } }
        return result
    }

    /// Keeps what was read, unless that of a later run is there.
    private func keep(
        _ reading: inout Reading,
        at start: UInt64,
        on thread: ThreadState.Pointer
    ) {
        let (own, read) = (reading.ownSets, reading.dependencies)
        let mayFeedItself = !own.isEmpty && read?.mayDepend(on: own) ?? false
        let isSetByOthers = own.isEmpty || read?.wereSetByOthers(except: own) ?? true
        lock.lock()
        if start < validAt || isDisposed {
            // Others have set something: what this thread has set is not noticed before it is through.
            (self.mayFeedItself, self.isSetByOthers) = (false, true)
            // Where nothing was followed when something changed, nobody was notified of that yet.
            if dependencies == nil, isBehind { isOwing = true }
            return lock.unlock()
        }
        (self.mayFeedItself, self.isSetByOthers) = (mayFeedItself, isSetByOthers)
        runner = own.isEmpty ? nil : thread
        swap(&dependencies, &reading.dependencies)
        validAt = start
        publication += 1
        isBehind = false
        isOwing = false
        let (isLive, hasRead) = (isLive, dependencies != nil)
        if isLive { isUnlinked = true }
        lock.unlock()
        if isLive { relink() } else if hasRead { link() }
    }

    func catchUp() {
        let (hasRead, mayFeedItself) = lock.withLock { (dependencies != nil, self.mayFeedItself) }
        if hasRead { refreshLinked(on: ThreadState.current) }
        // What others have set meanwhile is not one more link of a chain of changes that observers cause.
        if mayFeedItself { notify() } else { DeliveryLoop.withoutCause { notify() } }
    }

    /// Notes that something that was read is another.
    ///
    /// Unlocks; the lock must be held.
    private func fallBehind(at now: UInt64, on thread: ThreadState.Pointer) -> UInt64 {
        let read = dependencies.take()
        // Only where its own sets lead here does the thread come here before it is through.
        if runner == thread { mayFeedItself = true }
        if read != nil { (isBehind, isOwing) = (true, true) }
        validAt = now
        publication += 1
        let revision = revision
        lock.unlock()
        withExtendedLifetime(read) {}
        return revision
    }

    private func notify() {
        let signal = lock.withLock { () -> AnyField? in
            defer { isOwing = false }
            return isOwing ? madeOutput : nil
        }
        // Whoever is notified is no part of a validation that has followed.
        if let signal { TaskValues.outsideValidation { signal.touch() } }
    }

    override func end() { dispose() }
}
