/// What can wait for a promise: the base of ``Promise``, public only for that reason.
///
/// The list of waiters runs through the nodes themselves, so one object per step is all that a
/// chain allocates.
// Safe: `next`, `previous` and `isLinked` belong to the lock of the promise that the
// node waits for; `fire` to whoever creates the node, then to whoever took it out of that list.
public class PromiseNode: @unchecked Sendable {
    /// Called once, with the node, the settled promise and the thread's queue.
    ///
    /// A literal without captures, made where the types are known: that keeps it specialised.
    @usableFromInline
    package typealias Fire = @Sendable (PromiseNode, PromiseCore, DrainQueue.Pointer) -> Void

    @exclusivity(unchecked) @usableFromInline final var next: Unmanaged<PromiseNode>?
    @exclusivity(unchecked) @usableFromInline final var previous: Unmanaged<PromiseNode>?
    @exclusivity(unchecked) @usableFromInline final var fire: Fire
    @exclusivity(unchecked) @usableFromInline final var isLinked = false
    /// Whether the handler is owed its call even if the step is cancelled before.
    @exclusivity(unchecked) @usableFromInline final var alwaysRuns = false

    @inlinable
    init(_ fire: @escaping Fire) {
        self.fire = fire
    }

    /// One that waited for this, or is stopped by it, does no longer; what nobody needs any more is
    /// appended to `unwanted`.
    @usableFromInline
    func consumerLeft(_ node: PromiseNode, _ unwanted: inout [PromiseCore]) {}

    /// Taken out of a list before its turn: it will not be fired.
    @usableFromInline
    func wasUnlinked() {}

    /// The job that would have fired it was thrown away.
    func wasDropped() {}

    /// The promise that it is, if it is one.
    var core: PromiseCore? { nil }
}
