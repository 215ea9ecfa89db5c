import Synchronization

/// The task that something was begun in, to distinguish it from those that were begun there: they have its values,
/// too, and may outlive it.
package struct TaskIdentity: ~Copyable, Sendable {
    private let task = Self.current
    private let isOver = Atomic(false)

    package init() {}

    /// Whether the code that runs now is of that task, or on a thread that it waits for.
    package var isCurrent: Bool {
        if isOver.load(ordering: .relaxed) { return false }
        let current = Self.current
        return current == nil || current == task
    }

    /// Notes that what was begun is over: another task may get the same place in memory.
    package func end() { isOver.store(true, ordering: .relaxed) }

    /// A thread that continues the work of a task has its identity.
    static var current: Int? { withUnsafeCurrentTask { $0?.hashValue } ?? TaskValues.origin }
}
