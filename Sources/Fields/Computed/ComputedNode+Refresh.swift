extension ComputedNode {
    /// Makes the value right: asks the sources, deepest first, and evaluates what has changed.
    ///
    /// It walks with a list of its own, so that the stack does not limit the depth.
    @usableFromInline
    final func refresh() {
        let now = Revision.current
        if isValid(at: now) { return }
        switch Check.shallow(self) {
        case .changed?: return evaluation(self)
        case .right(let publication)?: return noteValid(at: now, publication)
        case nil: break
        }
        var checks = [Check(self)]
        var open: Set<ObjectIdentifier> = []
        while var check = checks.popLast() {
            switch check.advance(now) {
            case .right(let publication): check.node.noteValid(at: now, publication)
            case .changed: check.node.evaluation(check.node)
            case .unknown(let source):
                checks.append(check)
                // Two threads together may have noted a cycle: each has read the other's half.
                if checks.count > 1000 {
                    if open.isEmpty { open = Set(checks.map { ObjectIdentifier($0.node) }) }
                    if !open.insert(ObjectIdentifier(source)).inserted {
                        source.evaluation(source)
                        continue
                    }
                }
                checks.append(Check(source))
            }
        }
    }

    /// Notes that what it has read was found unchanged, unless another result was stored meanwhile.
    private func noteValid(at now: UInt64, _ publication: UInt64) {
        let mustRelink = lock.withLock {
            if self.publication == publication { validAt = max(validAt, now) }
            return isUnlinked
        }
        if mustRelink { relink() }
    }

    /// The comparison of what a node has read with what is there now.
    private struct Check {
        enum Finding {
            case right(_ publication: UInt64)
            case changed
            case unknown(ComputedNode)
        }

        let node: ComputedNode
        let publication: UInt64
        private let dependencies: [Dependency]
        private let isNew: Bool
        private var index = 0
        /// Whether the source at the index was just refreshed.
        private var hasAsked = false

        init(_ node: ComputedNode) {
            self.node = node
            node.lock.lock()
            dependencies = node.dependencies
            publication = node.publication
            isNew = node.validAt == 0
            node.lock.unlock()
        }

        /// What the fields tell that a node has read before any other node; nil where that does not
        /// decide.
        static func shallow(_ node: ComputedNode) -> Shallow? {
            node.lock.lock()
            defer { node.lock.unlock() }
            if node.validAt == 0 { return .changed }
            for dependency in node.dependencies {
                // The lock of a field is taken inside that of a node, never the other way round.
                guard case .field(let field) = dependency.source else { return nil }
                if field.revision != dependency.revision { return .changed }
            }
            return .right(node.publication)
        }

        enum Shallow {
            case right(_ publication: UInt64)
            case changed
        }

        mutating func advance(_ now: UInt64) -> Finding {
            if isNew { return .changed }
            while index < dependencies.count {
                let dependency = dependencies[index]
                switch dependency.source {
                case .field(let field):
                    if field.revision != dependency.revision { return .changed }
                case .node(let source):
                    if dependency.revision == Dependency.unknown { return .changed }
                    source.lock.lock()
                    let isValid = source.isRight(at: now)
                    let revision = source.revision
                    source.lock.unlock()
                    if !isValid, !hasAsked {
                        // It reads this one: the evaluation will find the cycle.
                        if source.isEvaluatedHere { return .changed }
                        hasAsked = true
                        return .unknown(source)
                    }
                    if revision != dependency.revision { return .changed }
                }
                index += 1
                hasAsked = false
            }
            return .right(publication)
        }
    }
}
