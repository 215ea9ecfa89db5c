/// The computation of a computed field, with its last result.
// Safe: as for `ComputedNode`; what this adds is guarded by its lock.
@usableFromInline
final class ValueNode<Value: Equatable & Sendable>: ComputedNode, @unchecked Sendable {
    @usableFromInline
    typealias Body = @Sendable () throws -> Value?

    @exclusivity(unchecked) @usableFromInline var body: Body?
    @exclusivity(unchecked) @usableFromInline var value: Value?
    @exclusivity(unchecked) @usableFromInline var error: (any Error)?
    /// The revision of the value that the output has.
    @exclusivity(unchecked) @usableFromInline var pushed: UInt64 = 0
    /// The revision under which it was given to the output.
    @exclusivity(unchecked) @usableFromInline var lastPush: UInt64 = 0

    @inlinable
    init(_ body: @escaping Body) {
        self.body = body
        super.init(
            evaluation: { Self.evaluate($0, at: $1) },
            push: { Self.push($0, &$1) }
        )
    }

    /// The field that brings the value to observers.
    ///
    /// The lock must be held.
    @inlinable
    var output: Field<Value>? {
        get { madeOutput.map { unsafeDowncast($0, to: Field<Value>.self) } }
        set { madeOutput = newValue }
    }

    override func takeRemains() -> [Any] {
        lock.withLock {
            let remains: [Any] = [body as Any, output as Any, dependencies as Any]
            body = nil
            output = nil
            dependencies = nil
            return remains
        }
    }

    /// Runs the computation and stores the result, unless a fresher one is there by then.
    ///
    /// Unlocks; the lock must be held.
    ///
    /// - Returns: The revision of the value.
    @inlinable
    static func evaluate(_ node: ComputedNode, at now: UInt64) -> UInt64 {
        // The closure is called with the node that holds it.
        let node = unsafeDowncast(node, to: ValueNode<Value>.self)
        guard let body = node.body else {
            let revision = node.revision
            node.lock.unlock()
            return revision
        }
        var reading = Reading()
        // A list that another thread compares is left to it; that of a value that is right stays, as
        // the result might not be stored, and the list be lost with it.
        if node.evaluators == 0, node.readers == 0, node.validAt < now, node.dependencies != nil {
            swap(&reading.dependencies, &node.dependencies)
            node.areTaken = true
            node.publication += 1
        }
        let publication = node.publication
        node.evaluators += 1
        node.lock.unlock()
        // Read before anything is: what is committed from here on makes the result outdated.
        let start = Revision.current
        var value: Value?
        var failure: (any Error)?
        track(node, &reading, at: now) {
            do {
                value = try body()
            } catch {
                failure = error
            }
        }
        let revision = node.store(
            value,
            failure,
            &reading,
            at: reading.isOutdated ? now : start,
            after: publication
        )
        if let postponed = reading.postponed {
            DeliveryLoop.deliver([], updating: postponed.takeDirtied())
        }
        return revision
    }

    /// Stores a result, unless a fresher one is there.
    ///
    /// - Returns: The revision of the value.
    @inlinable
    final func store(
        _ newValue: Value?,
        _ failure: (any Error)?,
        _ reading: inout Reading,
        at start: UInt64,
        after expected: UInt64
    ) -> UInt64 {
        while true {
            lock.lock()
            if validAt >= start {
                evaluators -= 1
                let mustRelink = isUnlinked
                let revision = revision
                lock.unlock()
                if mustRelink { relink() }
                return revision
            }
            let old = value
            let hadError = error != nil
            let isFirst = validAt == 0
            let before = publication
            if !hasKnownEquality(Value.self) { lock.unlock() }
            let isChange = isFirst || hadError || failure != nil || differs(old, newValue)
            if !hasKnownEquality(Value.self) {
                lock.lock()
                if publication != before {
                    lock.unlock()
                    continue
                }
            }
            let oldError = error
            if isChange {
                value = newValue
                error = failure
                revision = start
            }
            if !isDisposed { swap(&dependencies, &reading.dependencies) }
            areTaken = false
            validAt = start
            publication += 1
            evaluators -= 1
            // Another result may have been stored since, and what that has read been linked.
            if isLive, reading.hasDiverged || before != expected { isUnlinked = true }
            let mustRelink = isUnlinked
            let revision = revision
            lock.unlock()
            withExtendedLifetime((old, oldError)) {}
            if mustRelink { relink() }
            return revision
        }
    }

    /// Gives a value that is new to the output, under a revision of its own.
    @inlinable
    static func push(_ node: ComputedNode, _ outflow: inout Outflow) {
        // The closure is called with the node that holds it.
        let node = unsafeDowncast(node, to: ValueNode<Value>.self)
        node.lock.lock()
        let isNew = node.pushed != node.revision
        guard let output = node.output, isNew || outflow.carries(node, node.lastPush)
        else {
            return node.lock.unlock()
        }
        // Where it is not, another thread may be about to bring it to the observers and bound fields.
        // This set has to wait for that, so it brings it there itself.
        if isNew {
            node.pushed = node.revision
            // Alone it must not move the counter of the process: that would make every computed field
            // doubt its value.
            node.lastPush = max(node.revision, node.lastPush &+ 1)
        }
        let (value, revision, hasFailed) = (node.value, node.lastPush, node.error != nil)
        node.lock.unlock()
        let stamp = outflow.stamp ?? FieldClock.overriddenStamp() ?? Stamp.system()
        outflow.stamp = stamp
        if hasFailed || !output.take(value, revision, stamp, &outflow.owing) {
            node.send(through: output, stamp, isNew: isNew, &outflow)
        }
    }

    /// Gives the value to the output and on to bound fields.
    @usableFromInline
    final func send(
        through output: Field<Value>,
        _ stamp: Stamp,
        isNew: Bool,
        _ outflow: inout Outflow
    ) {
        lock.lock()
        // Other fields compare it with the revisions of their own commits.
        if isNew, output.isBound {
            // The last ones may have gone ahead of the counter.
            let last = lastPush
            repeat { lastPush = Revision.next() } while lastPush <= last
        }
        let (value, revision, hasFailed) = (value, lastPush, error != nil)
        lock.unlock()
        var wave = Wave<Value>(value, revision, stamp)
        output.accept(&wave, from: nil)
        if hasFailed { output.markFailed(at: revision) }
        wave.run()
        if wave.isResent { Carriers.leave() }
        outflow.owing += wave.owing
        outflow.dirtied += wave.dirtied
    }
}

extension Field {
    /// Stores a computed value if no other field is bound to this one, and has the observers told.
    ///
    /// - Returns: Whether it did, as the value was newer than what was there.
    @inlinable
    final func take(
        _ value: Value?,
        _ revision: UInt64,
        _ stamp: Stamp,
        _ owing: inout [DeliveryLoop.Entry]
    ) -> Bool {
        guard let isChange = lockComparing(value, newerThan: revision) else { return false }
        if let state, !state.bindings.isEmpty {
            lock.unlock()
            return false
        }
        let old = storage
        storage = value
        noteCommit(revision, stamp, changed: isChange)
        guard let state, !state.observers.isEmpty else {
            lock.unlock()
            withExtendedLifetime(old) {}
            return true
        }
        let change = Change(old: old, new: value, isChange: isChange, revision: revision)
        enqueue(change, nil, state, &owing)
        return true
    }
}

/// What an evaluation has read.
@usableFromInline
struct Reading {
    /// Before, what the evaluation before has read: mostly the same is read again, in this order.
    @usableFromInline var dependencies: Dependencies?
    /// Whether it differs from that.
    @usableFromInline var hasDiverged = false
    /// Whether some of it was right when the value was asked for, and may be so no more.
    @usableFromInline var isOutdated = false
    /// The computations that are to be looked at as it has set something.
    @usableFromInline var postponed: Backlog?

    @inlinable
    init() {}
}

/// Runs a computation and writes down what it reads.
@usableFromInline @inline(never)
func track(
    _ node: ComputedNode,
    _ reading: inout Reading,
    at now: UInt64,
    _ body: () -> Void
) {
    let thread = ThreadState.current
    let outer = thread.pointee.tracker
    var tracker = Tracker(node, reading.dependencies, at: now, parent: outer)
    withUnsafeMutablePointer(to: &tracker) { pointer in
        thread.pointee.tracker = pointer
        DeepStack.run(atDepth: pointer.pointee.depth, body)
        thread.pointee.tracker = outer
        pointer.pointee.finish()
    }
    // What came of a cycle counts as right at this revision only.
    if tracker.hasCycle { _ = Revision.next() }
    if let made = tracker.made { reading.dependencies = made }
    reading.hasDiverged = tracker.hasDiverged
    reading.isOutdated = tracker.isOutdated
    reading.postponed = tracker.postponed
}

extension AnyField {
    /// Notes that the value of a revision stands for an error.
    @usableFromInline
    final func markFailed(at revision: UInt64) {
        lock.withLock {
            if lastRevision == revision { load = .error }
        }
    }
}
