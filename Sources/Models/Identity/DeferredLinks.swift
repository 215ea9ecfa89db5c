import ModelKitFields

/// Models that are linked later than they are made, or never.
final class DeferredLinks: Sendable {
    private struct Item {
        let model: any Model
        /// The map where the model stands for its identifier since it is read.
        var map: IdentityMap?
        /// Whether it was made to be read, so that nobody else has it.
        var isRead = false
        /// Whether it wants to be linked.
        var links = true
    }

    /// A model that is alive only if somebody else has it.
    private struct Other {
        weak let model: (any Model)?
    }

    /// How much there was at a moment.
    struct Mark {
        static let start = Mark(items: 0, readAgain: 0)
        let items: Int
        let readAgain: Int
    }

    private struct State {
        var items: [Item] = []
        var isClosed = false
        /// How many models are being made to be read, inside of each other.
        var makings = 0
        /// Models that were met again, maybe in fields of others that fail.
        var readAgain: [any Model] = []
        /// Whether a dictionary has referred to a model, so that models may have each other.
        var hasReferences = false
    }

    private let state = Guarded(State())

    /// Whether a model is being made to be read, whose `init` makes others for it.
    var isMaking: Bool { state.withLock { $0.makings > 0 } }

    var mark: Mark { state.withLock { Mark(items: $0.items.count, readAgain: $0.readAgain.count) } }

    /// Adds a model that wants to be linked, if it is made to be read or inside of one that is: others
    /// are used at once.
    ///
    /// - Returns: Whether it was added.
    func addMade(_ model: any Model) -> Bool { append(Item(model: model)) { $0.makings > 0 } }

    /// Adds a model that stands for its identifier in a map, unless all of this is given up.
    func add(_ model: any Model, in map: IdentityMap) {
        _ = append(Item(model: model, map: map)) { _ in true }
    }

    private func append(_ item: Item, where isWanted: (State) -> Bool) -> Bool {
        state.withLock { state in
            guard !state.isClosed, isWanted(state) else { return false }
            state.items.append(item)
            return true
        }
    }

    /// Makes a model that is to be read.
    func making<M: Model>(_ type: M.Type) -> M {
        let start = state.withLock { state in
            state.makings += 1
            return state.items.count
        }
        let model = type.init()
        state.withLock { state in
            state.makings -= 1
            // It may have read others, and dropped them.
            let index = state.items[min(start, state.items.count)...]
                .lastIndex { $0.map == nil && $0.model === model }
            if let index {
                state.items[index].isRead = true
            } else if !state.isClosed {
                // What others have may be found through it alone.
                state.items.append(Item(model: model, isRead: true, links: false))
            }
        }
        return model
    }

    /// Lets go of what a model that is being made has read itself: that may be in use, whatever becomes
    /// of the model.
    func release(from start: Mark) {
        let released = state.withLock { state in
            for index in state.items.indices[start.items...] { state.items[index].isRead = false }
            return state.items[start.items...].filter { $0.map != nil }
        }
        for item in released { item.map?.settle(item.model, by: self) }
    }

    /// Notes a model that is read again, and keeps what it gets as long as it is kept itself.
    func noteReadAgain(_ model: any Model) { state.withLock { $0.readAgain.append(model) } }

    /// Notes that a dictionary refers to a model that was read.
    func noteReference() { state.withLock { $0.hasReferences = true } }

    /// Links the models, as those that are made now.
    func close(_ link: ([any Model]) -> Void = Linking.link) {
        state.withLock { $0.isClosed = true }
        var models: [any Model] = []
        for item in removeItems(from: .start) {
            if let map = item.map {
                map.settle(item.model, by: self)
            } else if item.links {
                models.append(item.model)
            }
        }
        link(models)
    }

    /// Gives up the models that were added since, which nobody is to see.
    func drop(from start: Mark) {
        let others = removeRead(from: start)
        ModelSchema.link(others.compactMap(\.model))
    }

    /// Gives up the models that were added since.
    ///
    /// - Returns: Those that others have made meanwhile, and that may be in use.
    private func removeRead(from start: Mark) -> [Other] {
        let removed = removeItems(from: start)
        if removed.isEmpty { return [] }
        let dropped = putBackHeld(of: removed, readSince: start)
        if !dropped.isEmpty {
            forgetReadAgain(dropped, since: start)
            giveUp(dropped)
        }
        return dropped.filter { $0.links && $0.map == nil && !$0.isRead }
            .map { Other(model: $0.model) }
    }

    /// Puts those back that models have which stay, as these were read again in between.
    ///
    /// - Returns: The others.
    private func putBackHeld(of removed: [Item], readSince start: Mark) -> [Item] {
        var holding = state.withLock { Array($0.readAgain.dropFirst(start.readAgain)) }
        if holding.isEmpty { return removed }
        var open = Set(removed.map { ObjectIdentifier($0.model) })
        holding.removeAll { open.contains(ObjectIdentifier($0)) }
        Self.gather(in: &holding, from: &open)
        return state.withLock { state in
            state.items += removed.filter { !open.contains(ObjectIdentifier($0.model)) }
            return removed.filter { open.contains(ObjectIdentifier($0.model)) }
        }
    }

    /// Adds the models to some that these have, and those have, and so on.
    private static func gather(
        in models: inout [any Model],
        after known: Int = 0,
        from open: inout Set<ObjectIdentifier>
    ) {
        var next = known
        while next < models.count, !open.isEmpty {
            for model in models[next].relationFields.flatMap(\.models)
            where open.remove(ObjectIdentifier(model)) != nil {
                models.append(model)
            }
            next += 1
        }
    }

    /// Takes models from their places in maps, but for those that others have found there, which are
    /// linked with all that they have.
    private func giveUp(_ dropped: [Item]) {
        var open = Set(dropped.map { ObjectIdentifier($0.model) })
        let linked = Set(
            dropped.filter { $0.links && $0.map == nil }.map { ObjectIdentifier($0.model) }
        )
        // Models in use may have got some by relations.
        var kept = dropped.map(\.model).filter { model in
            model.relationFields.contains { field in
                field.isRelated && field.models.contains { !open.contains(ObjectIdentifier($0)) }
            }
        }
        for model in kept { open.remove(ObjectIdentifier(model)) }
        Self.gather(in: &kept, from: &open)
        var lost = dropped.filter { $0.map != nil && open.contains(ObjectIdentifier($0.model)) }
        while true {
            let places = Dictionary(grouping: lost) { $0.map.map { ObjectIdentifier($0) } }
            let seen = places.values.flatMap { items in
                items[0].map?.giveUp(items.map(\.model), by: self) ?? []
            }
            if seen.isEmpty { break }
            let known = kept.count
            kept += seen.filter { open.remove(ObjectIdentifier($0)) != nil }
            Self.gather(in: &kept, after: known, from: &open)
            lost.removeAll { !open.contains(ObjectIdentifier($0.model)) }
        }
        ModelSchema.link(kept.filter { linked.contains(ObjectIdentifier($0)) })
        // Models that others hold are put back, with what they have of the import.
        let held = dropped.filter { !open.contains(ObjectIdentifier($0.model)) }
        state.withLock { $0.items += held }
        for item in held { item.map?.settle(item.model, by: self) }
        // Those that were read may have each other.
        let isCyclic = state.withLock { $0.hasReferences }
        for item in dropped where item.map != nil || isCyclic && item.isRead {
            if open.contains(ObjectIdentifier(item.model)) { item.model.dropUnrelated() }
        }
    }

    private func removeItems(from start: Mark) -> [Item] {
        let (removed, forgotten) = state.withLock { state -> ([Item], [any Model]) in
            guard start.items < state.items.count else { return ([], []) }
            let removed = Array(state.items[start.items...])
            state.items.removeSubrange(start.items...)
            guard state.items.isEmpty else { return (removed, []) }
            defer { state.readAgain = [] }
            return (removed, state.readAgain)
        }
        // Not before: a model that nobody else has may run code of the user when it dies.
        withExtendedLifetime(forgotten) {}
        return removed
    }

    /// Keeps models no longer that are given up.
    ///
    /// Before the start nobody had them.
    private func forgetReadAgain(_ dropped: [Item], since start: Mark) {
        let gone = Set(dropped.map { ObjectIdentifier($0.model) })
        state.withLock { state in
            guard start.readAgain < state.readAgain.count else { return }
            let kept = state.readAgain[start.readAgain...].filter {
                !gone.contains(ObjectIdentifier($0))
            }
            state.readAgain.replaceSubrange(start.readAgain..., with: kept)
        }
    }
}
