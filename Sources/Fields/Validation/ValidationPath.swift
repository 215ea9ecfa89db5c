/// What the validation that the task is in has to know of those around it.
package enum ValidationPath {
    /// Whether the fields keep nothing of it.
    @TaskLocal package static var keepsNothing = false

    /// Whether a computation that reads what is known has it validated.
    @TaskLocal static var isBeingRead = false

    /// Runs what is no part of a validation that the task is in: those whom it tells, and the checks
    /// that it begins.
    static func outside<Result>(_ body: () -> Result) -> Result {
        ValidationContext.withCurrent([]) {
            if ValidationStep.current == nil, !keepsNothing, CheckScope.current == nil {
                return body()
            }
            return ValidationStep.$current.withValue(nil) {
                $keepsNothing.withValue(false) {
                    CheckScope.$current.withValue(nil, operation: body)
                }
            }
        }
    }
}
