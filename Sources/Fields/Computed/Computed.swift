public import ModelKitValues

/// A value that is computed from fields, and is right whenever it is read.
///
/// ```swift
/// let first = Field<String>(value: "Ada"), last = Field<String>(value: "Lovelace")
/// let full = Computed { [first, last] in "\(first.value ?? "") \(last.value ?? "")" }
/// full.value                       // "Ada Lovelace"
/// full --> { print($0 ?? "") }     // now, and when it differs
/// ```
///
/// What the closure reads, fields and other computed fields, is found out each time it runs. It runs
/// when the value is read and something it has read has changed since, or, while somebody observes,
/// once at the end of a set or batch that changes something it has read; never if nothing has. A
/// result equal to the one before (by `==`; two NaN are equal) is no change, and nothing that depends
/// on it runs. Observers never see some of the values of a set or batch and not the others, but
/// where other threads set them so often that eight evaluations in a row were superseded and a bound
/// field has to have a value.
///
/// It can be used from any thread. The closure runs on the one that reads or sets, with no lock held,
/// and on two at once if both ask; where computations are nested so deeply that the stack would end,
/// on another for which that one waits, and which sees none of the app's own task-local values. It
/// should have no other effect than its result. It holds what it captures while the computed field
/// lives: a model should hand in its fields (`[first, last] in`) and not itself. Fields do not hold
/// the computed fields that read them; a computed field does, until it is computed anew, so that one
/// that is made inside a computation counts like any other. Depth is bounded by memory, not by the
/// stack.
public final class Computed<Value: Equatable & Sendable>: Sendable {
    @usableFromInline let node: ValueNode<Value>

    /// A computed field; the closure is not run before somebody asks.
    ///
    /// - Parameter body: Computes the value. An error that it throws is kept, and thrown again by
    ///   `get()`, until something that it has read changes.
    @inlinable
    public init(_ body: @escaping @Sendable () throws -> Value?) {
        node = ValueNode(body)
    }

    init(node: ValueNode<Value>) {
        self.node = node
    }

    deinit { node.leave() }

    /// The value; nil also when the computation failed.
    ///
    /// It runs the computation if what it has read has changed.
    @inlinable
    public var value: Value? { read().value }

    /// The value, or the error that the computation threw.
    ///
    /// - Throws: The error; `ComputedCycle` where the computation, by whatever way, reads itself.
    @inlinable
    public func get() throws -> Value? {
        let (value, error) = read()
        if let error { throw error }
        return value
    }

    /// How much is known of the value.
    ///
    /// It is `.notLoaded` while a relation that the computation reads is not loaded, directly or through other
    /// computed fields: it has no value then, whatever the closure returns, and is computed again once the
    /// relation is loaded. It is `.error` if the computation threw, else `.loaded`.
    public var loadState: LoadState {
        let error = read().error
        if node.lock.withLock({ node.lacksRelation }) { return .notLoaded }
        return error == nil ? .loaded : .error
    }

    /// The error that the computation threw; nil when it did not.
    public var error: (any Error)? { read().error }

    /// Ends it: it keeps its last value, and its observers are not notified any more and are released, also
    /// of pending changes; on another thread a call that has begun may still be running.
    public func dispose() {
        releaseTargets()
        node.dispose()
    }

    @inlinable
    func read() -> (value: Value?, error: (any Error)?) {
        if Tracking.isObserving { noteAccess() }
        let thread = ThreadState.current
        let now = Revision.current
        node.lock.lock()
        if node.validAt < now || node.evaluators != 0 || node.isUnlinked || node.tornUntil != 0 {
            if !node.prepareToRead(on: thread) { return (nil, ComputedCycle()) }
        }
        let result = (node.value, node.error)
        let revision = node.revision
        let lacksRelation = node.lacksRelation
        node.lock.unlock()
        node.didRead(revision, on: thread)
        if lacksRelation { Tracker.noteUnloaded() }
        // One that a computation has made and reads here ends only when the read is noted.
        withExtendedLifetime(self) {}
        return result
    }
}

/// A computed field was read by its own computation.
///
/// ```swift
/// catch is ComputedCycle { … }
/// ```
///
/// It is also reported to `ModelKitDiagnostics`.
public struct ComputedCycle: Error, Hashable, Sendable {
    @usableFromInline init() {}
}

extension Computed {
    @usableFromInline
    func noteAccess() {
        if Tracker.current == nil { output.noteAccess() }
    }
}
