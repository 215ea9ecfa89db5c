import ModelKitFields

/// Models that are read to be looked at, and then dropped: when this is gone, nothing that they have keeps
/// them alive, although a dictionary in them may have referred to one around it.
// Safe: the variables are guarded by the lock, but in `deinit`, when nobody else has it.
package final class ScratchModels: @unchecked Sendable {
    private let lock = Lock()
    private var models: [any Model] = []
    private var hasReferences = false

    package init() {}

    deinit {
        if hasReferences { for model in models { model.dropUnrelated() } }
    }

    /// Adds a model that was read already, or is to be read into.
    package func add(_ model: some Model) {
        if type(of: model).schema.mayBeReferredTo { lock.withLock { models.append(model) } }
    }

    func noteReference() { lock.withLock { hasReferences = true } }
}
