public import ModelKitValues

/// The computation of a computed field, with its last result.
// Safe: as for `ComputedNode`; what this adds is guarded by its lock.
@usableFromInline
final class ValueNode<Value: Equatable & Sendable>: ComputedNode, @unchecked Sendable {
    @usableFromInline
    typealias Body = @Sendable () throws -> Value?
    @usableFromInline
    typealias Edits = @Sendable () -> PropagatedEdits<Value>?

    @exclusivity(unchecked) @usableFromInline var body: Body?
    @exclusivity(unchecked) @usableFromInline var value: Value?
    @exclusivity(unchecked) @usableFromInline var error: (any Error)?
    /// Whether it has no value as a relation that it reads is not loaded.
    @exclusivity(unchecked) @usableFromInline var lacksRelation = false
    /// The revision of the value that the output has.
    @exclusivity(unchecked) @usableFromInline var pushed: UInt64 = 0
    /// The revision under which it was given to the output.
    @exclusivity(unchecked) @usableFromInline var lastPush: UInt64 = 0
    /// Whether what the output has stands for an error.
    @exclusivity(unchecked) @usableFromInline var hasPushedError = false

    /// Gives the edits that have led to the last result; nil where the computation knows none.
    @exclusivity(unchecked) @usableFromInline var edits: Edits?

    @inlinable
    init(_ body: @escaping Body, edits: Edits? = nil) {
        self.body = body
        self.edits = edits
        super.init(
            evaluation: { Self.evaluate($0, at: $1, on: $2) },
            push: { Self.push($0, &$1) }
        )
    }

    /// Whether the value is kept from observers, as others who set what it is made of have it made
    /// again; a bound field has to have one when the set returns.
    ///
    /// The lock must be held.
    @inlinable
    var isWithheld: Bool { tornUntil != 0 && pushed != 0 && !(output?.isBound ?? false) }

    /// The field that brings the value to observers.
    ///
    /// The lock must be held.
    @inlinable
    var output: Field<Value>? {
        get { madeOutput.map { unsafeDowncast($0, to: Field<Value>.self) } }
        set { madeOutput = newValue }
    }

    override func takeRemains() -> [Any] {
        let (body, edits) = lock.withLock {
            defer { (self.body, self.edits) = (nil, nil) }
            return (self.body, self.edits)
        }
        // Of a closure of another type than that of the values nothing has to be looked up.
        let own: () -> Void = { withExtendedLifetime((body, edits)) {} }
        return [own] + super.takeRemains()
    }

    /// Runs the computation and stores the result, unless a fresher one is there by then.
    ///
    /// Unlocks; the lock must be held.
    ///
    /// - Returns: The revision of the value; that of none, if others have set something meanwhile and the
    ///   evaluation is part of one that is to look at it.
    @inlinable
    static func evaluate(
        _ node: ComputedNode,
        at now: UInt64,
        on thread: ThreadState.Pointer
    ) -> UInt64 {
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
        var value: Value?
        var failure: (any Error)?
        var (asked, start) = (now, now)
        var attempts = 0
        let isOutermost = thread.pointee.tracker == nil
        let before = thread.pointee.evaluating
        let isPart = thread.pointee.beginEvaluation()
        repeat {
            if attempts > 0 { asked = Revision.current }
            attempts += 1
            // Read before anything is: what is committed from here on makes the result outdated.
            start = Revision.current
            track(node, &reading, at: asked, on: thread) {
                do {
                    (value, failure) = (try body(), nil)
                } catch {
                    (value, failure) = (nil, error)
                }
            }
            // Whatever the closure makes of it: nobody knows what it would be.
            if reading.lacksRelation { (value, failure) = (nil, nil) }
        } while reading.mayBeTorn(since: start, isPart: isPart)
            && attempts < 8 && (isOutermost || thread.pointee.looksAgain())
        thread.pointee.evaluating = before
        let revision = node.store(
            value,
            failure,
            &reading,
            at: reading.isOutdated ? asked : start,
            after: publication
        )
        reading.deliverPostponed(on: thread)
        return isPart && reading.isTorn ? .max : revision
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
            let isLackChanged = lacksRelation != reading.lacksRelation
            let isFirst = validAt == 0
            let before = publication
            if !hasKnownEquality(Value.self) { lock.unlock() }
            let isChange =
                isFirst || hadError || failure != nil || isLackChanged || differs(old, newValue)
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
                lacksRelation = reading.lacksRelation
                revision = start
            }
            tornUntil = reading.isTorn ? Revision.current : 0
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
        var looks = 0
        // A part of another thread's evaluation may have made it, which only reads.
        while node.tornUntil != 0, node.madeOutput != nil, looks < 4 {
            node.lock.unlock()
            node.refresh(on: outflow.thread)
            node.lock.lock()
            looks += 1
        }
        guard let output = node.output, !node.isWithheld else { return node.lock.unlock() }
        // A bound field has nil from the first error; what it was set to since is not undone.
        let isSameError = node.hasPushedError && node.error != nil
        if isSameError { node.pushed = node.revision }
        let isNew = node.pushed != node.revision
        guard isNew || outflow.carries(node, node.lastPush) else { return node.lock.unlock() }
        // Where it is not, another thread may be about to bring it to the observers and bound fields.
        // This set has to wait for that, so it brings it there itself.
        if isNew {
            node.pushed = node.revision
            node.hasPushedError = node.error != nil
            // Alone it must not move the counter of the process: that would make every computed field
            // doubt its value.
            node.lastPush = max(node.revision, node.lastPush &+ 1)
        }
        let (value, revision, edits) = (node.value, node.lastPush, node.edits)
        node.lock.unlock()
        let stamp = outflow.stamp ?? FieldClock.overriddenStamp() ?? Stamp.system()
        outflow.stamp = stamp
        if !output.take(value, revision, stamp, edits?(), &outflow) {
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
        // Another value may have been stored since; what is delivered is that one.
        if isWithheld, pushed != self.revision { return lock.unlock() }
        var isNew = isNew
        if pushed != self.revision, !(hasPushedError && error != nil) {
            isNew = true
            pushed = self.revision
            hasPushedError = error != nil
            lastPush = max(self.revision, lastPush &+ 1)
        }
        // Other fields compare it with the revisions of their own commits.
        if isNew, output.isBound {
            // The last ones may have gone ahead of the counter.
            let last = lastPush
            repeat { lastPush = Revision.next() } while lastPush <= last
        }
        let (value, revision, edits) = (value, lastPush, edits)
        lock.unlock()
        var propagation = Propagation<Value>(value, Order(revision), stamp)
        propagation.edits = edits?()
        propagation.options.hasOwnTime = FieldClock.isOverridden
        output.accept(&propagation, from: nil)
        propagation.spread(from: nil)
        outflow.pending +=
            propagation.needsPass ? propagation.runPass().pending : propagation.pending
    }

    override func end() { dispose() }
}

extension FieldCore {
    /// Stores a computed value if no other field is bound to this one, and has the observers notified.
    ///
    /// - Returns: Whether it did, as the value was newer than what was there.
    @inlinable
    final func take(
        _ value: Value?,
        _ revision: UInt64,
        _ stamp: Stamp,
        _ edits: PropagatedEdits<Value>?,
        _ outflow: inout Outflow
    ) -> Bool {
        guard let isChange = lockComparing(value, newerThan: Order(revision)) else { return false }
        if withState({ $0.isUnbound }) == false {
            lock.unlock()
            return false
        }
        let old = storage
        storage = value
        noteCommit(revision, stamp, changed: isChange)
        if withState({ $0.observers.isEmpty }) ?? true {
            lock.unlock()
            withExtendedLifetime(old) {}
            return true
        }
        let change = Change(old: old, new: value, isChange: isChange, revision: revision)
        let script = edits?.script(from: old, to: value)
        let loop = outflow.thread.pointee.loop
        withState { enqueue(change, script, $0, &outflow.pending.deliveries, loop) }
        return true
    }
}
