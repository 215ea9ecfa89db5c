import ModelKitValues

/// What the library keeps for a task, to be taken to another thread.
package struct TaskValues: Sendable {
    /// What the layer above keeps, as one object.
    @TaskLocal package static var upper: (any AnyObject & Sendable)?

    private let upper = Self.upper
    private let clock = FieldClock.override
    private let now = Now.source
    private let handler = ModelKitDiagnostics.taskHandler
    private let catalogue = MessageCatalogue.taskCatalogue
    private let check = CheckScope.running
    private let step = ValidationStep.innermost
    private let preview = ValidationPath.preview
    private let beingRead = ValidationPath.beingRead

    /// Runs a closure with it.
    func run(_ body: () -> Void) {
        Self.$upper.withValue(upper) {
            FieldClock.$override.withValue(clock) {
                Now.$source.withValue(now) { runWithOwn(body) }
            }
        }
    }

    private func runWithOwn(_ body: () -> Void) {
        ModelKitDiagnostics.$taskHandler.withValue(handler) {
            MessageCatalogue.$taskCatalogue.withValue(catalogue) {
                CheckScope.$running.withValue(check) {
                    ValidationStep.$innermost.withValue(step) {
                        ValidationPath.$preview.withValue(preview) {
                            ValidationPath.$beingRead.withValue(beingRead, operation: body)
                        }
                    }
                }
            }
        }
    }
}
