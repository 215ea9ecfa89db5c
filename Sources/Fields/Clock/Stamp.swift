import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A time as fields keep it: seconds since 2001 like a `Date`, or none.
///
/// It is the number inside the date, so that two stamps which differ are dates which differ: the
/// next later stamp is the next later number.
@usableFromInline
package struct Stamp: Sendable {
    @usableFromInline package var seconds: Double

    @inlinable
    package init(seconds: Double) {
        self.seconds = seconds
    }

    /// No time; earlier than every time.
    @inlinable
    package static var none: Stamp { Stamp(seconds: -.infinity) }

    package var date: Date? {
        seconds == -.infinity ? nil : Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// The bits of the last stamp.
    ///
    /// Times after 2001 are positive numbers, whose bits order as they do.
    private static let last = Atomic<UInt64>(0)

    /// The next time of the system's clock.
    @usableFromInline
    package static func system() -> Stamp {
        let now = max(coarseSeconds(), 0).bitPattern
        var previous = last.load(ordering: .relaxed)
        while true {
            let next = max(previous + 1, now)
            let result = last.weakCompareExchange(
                expected: previous,
                desired: next,
                ordering: .relaxed
            )
            if result.exchanged { return Stamp(seconds: Double(bitPattern: next)) }
            previous = result.original
        }
    }

    static func coarseSeconds() -> Double {
        var time = timespec()
        #if os(Linux)
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        #else
        clock_gettime(CLOCK_REALTIME, &time)
        #endif
        // 978 307 200 seconds lie between 1970 and 2001, where dates count from.
        return Double(time.tv_sec - 978_307_200) + Double(time.tv_nsec) * 1e-9
    }
}
