/// What the validation that the task is in has to know of those around it.
package enum ValidationPath {
    /// A validation of which the fields keep nothing.
    final class Preview: Sendable { fileprivate let task = TaskIdentity() }

    @TaskLocal static var preview: Preview?

    /// Whether the fields keep nothing of it.
    package static var keepsNothing: Bool { preview?.task.isCurrent ?? false }

    /// Runs a validation of which the fields keep nothing.
    package static func keepingNothing<Result>(_ body: () -> Result) -> Result {
        if keepsNothing { return body() }
        let preview = Preview()
        defer { preview.task.end() }
        return $preview.withValue(preview, operation: body)
    }

    /// The fields that are being validated as a computation reads what is known of them.
    @TaskLocal static var beingRead: Set<ObjectIdentifier> = []

    /// Runs what is no part of a validation that the task is in: those whom it tells, and the checks
    /// that it begins.
    static func outside<Result>(_ body: () -> Result) -> Result {
        if ValidationStep.innermost == nil, preview == nil, CheckScope.running == nil,
            beingRead.isEmpty
        {
            return body()
        }
        return ValidationStep.$innermost.withValue(nil) {
            $preview.withValue(nil) {
                $beingRead.withValue([]) {
                    CheckScope.$running.withValue(nil, operation: body)
                }
            }
        }
    }
}
