/// A value behind a lock, for classes that are read and set from any thread and are not hot.
///
/// No code of the user may run in the closure: what is replaced is given out of it, to be released after it.
// Safe: the state is read and written under the lock alone.
package final class Guarded<State: Sendable>: @unchecked Sendable {
    @usableFromInline let lock = Lock()
    @usableFromInline var state: State

    @inlinable
    package init(_ state: State) {
        self.state = state
    }

    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
