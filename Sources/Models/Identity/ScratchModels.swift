import ModelKitFields

/// Models that are read to be looked at, and then dropped: when this is gone, nothing that they have keeps
/// them alive, although a dictionary in them may have referred to one around it.
package final class ScratchModels: Sendable {
    private let state = Guarded<(models: [any Model], hasReferences: Bool)>(([], false))

    package init() {}

    deinit {
        let (models, hasReferences) = state.withLock { $0 }
        if hasReferences { for model in models { model.dropUnrelated() } }
    }

    /// Adds a model that was read already, or is to be read into.
    package func add(_ model: some Model) {
        if type(of: model).schema.mayBeReferredTo { state.withLock { $0.models.append(model) } }
    }

    func noteReference() { state.withLock { $0.hasReferences = true } }
}
