/// What the validation that the task is in has to know of those around it.
package enum ValidationPath {
    /// Whether the fields keep nothing of it.
    @TaskLocal package static var keepsNothing = false

    /// The fields that are being validated as a computation reads what is known of them.
    @TaskLocal static var beingRead: Set<ObjectIdentifier> = []

    /// Runs what is no part of a validation that the task is in: those whom it tells, and the checks
    /// that it begins.
    static func outside<Result>(_ body: () -> Result) -> Result {
        ValidationContext.withCurrent([]) {
            if ValidationStep.current == nil, !keepsNothing, CheckScope.current == nil,
                beingRead.isEmpty
            {
                return body()
            }
            return ValidationStep.$current.withValue(nil) {
                $keepsNothing.withValue(false) {
                    $beingRead.withValue([]) {
                        CheckScope.$current.withValue(nil, operation: body)
                    }
                }
            }
        }
    }
}
