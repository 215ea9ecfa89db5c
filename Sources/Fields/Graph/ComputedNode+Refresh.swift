extension ComputedNode {
    /// How sources are asked.
    private struct Asking {
        /// The revision at which the value is to be right.
        let now: UInt64
        let thread: ThreadState.Pointer
        /// How many sources may be asked on the stack.
        var room: Int
    }

    /// What asking the sources has led to.
    private enum Finding {
        /// The value is right; its revision.
        case right(UInt64)
        /// This source is to be made right before.
        case deep(ComputedNode)
    }

    /// Makes the value right: asks the sources, deepest first, and evaluates what has changed.
    ///
    /// It keeps a list of those on the way, so that the stack does not limit the depth.
    @usableFromInline
    final func refresh(on thread: ThreadState.Pointer) {
        lock.lock()
        refreshLocked(on: thread)
    }

    /// The same with the lock, which it gives back.
    final func refreshLocked(on thread: ThreadState.Pointer) {
        var now = Revision.current
        // Were all asked again for each commit that other threads make in between, a long chain would
        // never come to its end.
        if let tracker = thread.pointee.tracker,
            let start = tracker.pointee.startOfAsking(before: now, setAt: thread.pointee.setAt)
        {
            now = start
        }
        let asking = Asking(now: now, thread: thread, room: thread.pointee.room)
        let finding = refreshLocked(asking, isRoot: true)
        if case .deep(let source) = finding { Self.refresh([self, source], asking) }
    }

    /// Makes right what is on the way to the value of the first, which is the last to be asked.
    @inline(never)
    private static func refresh(_ nodes: [ComputedNode], _ asking: Asking) {
        var way = nodes
        let thread = asking.thread
        var open = Set(way.map { ObjectIdentifier($0) })
        let wasOnWay = thread.pointee.isOnWay
        defer { thread.pointee.isOnWay = wasOnWay }
        while let node = way.last {
            thread.pointee.isOnWay = wasOnWay || way.count > 1
            node.lock.lock()
            switch node.refreshLocked(asking, isRoot: true) {
            case .right:
                way.removeLast()
                open.remove(ObjectIdentifier(node))
            case .deep(let source):
                if open.insert(ObjectIdentifier(source)).inserted {
                    way.append(source)
                } else {
                    // Two threads together have noted a cycle: each has read the other's half.
                    source.lock.lock()
                    _ = source.evaluation(source, asking.now, thread)
                }
            }
        }
    }

    /// Makes the value right if its sources are not too deep.
    ///
    /// Unlocks; the lock must be held.
    ///
    /// - Parameters:
    ///   - asking: How sources are asked.
    ///   - isRoot: Whether it is not asked as a source of another. What sources are made of is looked
    ///     at by the evaluation that follows, if there is one.
    /// - Returns: What asking has led to.
    private func refreshLocked(_ asking: Asking, isRoot: Bool) -> Finding {
        let (now, thread) = (asking.now, asking.thread)
        if isRight(at: now) {
            let revision = revision
            lock.unlock()
            return .right(revision)
        }
        if validAt == 0 || areTaken { return .right(evaluation(self, now, thread)) }
        let kept = dependencies.map { Unmanaged.passUnretained($0) }
        guard let kept else { return .right(noteValid(at: now)) }
        // The lock of a field is taken inside that of a node, never the other way round.
        switch kept._withUnsafeGuaranteedRef({ $0.areFieldsSame }) {
        case false?: return .right(evaluation(self, now, thread))
        case true?: return .right(noteValid(at: now))
        case nil: break
        }
        let dependencies = kept.takeUnretainedValue()
        let (publication, revision) = (publication, revision)
        readers += 1
        lock.unlock()
        let comparison = withExtendedLifetime(dependencies) {
            isRoot
                ? Self.compareAsPart(dependencies.list, asking)
                : Self.compare(dependencies.list, asking)
        }
        lock.lock()
        readers -= 1
        switch comparison {
        case .same:
            if self.revision != revision {
                // Another value was stored meanwhile, and may be older than this asks for.
                return refreshLocked(asking, isRoot: isRoot)
            }
            return .right(noteValid(at: self.publication == publication ? now : 0))
        case .changed:
            // Another thread may have evaluated it meanwhile.
            return .right(isRight(at: now) ? noteValid(at: now) : evaluation(self, now, thread))
        case .deep(let source):
            lock.unlock()
            return .deep(source)
        }
    }

    private enum Comparison {
        case same, changed
        case deep(ComputedNode)
    }

    /// Compares what was read with what is there now, as part of an evaluation that may follow.
    private static func compareAsPart(
        _ dependencies: UnsafeBufferPointer<Dependency>,
        _ asking: Asking
    ) -> Comparison {
        let thread = asking.thread
        let before = thread.pointee.evaluating
        thread.pointee.evaluating = ThreadState.Evaluating(tracker: thread.pointee.rawTracker)
        defer { thread.pointee.evaluating = before }
        return compare(dependencies, asking)
    }

    /// Compares what was read with what is there now.
    private static func compare(
        _ dependencies: UnsafeBufferPointer<Dependency>,
        _ asking: Asking
    ) -> Comparison {
        for dependency in dependencies {
            if dependency.isField {
                if !dependency.isFieldSame { return .changed }
            } else {
                if dependency.revision == Dependency.unknown { return .changed }
                let finding = dependency.withNode { ask($0, asking) }
                guard case .right(let revision) = finding else {
                    if case .deep(let source)? = finding { return .deep(source) }
                    return .changed
                }
                if revision != dependency.revision { return .changed }
            }
        }
        return .same
    }

    /// Whether something of what an evaluation has read is another now.
    ///
    /// What it has read of a cycle is not compared: that was never right.
    static func isOutdated(_ dependencies: Dependencies) -> Bool {
        withExtendedLifetime(dependencies) {
            let list = dependencies.list
            if list.contains(where: { $0.revision == Dependency.unknown }) { return false }
            let thread = ThreadState.current
            let room = thread.pointee.room
            let asking = Asking(now: Revision.current, thread: thread, room: room)
            var asked: Set<ObjectIdentifier> = []
            while true {
                switch compare(list, asking) {
                case .same: return false
                case .changed: return true
                case .deep(let source):
                    // On the way to another that one asks again; and what is not right afterwards
                    // either the evaluation around this one has been notified.
                    let isOnWay = thread.pointee.isOnWay
                    if isOnWay || !asked.insert(ObjectIdentifier(source)).inserted { return false }
                    source.refresh(on: thread)
                }
            }
        }
    }

    /// Makes the value of a source right.
    ///
    /// - Returns: nil where its computation runs on this thread.
    private static func ask(_ source: ComputedNode, _ asking: Asking) -> Finding? {
        source.lock.lock()
        if !source.isRight(at: asking.now) {
            // It reads the one that asks: the evaluation will find the cycle.
            let isCycle = source.evaluators > 0 && source.isTrackedHere
            if isCycle || asking.room == 0 {
                source.lock.unlock()
                return isCycle ? nil : .deep(source)
            }
        }
        var deeper = asking
        deeper.room -= 1
        return source.refreshLocked(deeper, isRoot: false)
    }

    /// Notes that what it has read was found unchanged.
    ///
    /// Unlocks; the lock must be held.
    ///
    /// - Returns: The revision of the value.
    private func noteValid(at now: UInt64) -> UInt64 {
        validAt = max(validAt, now)
        if now >= tornUntil { tornUntil = 0 }
        let mustRelink = isUnlinked
        let revision = revision
        lock.unlock()
        if mustRelink { relink() }
        return revision
    }
}

extension ThreadState {
    /// So many sources are asked on the stack, one for the other.
    ///
    /// Fewer within an evaluation, as several of those may be nested.
    fileprivate var room: Int { rawTracker == nil ? 64 : 16 }
}
