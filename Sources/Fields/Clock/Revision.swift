public import Synchronization

/// The order of all commits of the process.
///
/// It alone decides which of two writes is newer. It is never stored and never taken from outside.
@usableFromInline
package enum Revision {
    @usableFromInline static let counter = Atomic<UInt64>(1)

    /// The next revision, from 2 on.
    @inlinable @inline(__always)
    package static func next() -> UInt64 {
        counter.add(1, ordering: .relaxed).newValue
    }

    /// The first of as many revisions, which nobody else takes.
    package static func next(_ count: Int) -> UInt64 {
        counter.add(UInt64(count), ordering: .relaxed).oldValue &+ 1
    }

    /// The last revision that was taken; never 0.
    @inlinable @inline(__always)
    package static var current: UInt64 { counter.load(ordering: .relaxed) }
}
