/// The task that something was begun in, to tell it from those that were begun there: they have its values,
/// too, and may outlive it.
package struct TaskIdentity: Sendable {
    private let task = Self.current

    package init() {}

    /// Whether the code that runs now is of that task, or on a thread that it waits for.
    package var isCurrent: Bool {
        let current = Self.current
        return current == nil || current == task
    }

    private static var current: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}
