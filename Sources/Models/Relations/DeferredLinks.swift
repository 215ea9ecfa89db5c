import ModelKitFields

/// Models that are linked later than they are made, or never.
// Safe: `items` and `isClosed` are guarded by the lock.
final class DeferredLinks: @unchecked Sendable {
    private struct Item {
        let model: any Model
        /// The map where the model stands for its identifier since it is read.
        var map: IdentityMap?
    }

    private let lock = Lock()
    private var items: [Item] = []
    private var isClosed = false

    var count: Int { lock.withLock { items.count } }

    /// Adds a model that wants to be linked.
    ///
    /// - Returns: Whether it was added: nothing is any more once all are linked.
    @discardableResult
    func add(_ model: any Model) -> Bool { append(Item(model: model)) }

    /// Adds a model that stands for its identifier in a map, unless all of this is given up.
    func add(_ model: any Model, in map: IdentityMap) { append(Item(model: model, map: map)) }

    @discardableResult
    private func append(_ item: Item) -> Bool {
        lock.withLock {
            if !isClosed { items.append(item) }
            return !isClosed
        }
    }

    /// Forgets the models that a schema was made of, which stay out of all relations.
    ///
    /// - Returns: Whether they were to be linked.
    func leaveOut(_ prototypes: [any Model]) -> Bool {
        lock.withLock {
            let count = items.count
            items.removeAll { item in prototypes.contains { $0 === item.model } }
            return items.count < count
        }
    }

    /// Links the models, as those that are made now.
    func close() {
        lock.withLock { isClosed = true }
        let models = take(from: 0)
        if case .linking = Linking.mode { return ModelSchema.link(models) }
        for model in models { model.linkFields() }
    }

    /// Links the models after a number of others, which are in use by others that are linked.
    func link(from start: Int) {
        ModelSchema.link(take(from: start))
    }

    /// Takes the models out that are to be linked, and lets the others have their places in maps.
    private func take(from start: Int) -> [any Model] {
        var models: [any Model] = []
        for item in removeItems(from: start) {
            if let map = item.map {
                map.settle(item.model, by: self)
            } else {
                models.append(item.model)
            }
        }
        return models
    }

    /// Gives up the models after a number of others, which nobody is to see.
    func drop(from start: Int) {
        let dropped = removeItems(from: start)
        for item in dropped {
            guard let map = item.map else { continue }
            if map.giveUp(item.model, by: self) {
                // Those that were read may have each other.
                for field in item.model.relationFields where !field.isRelated {
                    field.removeAllModels()
                }
            } else if dropped.contains(where: { $0.map == nil && $0.model === item.model }) {
                // Another import has it already.
                item.model.ownSchema.link(item.model)
            }
        }
    }

    private func removeItems(from start: Int) -> [Item] {
        lock.withLock {
            guard start < items.count else { return [] }
            let removed = Array(items[start...])
            items.removeSubrange(start...)
            return removed
        }
    }
}
