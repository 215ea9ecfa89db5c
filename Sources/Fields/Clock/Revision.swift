public import Synchronization

/// The order of all commits of the process.
///
/// It alone decides which of two writes is newer. It is never stored and never taken from outside.
@usableFromInline
package enum Revision {
    @usableFromInline static let counter = Atomic<UInt64>(1)

    /// The next revision, from 2 on: the first of so many, which nobody else takes.
    @inlinable @inline(__always)
    package static func next(_ count: UInt64 = 1) -> UInt64 {
        counter.add(count, ordering: .relaxed).oldValue &+ 1
    }

    /// The last revision that was taken; never 0.
    @inlinable @inline(__always)
    package static var current: UInt64 { counter.load(ordering: .relaxed) }
}
