/// What the validation that the task is in has to know of those around it.
package enum ValidationPath {
    /// A validation of which the fields keep nothing.
    final class Preview: Sendable { fileprivate let task = TaskIdentity() }

    /// Whether the fields keep nothing of it.
    package static var keepsNothing: Bool {
        guard let preview = TaskValues.preview else { return false }
        return unsafeDowncast(preview, to: Preview.self).task.isCurrent
    }

    /// Runs a validation of which the fields keep nothing.
    package static func keepingNothing<Result>(_ body: () -> Result) -> Result {
        if keepsNothing { return body() }
        let preview = Preview()
        defer { preview.task.end() }
        return TaskValues.$preview.withValue(preview, operation: body)
    }
}
