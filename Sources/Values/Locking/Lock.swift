import ModelKitEssentials
public import Synchronization

/// The one lock of the package: short, unfair, never held while code of the user runs.
///
/// On Linux it is one atomic byte: `Mutex` there is invisible to the thread sanitizer (it reports
/// races that are none) and collapses under contention. On Apple platforms it is a `Mutex`, whose
/// waiters lend the holder their priority, without which a spinning lock can starve it.
///
/// Not reentrant. Store it in a `let` of a class.
@usableFromInline
package struct Lock: ~Copyable, Sendable {
    #if canImport(Darwin)
    @usableFromInline let mutex = Mutex<Void>(())
    #else
    @usableFromInline let byte = Atomic<UInt8>(0)
    #endif

    @inlinable
    package init() {}

    @inlinable @inline(__always)
    package borrowing func lock() {
        #if canImport(Darwin)
        mutex._unsafeLock()
        #else
        if !byte.compareExchange(
            expected: 0,
            desired: 1,
            successOrdering: .acquiring,
            failureOrdering: .relaxed
        ).exchanged {
            lockSlowly()
        }
        #endif
    }

    @inlinable @inline(__always)
    package borrowing func unlock() {
        #if canImport(Darwin)
        mutex._unsafeUnlock()
        #else
        // The optimiser moves the retain of what was read behind a store, by when another thread may
        // have released it; behind a fence it moves none.
        atomicMemoryFence(ordering: .releasing)
        byte.store(0, ordering: .releasing)
        #endif
    }

    @inlinable @inline(__always)
    package borrowing func withLock<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    #if !canImport(Darwin)
    /// Spins, then yields the processor, then sleeps: a holder that lost its processor gets it back
    /// sooner when the waiters stay off it.
    @usableFromInline @inline(never)
    borrowing func lockSlowly() {
        var attempt = 0
        while true {
            if byte.load(ordering: .relaxed) == 0,
                byte.weakCompareExchange(
                    expected: 0,
                    desired: 1,
                    successOrdering: .acquiring,
                    failureOrdering: .relaxed
                ).exchanged
            {
                return
            }
            attempt += 1
            switch attempt {
            case ..<64: break
            case ..<192: sched_yield()
            default:
                var pause = timespec(tv_sec: 0, tv_nsec: 50_000)
                nanosleep(&pause, nil)
            }
        }
    }
    #endif
}
