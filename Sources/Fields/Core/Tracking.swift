public import Synchronization

/// The switches of the process that every read of a value asks.
@usableFromInline
enum Tracking {
    /// A computed field was evaluated.
    static let computed: UInt8 = 1
    /// Reads are registered with the Observation module.
    static let observation: UInt8 = 2

    @usableFromInline static let mode = Atomic<UInt8>(0)

    /// Whether a read has to be noted.
    @inlinable @inline(__always)
    static var isOn: Bool { mode.load(ordering: .relaxed) != 0 }

    /// Whether every read is registered with the Observation module.
    @inlinable @inline(__always)
    static var isObserving: Bool { mode.load(ordering: .relaxed) & 2 != 0 }

    static func turnOn(_ bit: UInt8) {
        if mode.load(ordering: .relaxed) & bit == 0 { mode.bitwiseOr(bit, ordering: .relaxed) }
    }

    /// Notes that a field is about to be read.
    @usableFromInline
    static func willRead(_ field: AnyField) {
        // Of what a computation reads, its value says.
        if isObserving, Tracker.current == nil { field.willBeRead() }
    }

    /// Notes that a field was read.
    @usableFromInline
    static func didRead(_ field: AnyField, _ revision: UInt64) {
        Tracker.current?.pointee.add(.field(field), revision)
    }

    /// Notes that this thread has set a field.
    @usableFromInline
    static func didSet(_ field: AnyField) {
        guard let thread = ThreadState.known else { return }
        thread.pointee.setAt = Revision.current
        thread.pointee.tracker?.pointee.noteSet(ObjectIdentifier(field))
    }

    /// Begins calls of observers, whose reads are nothing to a computation that has caused them.
    ///
    /// - Returns: The computation that notes none now; nil where there is no such.
    @inlinable @inline(__always)
    static func pause(on thread: ThreadState.Pointer) -> UnsafeMutablePointer<Tracker>? {
        thread.pointee.rawTracker == nil ? nil : suspendTracker(on: thread)
    }

    @usableFromInline
    static func suspendTracker(on thread: ThreadState.Pointer) -> UnsafeMutablePointer<Tracker>? {
        guard let tracker = thread.pointee.tracker, !tracker.pointee.isSuspended else { return nil }
        tracker.pointee.isSuspended = true
        return tracker
    }

    /// Ends what `pause` began.
    @inlinable @inline(__always)
    static func resume(_ tracker: UnsafeMutablePointer<Tracker>?) {
        if let tracker { tracker.pointee.isSuspended = false }
    }

    /// Runs a closure whose reads are nothing to the computation that runs.
    static func suspend<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // It stays the current one: what is evaluated meanwhile is part of this evaluation.
        let tracker = suspendTracker(on: ThreadState.current)
        defer { resume(tracker) }
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
