/// What a promise itself can fail with; everything else is the error of the work behind it.
///
/// ```swift
/// let promise = Promise<Int> { resolver in
///     // Nobody keeps the resolver, so nobody can settle the promise any more.
/// }
/// do { _ = try await promise.value } catch PromiseError.broken { print("gave up") }
/// ```
public enum PromiseError: Error, Hashable, Sendable {
    /// Whoever had to settle the promise went away without doing so: the last reference to its
    /// resolver was dropped, or an executor threw a job away.
    case broken
    /// The promise was to follow itself, or a promise that waits for it.
    case selfResolution
    /// A callback handed over neither a value nor an error.
    case noResult
    /// `wait()` was called inside a handler for a promise that is pending: the thread that would
    /// have to settle it may be the one that waits.
    case waitInHandler
    /// The time of ``Promise/timeout(_:clock:)`` or `wait(timeout:)` was over.
    case timedOut
    /// There was none of the promises of which the first was to be waited for.
    case noPromises

    /// The errors of all promises given to ``Promise/any(_:)``.
    ///
    /// In the order of the promises; none if there were none.
    public struct Aggregate: Error {
        public let errors: [any Error]

        @inlinable
        init(errors: [any Error]) {
            self.errors = errors
        }
    }
}

extension PromiseError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .broken: "the promise was dropped by whoever had to settle it"
        case .selfResolution: "the promise was to wait for itself"
        case .noResult: "the callback gave neither a value nor an error"
        case .waitInHandler: "wait() was called inside a promise handler, where it could hang"
        case .timedOut: "the time was over before the promise was settled"
        case .noPromises: "there is no first of no promises"
        }
    }
}

extension PromiseError.Aggregate: CustomStringConvertible {
    public var description: String {
        errors.isEmpty ? "there were no promises" : "all promises failed: \(errors)"
    }
}

/// An error that may say that the work was cancelled, as `CancellationError` does.
package protocol CancellableError: Error {
    var isCancellation: Bool { get }
}

extension Error {
    /// Whether it says that the work was cancelled.
    package var saysCancelled: Bool {
        (self as? any CancellableError)?.isCancellation ?? (self is CancellationError)
    }
}
