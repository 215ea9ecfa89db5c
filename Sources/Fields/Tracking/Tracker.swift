public import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What a computation reads is written down here while it runs; it lies on the stack.
@usableFromInline
struct Tracker {
    /// The node that is evaluated; it outlives the evaluation.
    let node: Unmanaged<ComputedNode>
    /// The evaluation that this one is part of.
    let parent: UnsafeMutablePointer<Tracker>?
    let depth: Int
    /// The lowest address of the stack that may be used; 0 where nobody has asked yet.
    var stackLimit: UInt
    /// What the node had read the last time: mostly it reads the same again, in this order.
    private let expected: [Dependency]
    /// Whether reads are not to be written down now.
    fileprivate var isSuspended = false
    private var cursor = 0
    private(set) var found: [Dependency] = []
    /// The sources in `found`, when they are many.
    private var known: Set<ObjectIdentifier> = []

    init(
        _ node: ComputedNode,
        expecting expected: [Dependency],
        parent: UnsafeMutablePointer<Tracker>?
    ) {
        self.node = .passUnretained(node)
        self.parent = parent
        self.expected = expected
        depth = (parent?.pointee.depth ?? 0) + 1
        stackLimit = parent?.pointee.stackLimit ?? 0
        found.reserveCapacity(expected.count)
    }

    /// Whether it has read other sources than the last time, or in another order.
    var hasDiverged: Bool { cursor != expected.count || found.count != expected.count }

    mutating func add(_ source: Source, _ revision: UInt64) {
        if isSuspended { return }
        if cursor < expected.count, expected[cursor].source.id == source.id {
            cursor += 1
        } else {
            if contains(source.id) { return }
            // From here on every source is looked for.
            cursor = .max
        }
        found.append(Dependency(source: source, revision: revision))
        if !known.isEmpty { known.insert(source.id) }
    }

    /// Notes the read of a node that is being evaluated, so that what came of it is not kept.
    mutating func addCycle(_ source: ComputedNode) {
        if node.toOpaque() != Unmanaged.passUnretained(source).toOpaque() {
            add(.node(source), Dependency.unknown)
        }
    }

    private mutating func contains(_ id: ObjectIdentifier) -> Bool {
        if found.last?.source.id == id { return true }
        if found.count < 32 { return found.contains { $0.source.id == id } }
        if known.isEmpty { known = Set(found.map(\.source.id)) }
        return known.contains(id)
    }

    /// The tracker of this thread; nil where no computation runs.
    static var current: UnsafeMutablePointer<Tracker>? {
        get { pthread_getspecific(slot)?.assumingMemoryBound(to: Tracker.self) }
        set { pthread_setspecific(slot, newValue) }
    }
}

/// What a computation reads: a field or another computation.
@usableFromInline
enum Source: Sendable {
    case field(AnyField)
    case node(ComputedNode)

    var id: ObjectIdentifier {
        switch self {
        case .field(let field): ObjectIdentifier(field)
        case .node(let node): ObjectIdentifier(node)
        }
    }
}

/// A source, and the revision of the value that was read from it.
@usableFromInline
struct Dependency: Sendable {
    /// The revision of a value that was not known: it is always outdated.
    static let unknown = UInt64.max

    let source: Source
    let revision: UInt64
}

/// The switches of the process that every read of a value asks.
@usableFromInline
enum Tracking {
    /// There was a computed field.
    static let computed: UInt8 = 1
    /// Reads are told to the Observation module.
    static let observation: UInt8 = 2

    @usableFromInline static let mode = Atomic<UInt8>(0)

    /// Whether a read has to be noted.
    @inlinable @inline(__always)
    static var isOn: Bool { mode.load(ordering: .relaxed) != 0 }

    /// Whether the Observation module is told of every read.
    @inlinable @inline(__always)
    static var isObserving: Bool { mode.load(ordering: .relaxed) & 2 != 0 }

    static func turnOn(_ bit: UInt8) {
        if mode.load(ordering: .relaxed) & bit == 0 { mode.bitwiseOr(bit, ordering: .relaxed) }
    }

    /// Notes that a field is about to be read.
    @usableFromInline
    static func willRead(_ field: AnyField) {
        // Of what a computation reads, its value tells.
        if isObserving, Tracker.current == nil { field.noteAccess() }
    }

    /// Notes that a field was read.
    @usableFromInline
    static func didRead(_ field: AnyField, _ revision: UInt64) {
        Tracker.current?.pointee.add(.field(field), revision)
    }

    /// Runs a closure whose reads are nothing to the computation that runs.
    static func suspend<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // It stays the current one: what is evaluated meanwhile is part of this evaluation.
        guard let tracker = Tracker.current, !tracker.pointee.isSuspended else {
            return try body()
        }
        tracker.pointee.isSuspended = true
        defer { tracker.pointee.isSuspended = false }
        return try body()
    }
}

/// Runs a closure whose reads do not become dependencies of the computed field that is evaluated.
///
/// ```swift
/// let label = Computed { "\(name.value ?? "") at \(untracked { clock.value ?? 0 })" }
/// ```
@discardableResult
public func untracked<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try Tracking.suspend(body)
}

// The slot of the thread that points to its tracker.
private let slot: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
}()
