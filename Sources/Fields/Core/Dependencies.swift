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

    fileprivate var object: AnyObject {
        switch self {
        case .field(let field): field
        case .node(let node): node
        }
    }
}

/// A source, and the revision of the value that was read from it.
///
/// It does not count as a reference to the source: the list that it is in does.
struct Dependency {
    /// The revision of a value that was not known: it is always outdated.
    static let unknown = UInt64.max

    private let object: Unmanaged<AnyObject>
    let isField: Bool
    fileprivate(set) var revision: UInt64

    fileprivate init(retaining source: Source, _ revision: UInt64) {
        object = .passRetained(source.object)
        if case .field = source { isField = true } else { isField = false }
        self.revision = revision
        if keepsComputation { withNode { $0.addReading() } }
    }

    fileprivate func release() {
        if keepsComputation { withNode { $0.removeReading() } }
        object.release()
    }

    /// Whether it keeps a computation from its end: a cycle would do so for ever.
    private var keepsComputation: Bool { !isField && revision != Self.unknown }

    /// Renews the revision.
    fileprivate mutating func note(_ revision: UInt64) {
        let kept = keepsComputation
        self.revision = revision
        if kept == keepsComputation { return }
        // Whoever has just read it has its computed field, so that this is not its end.
        withNode { kept ? $0.removeReading() : $0.addReading() }
    }

    var id: ObjectIdentifier { object._withUnsafeGuaranteedRef { ObjectIdentifier($0) } }

    func isOf(_ id: ObjectIdentifier) -> Bool { self.id == id }

    /// Calls a closure with the source, which is a field.
    func withField<Result>(_ body: (AnyField) -> Result) -> Result {
        // `isField` says so.
        object._withUnsafeGuaranteedRef { body(unsafeDowncast($0, to: AnyField.self)) }
    }

    /// Whether the source, which is a field, still has the value that was read.
    var isFieldSame: Bool { withField { $0.changeRevision } == revision }

    /// Calls a closure with the source, which is a computation.
    func withNode<Result>(_ body: (ComputedNode) -> Result) -> Result {
        // `isField` says that it is not a field.
        object._withUnsafeGuaranteedRef { body(unsafeDowncast($0, to: ComputedNode.self)) }
    }

    /// The source, as a reference of its own.
    var source: Source {
        isField ? withField { .field($0) } : withNode { .node($0) }
    }
}

/// What a computation has read, in the order of the first reads.
///
/// It counts the references to the sources itself, as to compare and to renew a list must not touch
/// them: that would be most of the work.
///
/// Whoever compares is counted by the node that has it, under its lock, and an evaluation changes only a
/// list that it has taken out of the node while nobody compared.
@usableFromInline
final class Dependencies {
    // Memory of its own: every look into an array would count a reference to it.
    @exclusivity(unchecked) private var memory: UnsafeMutablePointer<Dependency>
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private var count = 0
    /// Whether there are computations in it, or were.
    @exclusivity(unchecked) private var hasNodes = false

    init(capacity: Int = 2) {
        memory = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        for dependency in list { dependency.release() }
        memory.deallocate()
    }

    /// What is in it, for as long as it is neither changed nor released: the caller sees to that.
    var list: UnsafeBufferPointer<Dependency> { UnsafeBufferPointer(start: memory, count: count) }

    var sources: [Source] { withExtendedLifetime(self) { list.map(\.source) } }

    /// Renews the revision at an index if it is of that source.
    func note(_ revision: UInt64, of id: ObjectIdentifier, at index: Int) -> Bool {
        guard index < count, memory[index].isOf(id) else { return false }
        memory[index].note(revision)
        return true
    }

    func append(_ source: Source, _ revision: UInt64) {
        if count == capacity {
            let old = memory
            capacity *= 2
            memory = .allocate(capacity: capacity)
            memory.moveInitialize(from: old, count: count)
            old.deallocate()
        }
        let dependency = Dependency(retaining: source, revision)
        (memory + count).initialize(to: dependency)
        count += 1
        if !dependency.isField { hasNodes = true }
    }

    /// Takes out those from an index on, if there are any: to release them may run code of the user.
    func cut(from index: Int) -> Dependencies? {
        if index >= count { return nil }
        let rest = Dependencies(capacity: count - index)
        rest.memory.moveInitialize(from: memory + index, count: count - index)
        rest.count = count - index
        count = index
        return rest
    }

    /// Whether some are known to have other values than those that were read, or torn ones, by another
    /// thread's sets.
    func wereSetByOthers(except own: Set<ObjectIdentifier>) -> Bool {
        list.contains { dependency in
            if dependency.isField {
                !own.contains(dependency.id) && !dependency.isFieldSame
            } else {
                dependency.withNode { node in
                    let (isTorn, revision) = node.lock.withLock {
                        (node.tornUntil != 0, node.revision)
                    }
                    return isTorn || revision != dependency.revision
                }
            }
        }
    }

    /// Whether one of some fields is among them, or among what they were made of; true where that is not known.
    func mayDepend(on fields: Set<ObjectIdentifier>) -> Bool {
        var room = 100
        return mayDepend(on: fields, &room)
    }

    fileprivate func mayDepend(on fields: Set<ObjectIdentifier>, _ room: inout Int) -> Bool {
        list.contains { dependency in
            dependency.isField
                ? fields.contains(dependency.id)
                : dependency.withNode { $0.mayDepend(on: fields, &room) }
        }
    }

    /// Whether all still have the values that were read, as far as that is known without making any
    /// right; false where that is too much to look at.
    ///
    /// - Parameter room: How many computations may be looked at.
    /// - Returns: Whether they have.
    func areSame(_ room: inout Int) -> Bool {
        list.allSatisfy { dependency in
            dependency.isField
                ? dependency.isFieldSame
                : dependency.withNode { $0.hasKept(dependency.revision, &room) }
        }
    }

    /// Whether all still have the values that were read, if they are fields; nil if others are
    /// among them.
    @inline(__always)
    var areFieldsSame: Bool? { hasNodes ? nil : compareFields() }

    private func compareFields() -> Bool { list.allSatisfy { $0.isFieldSame } }
}

extension ComputedNode {
    /// Whether the value of a revision is there still, and what it was made of has not changed.
    fileprivate final func hasKept(_ read: UInt64, _ room: inout Int) -> Bool {
        compare(&room, ifNone: true, where: { revision == read && tornUntil == 0 }) {
            $0.areSame(&$1)
        } ?? false
    }

    /// Whether one of some fields is among those that it was made of; true where that is not known.
    fileprivate final func mayDepend(on fields: Set<ObjectIdentifier>, _ room: inout Int) -> Bool {
        compare(&room, ifNone: false, where: { true }) { $0.mayDepend(on: fields, &$1) } ?? true
    }

    /// What a closure says of what it was made of; nil where that cannot be said: `isRight` is false, it is being
    /// evaluated or was meanwhile, or too many were looked at.
    @inline(__always)
    private final func compare(
        _ room: inout Int,
        ifNone: Bool,
        where isRight: () -> Bool,
        _ body: (_ dependencies: Dependencies, _ room: inout Int) -> Bool
    ) -> Bool? {
        room -= 1
        lock.lock()
        guard room > 0, isRight(), !areTaken, evaluators == 0 else {
            lock.unlock()
            return nil
        }
        guard let dependencies else {
            lock.unlock()
            return ifNone
        }
        let publication = publication
        readers += 1
        lock.unlock()
        let result = body(dependencies, &room)
        lock.lock()
        readers -= 1
        let isKept = self.publication == publication
        lock.unlock()
        return isKept ? result : nil
    }
}
