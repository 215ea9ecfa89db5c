/// What a validation has to know of those that it is a part of.
package final class ValidationPath: Sendable {
    /// What else it depends on than the model, which a check may change for what it validates itself.
    struct Conditions: Equatable, Sendable {
        /// Where fields are noted that wait for answers.
        var scope: CheckScope?
        /// Whether the fields keep nothing of it.
        var keepsNothing = false

        static func == (left: Conditions, right: Conditions) -> Bool {
            left.keepsNothing == right.keepsNothing && left.scope === right.scope
        }
    }

    /// The models that are being validated; nil where none is.
    let models: ValidationRun?
    let conditions: Conditions
    private let task = TaskIdentity()

    private init(_ models: ValidationRun? = nil, _ conditions: Conditions = Conditions()) {
        (self.models, self.conditions) = (models, conditions)
    }

    private static let none = ValidationPath()

    /// That which the task is in.
    ///
    /// A task that was begun in the meantime is no part of the validation.
    static var current: ValidationPath {
        guard let path = last, path.task.isCurrent else { return none }
        return path
    }

    /// The same, also that of a task in which this one was begun.
    private static var last: ValidationPath? {
        TaskValues.validation.map { unsafeDowncast($0, to: ValidationPath.self) }
    }

    /// Whether the fields keep nothing of the validation that the task is in.
    package static var keepsNothing: Bool {
        // Which task it is takes longer to find out.
        last?.conditions.keepsNothing == true && current.conditions.keepsNothing
    }

    /// Runs a validation of which the fields keep nothing.
    package static func keepingNothing<Result>(_ body: () -> Result) -> Result {
        keepsNothing ? body() : run({ $0.keepsNothing = true }, body)
    }

    /// Runs a part of the validation that the task is in, on other conditions.
    static func run<Result>(
        _ change: (inout Conditions) -> Void,
        _ body: () -> Result
    ) -> Result {
        let current = current
        var conditions = current.conditions
        change(&conditions)
        return run(current.models, conditions, body)
    }

    /// Runs a validation of models.
    static func run<Result>(
        _ models: ValidationRun?,
        _ conditions: Conditions,
        _ body: () -> Result
    ) -> Result {
        let path = ValidationPath(models, conditions)
        defer { path.task.end() }
        return TaskValues.$validation.withValue(path, operation: body)
    }
}
