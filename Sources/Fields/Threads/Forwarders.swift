import Synchronization

/// The threads that carry on what others have set.
///
/// A propagation that finds its own value in a field goes on from there while there are such: whoever
/// brought the value may not have come further yet.
@usableFromInline
enum Forwarders {
    private static let count = Atomic<Int>(0)

    /// Whether there are any.
    @usableFromInline static var areAny: Bool { count.load(ordering: .acquiring) > 0 }

    /// Whether there are others than this thread, which is one.
    @usableFromInline static var areOthers: Bool { count.load(ordering: .acquiring) > 1 }

    @usableFromInline
    static func enter() { count.add(1, ordering: .acquiringAndReleasing) }

    @usableFromInline
    static func leave() { count.subtract(1, ordering: .acquiringAndReleasing) }
}
