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
            evaluation: { Self.evaluate($0) },
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
            let remains: [Any] = [body as Any, output as Any, dependencies]
            body = nil
            output = nil
            dependencies = []
            return remains
        }
    }

    /// Runs the computation and stores the result, unless a fresher one is there by then.
    @inlinable
    static func evaluate(_ node: ComputedNode) {
        // The closure is called with the node that holds it.
        let node = unsafeDowncast(node, to: ValueNode<Value>.self)
        node.lock.lock()
        guard let body = node.body else { return node.lock.unlock() }
        let expected = node.dependencies
        let publication = node.publication
        node.evaluators += 1
        node.lock.unlock()
        // Read before anything is: what is committed from here on makes the result outdated.
        let start = Revision.current
        var value: Value?
        var failure: (any Error)?
        let reading = track(node, expected) {
            do {
                value = try body()
            } catch {
                failure = error
            }
        }
        node.store(value, failure, reading, at: start, after: publication)
    }

    @inlinable
    final func store(
        _ newValue: Value?,
        _ failure: (any Error)?,
        _ reading: Reading,
        at start: UInt64,
        after expected: UInt64
    ) {
        while true {
            lock.lock()
            if validAt >= start {
                evaluators -= 1
                let mustRelink = isUnlinked
                lock.unlock()
                if mustRelink { relink() }
                return
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
            let oldDependencies = dependencies
            dependencies = isDisposed ? [] : reading.dependencies
            validAt = start
            publication += 1
            evaluators -= 1
            // Another result may have been stored since, and what that has read been linked.
            if isLive, reading.hasDiverged || before != expected { isUnlinked = true }
            let mustRelink = isUnlinked
            lock.unlock()
            withExtendedLifetime((old, oldError, oldDependencies)) {}
            if mustRelink { relink() }
            return
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
        let isBound = output.isBound
        if isNew {
            node.pushed = node.revision
            // Other fields compare it with the revisions of their own commits. Alone, it must not move
            // the counter of the process: that would make every computed field doubt its value.
            node.lastPush = isBound ? Revision.next() : max(node.revision, node.lastPush &+ 1)
        }
        let (value, revision, hasFailed) = (node.value, node.lastPush, node.error != nil)
        node.lock.unlock()
        let stamp = outflow.stamp ?? FieldClock.overriddenStamp() ?? Stamp.system()
        outflow.stamp = stamp
        if !isBound, !hasFailed, output.take(value, revision, stamp, &outflow.owing) { return }
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
    /// Stores a computed value that nobody is bound to, and has the observers told.
    ///
    /// - Returns: Whether it was newer than what was there.
    @inlinable
    final func take(
        _ value: Value?,
        _ revision: UInt64,
        _ stamp: Stamp,
        _ owing: inout [DeliveryLoop.Entry]
    ) -> Bool {
        guard let isChange = lockComparing(value, newerThan: revision) else { return false }
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
    @usableFromInline let dependencies: [Dependency]
    /// Whether it differs from what the one before has read.
    @usableFromInline let hasDiverged: Bool
}

/// Runs a computation and writes down what it reads.
@usableFromInline @inline(never)
func track(
    _ node: ComputedNode,
    _ expected: [Dependency],
    _ body: () -> Void
) -> Reading {
    var tracker = Tracker(node, expecting: expected, parent: Tracker.current)
    return withUnsafeMutablePointer(to: &tracker) { pointer in
        let outer = Tracker.current
        Tracker.current = pointer
        defer { Tracker.current = outer }
        DeepStack.run(pointer, body)
        return Reading(
            dependencies: pointer.pointee.found,
            hasDiverged: pointer.pointee.hasDiverged
        )
    }
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
