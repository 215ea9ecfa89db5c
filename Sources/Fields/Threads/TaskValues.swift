/// What the library keeps for a task, to be taken to another thread.
package struct TaskValues: Sendable {
    /// What the layer above keeps, as one object.
    @TaskLocal package static var upper: (any AnyObject & Sendable)?

    /// What validations keep, as a `ValidationPath`.
    @TaskLocal static var validation: (any AnyObject & Sendable)?
    /// The fields that are being validated as a computation reads what is known of them.
    @TaskLocal static var beingRead: Set<ObjectIdentifier> = []
    /// The task whose work a thread continues.
    @TaskLocal static var origin: Int?

    private let upper = Self.upper
    private let now = Now.source
    private let handler = ModelKitDiagnostics.taskHandler
    private let catalogue = MessageCatalogue.taskCatalogue
    private let validation = Self.validation
    private let beingRead = Self.beingRead
    private let origin = TaskIdentity.current

    /// Runs a closure with it.
    func run(_ body: () -> Void) {
        Self.$upper.withValue(upper) {
            Now.$source.withValue(now) { runWithOwn(body) }
        }
    }

    private func runWithOwn(_ body: () -> Void) {
        ModelKitDiagnostics.$taskHandler.withValue(handler) {
            MessageCatalogue.$taskCatalogue.withValue(catalogue) {
                Self.$validation.withValue(validation) {
                    Self.$beingRead.withValue(beingRead) {
                        Self.$origin.withValue(origin, operation: body)
                    }
                }
            }
        }
    }

    /// Runs what is no part of a validation that the task is in: those whom it notifies, and the checks
    /// that it begins.
    static func outsideValidation<Result>(_ body: () -> Result) -> Result {
        if validation == nil, beingRead.isEmpty { return body() }
        return $validation.withValue(nil) { $beingRead.withValue([], operation: body) }
    }
}
