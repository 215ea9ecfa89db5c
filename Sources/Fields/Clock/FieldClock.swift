public import Synchronization
public import ModelKitEssentials

/// Where fields take the time from that they are stamped with.
///
/// Times of one clock strictly increase: of two sets the later one has the later `updatedAt`, even
/// within one tick. Tests bring their own:
///
/// ```swift
/// FieldClock.withCurrent(FieldClock { Date(timeIntervalSince1970: 0) }) {
///     field.value = 1
/// }
/// field.updatedAt   // 1970-01-01
/// ```
public struct FieldClock: Sendable {
    private let source: ClockSource

    /// A clock that asks a closure, which may be called on any thread.
    public init(_ now: @escaping @Sendable () -> Date) { self.init(source: ClockSource(now)) }

    /// The system's real-time clock.
    ///
    /// On Linux it moves in steps of a few milliseconds, between which times still increase.
    public static let system = FieldClock(source: ClockSource(nil))

    /// The clock of the current task: the system's, unless `withCurrent` set another.
    public static var current: FieldClock { taskSource.map(FieldClock.init(source:)) ?? system }

    /// Runs a closure, in which (and in whose child tasks) fields are stamped by a clock.
    public static func withCurrent<Result>(
        _ clock: FieldClock,
        _ body: () throws -> Result
    ) rethrows -> Result {
        overrides.store(true, ordering: .relaxed)
        return try Now.$source.withValue(clock.source, operation: body)
    }

    /// Runs a closure, in which (and in whose child tasks) fields are stamped by a clock.
    public static func withCurrent<Result>(
        _ clock: FieldClock,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        overrides.store(true, ordering: .relaxed)
        return try await Now.$source.withValue(
            clock.source,
            operation: body,
            isolation: isolation
        )
    }

    /// The time, later than every time that this clock gave before.
    public func now() -> Date {
        Date(timeIntervalSinceReferenceDate: source.next().seconds)
    }

    private static var taskSource: ClockSource? {
        // There are no other sources.
        Now.source.map { unsafeDowncast($0, to: ClockSource.self) }
    }

    /// Whether any clock was ever set: a task-local is dearer to read than this.
    @usableFromInline static let overrides = Atomic<Bool>(false)

    private init(source: ClockSource) { self.source = source }

    /// The next time of the task's own clock; nil when the system's is to be asked.
    ///
    /// It runs code of the user, so no lock may be held.
    @inlinable @inline(__always)
    package static func overriddenStamp() -> Stamp? {
        overrides.load(ordering: .relaxed) ? taskStamp() : nil
    }

    /// Whether the task has a clock of its own.
    @inlinable @inline(__always)
    static var isOverridden: Bool { overrides.load(ordering: .relaxed) && hasTaskClock }

    @usableFromInline
    static var hasTaskClock: Bool { Now.source != nil }

    @usableFromInline @inline(never)
    static func taskStamp() -> Stamp? {
        taskSource?.next()
    }
}

private final class ClockSource: Now.Source {
    /// nil in that of the system.
    private let clock: (@Sendable () -> Date)?
    private let last = Guarded(-Double.infinity)

    init(_ clock: (@Sendable () -> Date)?) { self.clock = clock }

    func read() -> Date { clock?() ?? Date() }

    func next() -> Stamp {
        guard let clock else { return Stamp.system() }
        let now = clock().timeIntervalSinceReferenceDate
        return last.withLock { last in
            last = now > last ? now : last.nextUp
            return Stamp(seconds: last)
        }
    }
}

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
