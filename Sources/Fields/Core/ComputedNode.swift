public import ModelKitValues
import Synchronization

/// A computation: what it has read, and since when its value is known to be right.
///
/// It knows no value. Whether a value is right is decided by revisions alone: it is, if nothing at
/// all was committed since it was last found right, or if all that it has read still has the
/// revision that was read. So an evaluation needs no lock, and any thread may evaluate.
// Safe: the variables are guarded by `lock`, or by `ComputedGraph.lock` where it says so; neither is
// held while a computation runs.
@usableFromInline
class ComputedNode: @unchecked Sendable {
    @usableFromInline final let lock = Lock()

    /// At this revision of the process the value was found right; 0 before the first evaluation.
    @exclusivity(unchecked) @usableFromInline final var validAt: UInt64 = 0
    /// The revision of the process when the value changed last.
    @exclusivity(unchecked) @usableFromInline final var revision: UInt64 = 0
    /// What the value was made of; nil where that is nothing.
    @exclusivity(unchecked) @usableFromInline final var dependencies: Dependencies?
    /// Until which revision others set something while the value was made, so that it may be made of
    /// some before and of some after a set; 0 if it is not, as far as it was looked at.
    @exclusivity(unchecked) @usableFromInline final var tornUntil: UInt64 = 0
    /// Whether an evaluation has the dependencies, to bring them up to date in place.
    @exclusivity(unchecked) @usableFromInline final var areTaken = false
    /// Counts the results that were stored, and the evaluations that took the dependencies.
    @exclusivity(unchecked) @usableFromInline final var publication: UInt64 = 0
    /// How many are comparing the dependencies, which therefore stay as they are.
    @exclusivity(unchecked) @usableFromInline final var readers = 0
    /// How many threads evaluate it.
    @exclusivity(unchecked) @usableFromInline final var evaluators = 0
    /// Whether it is ended, and keeps its last value.
    @exclusivity(unchecked) @usableFromInline final var isDisposed = false
    /// Always a field of the node's value type.
    @exclusivity(unchecked) @usableFromInline final var madeOutput: AnyField?
    /// Whether its sources know it, as the graph has noted it.
    @exclusivity(unchecked) @usableFromInline final var isLive = false
    /// Whether the links are still to be made that the result needs; until then it is not right, as
    /// nobody would be notified of a commit.
    @exclusivity(unchecked) @usableFromInline final var isUnlinked = false

    /// Counts the changes of its links, and of those of all that it reads.
    final let linkings = Atomic<UInt64>(0)
    /// Twice the number of lists of what was read that it is in, and one more once its computed field is
    /// gone: it ends when only that is left.
    final let readings = Atomic<UInt64>(0)

    // Guarded by the lock of the graph.

    /// The computations that read this one and are to be notified of its changes.
    @exclusivity(unchecked) final var dependents: [ComputedNode] = []
    /// The sources that know this node.
    @exclusivity(unchecked) final var links: [Source] = []
    /// Whether its output has observers or bindings.
    @exclusivity(unchecked) final var isObserved = false
    /// The last walk through the graph that came here.
    @exclusivity(unchecked) final var visited: UInt64 = 0

    // What the compiler has specialised for the value type where the computed field was made: a
    // method of a generic class would run code made for every type at once.
    /// Runs the computation for whoever asks for the value at a revision, and gives that of the value;
    /// called with the lock, which it gives back.
    @usableFromInline
    typealias Evaluation =
        @Sendable (ComputedNode, UInt64, ThreadState.Pointer) -> UInt64
    @usableFromInline final let evaluation: Evaluation
    @usableFromInline final let push: @Sendable (ComputedNode, inout Outflow) -> Void

    @inlinable
    init(
        evaluation: @escaping Evaluation,
        push: @escaping @Sendable (ComputedNode, inout Outflow) -> Void
    ) {
        self.evaluation = evaluation
        self.push = push
    }

    /// Who waits for a new value.
    enum Demand: UInt8 {
        case nobody, observers, boundFields
    }

    /// Noted by the output under its lock, so that a flush need not ask for that.
    ///
    /// A follower of reads, whose signal has no `Upstream`, notes it once. That of a node that has ended does
    /// not matter: its `isObserved` is false for good, so no walk finds it.
    private final let noted = Atomic(Demand.nobody.rawValue)

    final var demand: Demand {
        get { Demand(rawValue: noted.load(ordering: .acquiring)) ?? .nobody }
        set { noted.store(newValue.rawValue, ordering: .releasing) }
    }

    /// The field that brings the value to observers; nil where there never was one.
    final var outputField: AnyField? { lock.withLock { madeOutput } }

    /// Reports that the computation is in a circle.
    final func reportCycle(_ message: String) {
        ModelKitDiagnostics.report(.computedCycle, message, field: outputField?.label)
    }

    /// Ends it: it keeps its value, and nothing else.
    func end() {}

    /// Takes out what a computation that has ended needs no longer, for the caller to release.
    func takeRemains() -> [Any] {
        lock.withLock {
            defer { (madeOutput, dependencies) = (nil, nil) }
            return [madeOutput as Any, dependencies as Any]
        }
    }

    /// Whether the value is right, as far as that is known without asking the sources.
    ///
    /// The lock must be held.
    @inlinable @inline(__always)
    final func isRight(at now: UInt64) -> Bool {
        validAt >= now && !isUnlinked || isDisposed
    }

    /// Whether this thread is in the middle of evaluating it; asked of one that some thread evaluates.
    final var isTrackedHere: Bool {
        var tracker = Tracker.current
        while let frame = tracker {
            if frame.pointee.node.toOpaque() == Unmanaged.passUnretained(self).toOpaque() {
                return true
            }
            tracker = frame.pointee.parent
        }
        return false
    }

    /// Whether its computed field is gone.
    final var isLeft: Bool { readings.load(ordering: .acquiring) & 1 != 0 }

    /// Notes that it is in one more list of what was read.
    final func addReading() { readings.add(2, ordering: .relaxed) }

    /// Notes that it is in one less; no lock may be held.
    final func removeReading() {
        if readings.subtract(2, ordering: .acquiringAndReleasing).newValue == 1 { end() }
    }
}

/// What a flush of the graph causes.
@usableFromInline
struct Outflow {
    @usableFromInline var pending = Pending()
    /// The time of what it causes; nil before there was anything.
    @usableFromInline var stamp: Stamp?
    /// The values that it has carried on for other threads, by the revisions of their pushes.
    @usableFromInline var carried: [ObjectIdentifier: UInt64] = [:]
    @usableFromInline let thread: ThreadState.Pointer

    /// Has the observers notified.
    ///
    /// - Returns: The computations that are to be looked at then.
    mutating func deliver(by loop: UnsafeMutablePointer<DeliveryLoop>) -> [ComputedNode] {
        if !pending.deliveries.isEmpty { loop.pointee.owe(pending.takeDeliveries()) }
        return pending.takeNodes()
    }

    /// Whether a value of a node is to be carried on that another thread has pushed: once.
    @usableFromInline
    mutating func carries(_ node: ComputedNode, _ revision: UInt64) -> Bool {
        Forwarders.areOthers
            && carried.updateValue(revision, forKey: ObjectIdentifier(node)) != revision
    }
}

/// What a field that brings a computed value to observers knows of the computation.
@usableFromInline
final class Upstream: Sendable {
    // Not weakly, which would make every reference to it slower: it lets go of the field when the
    // computed field ends.
    let node: ComputedNode

    init(_ node: ComputedNode) {
        self.node = node
    }

    /// Whether the computed field has ended, so that whoever is added to the field is notified no more.
    @usableFromInline
    var isOver: Bool { node.lock.withLock { node.isDisposed } || node.isLeft }
}

extension FieldDetails {
    /// Notes who waits for the values of the computation that this field brings to them.
    ///
    /// The lock must be held.
    @usableFromInline @inline(__always)
    final func noteDemand() {
        guard let upstream else { return }
        upstream.node.demand =
            bindingCount > 0 ? .boundFields : observers.isEmpty ? .nobody : .observers
    }
}
