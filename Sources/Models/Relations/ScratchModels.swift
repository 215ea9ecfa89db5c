import ModelKitFields

/// Models that are read to be looked at, and then dropped: when this is gone, nothing that they have keeps
/// them alive, although a dictionary in them may have referred to one around it.
// Safe: the variables are guarded by the lock.
package final class ScratchModels: @unchecked Sendable {
    private let lock = Lock()
    private var models: [any Model] = []
    /// All that some models have, also in relations of their own.
    private var wholes: [any Model] = []
    private var hasReferences = false

    package init() {}

    deinit {
        // Nobody else has them any more.
        for field in wholes.flatMap(\.relationFields) { field.removeAllModels() }
        guard hasReferences else { return }
        for field in models.flatMap(\.relationFields) where !field.isRelated {
            field.removeAllModels()
        }
    }

    /// Adds a model that was read already, or is to be read into.
    package func add(_ model: some Model) {
        if type(of: model).schema.mayBeReferredTo { lock.withLock { models.append(model) } }
    }

    /// Adds a model with all that it has now, which nobody else has either.
    package func addAll(of model: some Model) {
        guard type(of: model).schema.mayBeReferredTo else { return }
        var all: [any Model] = [model]
        var seen: Set = [ObjectIdentifier(model)]
        var next = 0
        while next < all.count {
            for field in all[next].relationFields {
                all += field.models.filter { seen.insert(ObjectIdentifier($0)).inserted }
            }
            next += 1
        }
        lock.withLock { wholes += all }
    }

    func noteReference() { lock.withLock { hasReferences = true } }
}
