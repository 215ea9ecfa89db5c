import ModelKitValues
import Synchronization

extension ComputedNode {
    /// Lets the sources know this node; what an evaluation has read that still runs, when it ends.
    final func link() {
        let garbage = ComputedGraph.lock.withLock { walk -> [Source] in
            // One that has ended has no output to bring a value to.
            if isObserved || isLeft || lock.withLock({ isDisposed }) { return [] }
            isObserved = true
            return lock.withLock { isLive } ? [] : connect([self], &walk)
        }
        withExtendedLifetime(garbage) {}
    }

    /// Takes it from the lists of its sources if nobody observes it any more.
    final func deactivate() {
        // Not under the lock: it may die with this reference, and its observers with it.
        let output = outputField
        let garbage = ComputedGraph.lock.withLock { _ -> [Source] in
            if let output, output.isObservedOrBound { return [] }
            isObserved = false
            return disconnect(unneeded: [.node(self)])
        }
        withExtendedLifetime(garbage) {}
    }

    /// Makes the value right, also if links change meanwhile: a commit before the link was made would
    /// be reported to nobody.
    final func refreshLinked(on thread: ThreadState.Pointer) {
        // A computation may make what it reads, and set it then: each time it is asked, links change.
        for _ in 0..<100 {
            let count = linkings.load(ordering: .acquiring)
            refresh(on: thread)
            if count == linkings.load(ordering: .acquiring) { return }
        }
        reportCycle(
            "what a computed field reads is another each time it is asked; the last value is kept"
        )
    }

    /// Brings the links to what was read last.
    @usableFromInline @inline(never)
    final func relink() {
        let garbage = ComputedGraph.lock.withLock { walk -> [Source] in
            lock.withLock { isLive } ? connect([self], &walk) : []
        }
        withExtendedLifetime(garbage) {}
    }

    /// Ends it: it keeps its value, and nothing else.
    final func dispose() {
        lock.withLock { isDisposed = true }
        release({ takeRemains() }) {
            let sources = disconnect(self)
            return sources + disconnect(unneeded: sources)
        }
    }

    /// Ends it as its computed field is gone: all of it, or where others have read the value, what only
    /// the computed field had, and the rest with the last of them.
    final func leave() {
        let isUnread = readings.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue == 0
        if isUnread { return dispose() }
        release({ [lock.withLock { madeOutput.take() } as Any] }) {
            disconnect(unneeded: [.node(self)])
        }
    }

    /// Releases what observes the output, what a closure takes out, and the links that another cuts.
    private func release(_ takeOut: () -> [Any], _ cut: () -> [Source]) {
        // The output may live on with others, and a change be on its way to its observers.
        var remains = [outputField?.endObservations() as Any] + takeOut()
        remains.append(
            ComputedGraph.lock.withLock { _ -> [Source] in
                isObserved = false
                return cut()
            }
        )
        Teardown.release(&remains)
    }

    /// Makes the links of nodes those of their last evaluations, and of sources that become live by
    /// it, too.
    ///
    /// The lock of the graph must be held.
    ///
    /// - Returns: What is to be released without the lock.
    private func connect(_ nodes: [ComputedNode], _ walk: inout GraphWalk) -> [Source] {
        var garbage: [Source] = []
        var waiting = nodes
        // They stay alive as sources or as what is released later.
        var walked: [(node: ComputedNode, publication: UInt64)] = []
        var relinked: [ComputedNode] = []
        while let node = waiting.popLast() {
            node.lock.lock()
            let wasLive = node.isLive
            node.isLive = true
            if node.areTaken {
                // The evaluation that has them will see to it.
                node.isUnlinked = true
                node.lock.unlock()
                continue
            }
            let wanted = node.dependencies?.sources ?? []
            let publication = node.publication
            node.lock.unlock()
            walked.append((node, publication))
            if wanted.elementsEqual(node.links, by: { $0.id == $1.id }) { continue }
            // One that becomes live has no reader yet that could rely on its links.
            if wasLive { relinked.append(node) }
            let old = node.links
            let kept = Set(old.map(\.id))
            let needed = Set(wanted.map(\.id))
            node.links = wanted
            for source in wanted where !kept.contains(source.id) {
                switch source {
                case .field(let field): field.addDependent(node)
                case .node(let source):
                    source.dependents.append(node)
                    if !source.lock.withLock({ source.isLive }) { waiting.append(source) }
                }
            }
            for source in old where !needed.contains(source.id) {
                node.removeFromList(of: source)
                garbage += disconnect(unneeded: [source])
            }
            garbage += old
        }
        // Who still takes one for unlinked waits for the lock, and finds the new count afterwards; a
        // commit before the last link was made is reported to nobody.
        // All whose values may depend on one count that, before it counts as linked.
        for node in relinked {
            walk.forAllReaders(of: node) { $0.linkings.add(1, ordering: .releasing) }
        }
        for (node, publication) in walked {
            node.lock.withLock {
                if node.publication == publication { node.isUnlinked = false }
            }
            garbage.append(.node(node))
        }
        return garbage
    }

    /// Takes nodes that nobody needs to be notified of from the lists of their sources.
    ///
    /// The lock of the graph must be held.
    private func disconnect(unneeded sources: [Source]) -> [Source] {
        var garbage: [Source] = []
        var waiting = sources
        while let source = waiting.popLast() {
            guard case .node(let node) = source, !node.isObserved, node.dependents.isEmpty else {
                continue
            }
            let links = disconnect(node)
            garbage += links
            waiting += links
        }
        return garbage
    }

    /// Takes a node from the lists of its sources.
    ///
    /// - Returns: The sources.
    private func disconnect(_ node: ComputedNode) -> [Source] {
        node.lock.withLock {
            node.isLive = false
            node.isUnlinked = false
        }
        let links = node.links
        node.links = []
        for source in links { node.removeFromList(of: source) }
        return links
    }

    private func removeFromList(of source: Source) {
        switch source {
        case .field(let field): field.removeDependent(self)
        case .node(let source):
            if let index = source.dependents.lastIndex(where: { $0 === self }) {
                source.dependents.remove(at: index)
            }
        }
    }

    /// Makes the value right.
    ///
    /// The lock must be held, and is held afterwards if the value may be read.
    ///
    /// - Returns: Whether it may: not by its own computation.
    @usableFromInline
    final func prepareToRead(on thread: ThreadState.Pointer) -> Bool {
        if evaluators > 0, isTrackedHere {
            lock.unlock()
            thread.pointee.tracker?.pointee.addCycle(self)
            reportCycle("a computed field reads itself; there it has no value")
            return false
        }
        let now = Revision.current
        refreshLocked(on: thread)
        lock.lock()
        // Once more, if it was made as part of an evaluation that has not looked at it yet.
        if Revision.current != now, tornUntil != 0, thread.pointee.mayLookAgain() {
            refreshLocked(on: thread)
            lock.lock()
        }
        return true
    }

    /// Notes the read for the computation that runs.
    @usableFromInline
    final func didRead(_ revision: UInt64, on thread: ThreadState.Pointer) {
        thread.pointee.tracker?.pointee.add(.node(self), revision)
    }
}

extension AnyField {
    /// Adds a computation that reads this field and is to be notified of its changes.
    fileprivate final func addDependent(_ node: ComputedNode) {
        let details = lockDetails()
        details.dependents.append(node)
        lock.unlock()
    }

    fileprivate final func removeDependent(_ node: ComputedNode) {
        lock.withLock {
            guard let index = details?.dependents.lastIndex(where: { $0 === node }) else { return }
            details?.dependents.remove(at: index)
        }
    }

    /// Whether anybody is to be notified of its changes.
    final var isObservedOrBound: Bool {
        lock.withLock { details.map { !$0.observers.isEmpty || !$0.bindings.isEmpty } ?? false }
    }

    /// The revision of the last change; the computation that runs, if one does, depends on it from now on.
    package final var trackedChangeRevision: UInt64 {
        let revision = changeRevision
        if Tracking.isOn { Tracking.didRead(self, revision) }
        return revision
    }

    /// Whether other fields take its value.
    @usableFromInline
    final var isBound: Bool {
        lock.withLock { details.map { !$0.bindings.isEmpty } ?? false }
    }
}
