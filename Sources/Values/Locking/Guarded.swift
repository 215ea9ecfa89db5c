public import Synchronization

/// A value behind a lock, inside of the object that has it in a `let`.
///
/// No code of the user may run in the closure: what is replaced is given out of it, to be released after it.
// Safe: the state is read and written under the lock alone. `Mutex` would do, but for what `Lock` says of it.
@usableFromInline
package struct Guarded<State: Sendable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let lock = Lock()
    @usableFromInline let cell: _Cell<State>

    @inlinable @inline(__always)
    package init(_ state: State) { cell = _Cell(state) }

    @inlinable @inline(__always)
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        // First the place: as one access it would count as one of the lock, too.
        let place = cell._address
        return try body(&place.pointee)
    }

    /// Puts another state in the place of this one, which the caller gets, to release it without the lock.
    @inlinable
    package borrowing func exchange(_ new: State) -> State {
        withLock { state in
            defer { state = new }
            return state
        }
    }
}
