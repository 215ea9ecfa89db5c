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

    /// The innermost model that is being validated.
    let step: ValidationStep?
    let conditions: Conditions
    private let task = TaskIdentity()

    private init(_ step: ValidationStep? = nil, _ conditions: Conditions = Conditions()) {
        (self.step, self.conditions) = (step, conditions)
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
        keepsNothing ? body() : current.run(nil, { $0.keepsNothing = true }, body)
    }

    /// Runs a part of it.
    func run<Result>(
        _ step: ValidationStep? = nil,
        _ change: (inout Conditions) -> Void = { _ in },
        _ body: () -> Result
    ) -> Result {
        var conditions = conditions
        change(&conditions)
        let path = ValidationPath(step ?? self.step, conditions)
        defer { path.task.end() }
        return TaskValues.$validation.withValue(path, operation: body)
    }
}
