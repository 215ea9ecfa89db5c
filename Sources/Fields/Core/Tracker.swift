/// What a computation reads is written down here while it runs; it lies on the stack.
@usableFromInline
struct Tracker {
    /// The node that is evaluated; it outlives the evaluation.
    let node: Unmanaged<ComputedNode>
    /// The evaluation that this one is part of.
    let parent: UnsafeMutablePointer<Tracker>?
    /// The evaluation of this thread that is part of no other; nil where that is this one.
    private let outermost: UnsafeMutablePointer<Tracker>?
    let depth: Int
    /// The revision at which the value was asked for.
    private let now: UInt64
    /// That of the evaluation, on its stack.
    let reading: UnsafeMutablePointer<Reading>
    /// What was read: up to `count` now, then what is expected from the last time.
    ///
    /// A plain reference to that of the reading, which need not be counted.
    private var dependencies: Unmanaged<Dependencies>?
    private var count = 0
    /// How often something was read, also the same again.
    private var reads = 0
    /// Whether reads are not to be written down now.
    @usableFromInline var isSuspended = false

    /// Notes that a relation was read that is not loaded: what is computed of it is not known either.
    @usableFromInline
    static func noteUnloaded() {
        guard let current, !current.pointee.isSuspended else { return }
        current.pointee.reading.pointee.lacksRelation = true
    }

    init(
        _ node: ComputedNode,
        _ reading: UnsafeMutablePointer<Reading>,
        at now: UInt64,
        parent: UnsafeMutablePointer<Tracker>?
    ) {
        self.node = .passUnretained(node)
        self.now = now
        self.reading = reading
        reading.pointee.begin()
        dependencies = reading.pointee.dependencies.map { .passUnretained($0) }
        self.parent = parent
        outermost = parent.map { $0.pointee.outermost ?? $0 }
        depth = (parent?.pointee.depth ?? 0) + 1
    }

    mutating func add(_ source: Source, _ revision: UInt64) {
        if isSuspended { return }
        reads &+= 1
        let id = source.id
        if let dependencies {
            let isNoted = dependencies._withUnsafeGuaranteedRef {
                $0.note(revision, of: id, at: count)
            }
            if isNoted {
                count += 1
                return reading.pointee.extras?.note(id) ?? ()
            }
        }
        if contains(id) { return }
        finish()
        reading.pointee.hasDiverged = true
        let list =
            dependencies
            ?? .passUnretained(reading.pointee.dependencies.orMade(Dependencies()))
        dependencies = list
        list._withUnsafeGuaranteedRef { $0.append(source, revision) }
        count += 1
        reading.pointee.extras?.note(id)
    }

    /// Notes that this thread has set a field.
    func noteSet(_ field: ObjectIdentifier) {
        reading.pointee.madeExtras.ownSets.insert(field)
        var outer = parent
        while let frame = outer {
            frame.pointee.reading.pointee.madeExtras.ownSets.insert(field)
            outer = frame.pointee.parent
        }
    }

    func postpone(_ nodes: [ComputedNode]) { reading.pointee.backlog.add(nodes) }

    /// Has a field notified at the end of what a batch has kept.
    func postpone(_ entry: DeliveryLoop.Entry) {
        reading.pointee.backlog.pending.deliveries.append(entry)
    }

    /// The revision at which the value was asked for, at which all that is read will do now; nil
    /// where nothing was set since, or this thread has, or it is read by others, who may have.
    func startOfAsking(before current: UInt64, setAt: UInt64) -> UInt64? {
        if now >= current || isSuspended || now < setAt { return nil }
        reading.pointee.isOutdated = true
        return now
    }

    /// Whether the evaluation looks at what it reads now.
    func isLooking(after setAt: UInt64) -> Bool { !isSuspended && now >= setAt }

    /// Takes out what was expected and not read.
    mutating func finish() {
        guard let cut = dependencies?._withUnsafeGuaranteedRef({ $0.cut(from: count) }) else {
            return
        }
        reading.pointee.hasDiverged = true
        reading.pointee.madeExtras.rest = cut
    }

    /// Notes the read of a node that is being evaluated, so that its result is not kept.
    mutating func addCycle(_ source: ComputedNode) {
        if node.toOpaque() != Unmanaged.passUnretained(source).toOpaque() {
            outermost?.pointee.reading.pointee.hasCycle = true
            add(.node(source), Dependency.unknown)
            // By then it can be read, and whoever observes this one has been given something wrong.
            if !isSuspended, !isRead(by: source) {
                outermost?.pointee.postpone([node.takeUnretainedValue()])
            }
        }
    }

    /// Whether it is evaluated as another one that is reads it, by whatever way; not if that has only
    /// added or called an observer.
    private func isRead(by source: ComputedNode) -> Bool {
        var tracker = parent
        while let frame = tracker, !frame.pointee.isSuspended {
            if frame.pointee.node.toOpaque() == Unmanaged.passUnretained(source).toOpaque() {
                return true
            }
            tracker = frame.pointee.parent
        }
        return false
    }

    private mutating func contains(_ id: ObjectIdentifier) -> Bool {
        guard count > 0, let list = dependencies?._withUnsafeGuaranteedRef({ $0.list[..<count] })
        else {
            return false
        }
        if list[count - 1].isOf(id) { return true }
        if count < 32 { return list.contains { $0.isOf(id) } }
        let extras = reading.pointee.madeExtras
        if extras.known.isEmpty { extras.known = Set(list.map(\.id)) }
        return extras.known.contains(id)
    }

    /// The tracker of this thread; nil where no computation runs.
    static var current: UnsafeMutablePointer<Tracker>? { ThreadState.known?.pointee.tracker }

    /// What the evaluation has read that this one is part of, if it is, and that is part of no other.
    var outermostReading: UnsafeMutablePointer<Reading> { outermost?.pointee.reading ?? reading }

    /// How often the computation that runs on this thread has read something.
    static var reads: Int { current?.pointee.reads ?? 0 }

    /// That of the evaluation of this thread that is part of no other.
    static var outermost: UnsafeMutablePointer<Tracker>? {
        current.map { $0.pointee.outermost ?? $0 }
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
    /// Whether it is part of a cycle, or may be.
    @usableFromInline var hasCycle = false
    /// Whether some of it was read before and some after a set of another thread; where it is part of
    /// another evaluation, whether that may be.
    @usableFromInline var isTorn = false
    /// Whether a relation was read that is not loaded.
    @usableFromInline var lacksRelation = false
    /// What only few have; made when there is something.
    @usableFromInline var extras: Extras?

    @usableFromInline
    final class Extras {
        /// The computations that are to be looked at as it has set something, and the fields that they feed:
        /// until it ends, those of them that read it would find a cycle.
        @exclusivity(unchecked) var postponed: Backlog?
        /// The fields that were set meanwhile by this thread.
        @exclusivity(unchecked) var ownSets: Set<ObjectIdentifier> = []
        /// What was expected and not read; kept, as what dies with it may read, too.
        @exclusivity(unchecked) var rest: Dependencies?
        /// The sources that were read, when they are many.
        @exclusivity(unchecked) var known: Set<ObjectIdentifier> = []

        func note(_ id: ObjectIdentifier) {
            if !known.isEmpty { known.insert(id) }
        }
    }

    @inlinable
    init() {}

    var madeExtras: Extras { mutating get { extras.orMade(Extras()) } }

    var backlog: Backlog { mutating get { madeExtras.postponed.orMade(Backlog()) } }

    /// The fields that were set meanwhile by this thread.
    var ownSets: Set<ObjectIdentifier> { extras?.ownSets ?? [] }

    /// Begins an evaluation, perhaps one that is done again.
    mutating func begin() {
        (isOutdated, hasCycle, lacksRelation) = (false, false, false)
        extras?.ownSets = []
    }

    /// Lets go of what only the tracker needs.
    func endTracking() {
        guard let extras else { return }
        extras.known = []
        let rest = extras.rest.take()
        withExtendedLifetime(rest) {}
    }
}

extension ThreadState {
    @inlinable
    var tracker: UnsafeMutablePointer<Tracker>? {
        rawTracker?.assumingMemoryBound(to: Tracker.self)
    }

    /// Whether what is evaluated now is looked at by an evaluation that it is part of.
    ///
    /// What a computation has others do is not, as it knows nothing of what they read; nor is what it
    /// reads after it has set something.
    var isPart: Bool {
        guard let evaluating else { return false }
        return rawTracker == evaluating.tracker
            || tracker.map { $0.pointee.isLooking(after: setAt) } ?? false
    }

    /// Notes that what is evaluated from here on is part of an evaluation.
    ///
    /// - Returns: Whether this one is part of another itself.
    @usableFromInline
    mutating func beginEvaluation() -> Bool {
        if isPart { return true }
        if rawTracker == nil { looks = 8 }
        evaluating = Evaluating(tracker: rawTracker)
        return false
    }

    /// Whether a value that was made as part of an evaluation is looked at by whoever reads it.
    mutating func mayLookAgain() -> Bool { !isPart && (rawTracker == nil || looksAgain()) }

    /// Whether an evaluation that others have superseded is done again within another.
    @usableFromInline
    mutating func looksAgain() -> Bool {
        if looks == 0 { return false }
        looks -= 1
        return true
    }
}
