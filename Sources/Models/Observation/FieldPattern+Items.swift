import ModelKitFields

extension FieldPattern {
    /// Where an observed model is.
    var start: PatternState { models(at: reach([0])) }

    /// Whether there is a field that it may lead to.
    ///
    /// What a class that can have subclasses does not have, one of those may, and an object of it may be
    /// given it.
    func leadsToField(of model: any Model) -> Bool {
        let state = start
        if model is ModelObject { return !state.isEmpty }
        return !classItems(of: model, at: state).isEmpty
            || !items(model.dynamicFields, of: model, at: state).isEmpty
    }

    /// The fields of a model's class that it leads to or through.
    func classItems(of model: any Model, at state: PatternState) -> [WatchItem] {
        items(model.ownSchema.allFields, of: model, at: state)
    }

    /// The same of fields that the model alone has.
    func items(_ own: [AnyField], of model: any Model, at state: PatternState) -> [WatchItem] {
        own.isEmpty ? [] : items(model.dynamicEntries(own), of: model, at: state)
    }

    private func items(
        _ entries: [ModelSchema.Entry],
        of model: any Model,
        at state: PatternState
    ) -> [WatchItem] {
        entries.flatMap { entry -> [WatchItem] in
            var items = items(entry, entry.field(in: model), at: state) { leads(on: $0) }
            // The one of all elements, which is the last, reports the others.
            if items.count > 1, items.last?.step?.index == nil {
                for index in items.indices.dropLast() { items[index].isSilent = true }
            }
            return items
        }
    }

    /// The ways into a field: one, or of an array more if elements are at other places than the rest.
    ///
    /// - Parameters:
    ///   - entry: The field in the schema.
    ///   - field: The field.
    ///   - state: Where its model is.
    ///   - isOpen: Whether the models in it may lead on.
    /// - Returns: What the pattern leads to or through.
    private func items(
        _ entry: ModelSchema.Entry,
        _ field: AnyField,
        at state: PatternState,
        where isOpen: (WatchItem.Step) -> Bool
    ) -> [WatchItem] {
        let behind = places(behind: entry, at: state)
        if behind.isEmpty { return [] }
        let relation = field as? any RelationField
        func item(_ places: [Int], at index: Int? = nil, isEnd: Bool = false) -> WatchItem? {
            let isEnd = isEnd || places.last == components.count
            guard let relation else { return isEnd ? WatchItem(entry, isEnd: true) : nil }
            var step = WatchItem.Step(
                index: index,
                state: models(at: places),
                partner: relation.partner
            )
            if !isOpen(step) { step.state = [] }
            return isEnd || !step.state.isEmpty ? WatchItem(entry, step, isEnd: isEnd) : nil
        }
        if field.elementField == nil { return [item(behind)].compactMap(\.self) }
        let isEnd = behind.last == components.count
        let rest = isEnd ? behind.dropLast() : behind[...]
        let all = rest.compactMap { place -> Int? in
            switch components[place] {
            case .all: place
            case .each: place + 1
            case .key, .index: nil
            }
        }
        var single: [Int: [Int]] = [:]
        for place in rest {
            if relation != nil, case .index(let index) = components[place] {
                single[index, default: []].append(place + 1)
            }
        }
        let items = single.sorted { $0.key < $1.key }.map { item(reach($1), at: $0) }
        return (items + [item(reach(all), isEnd: isEnd)]).compactMap(\.self)
    }

    /// Whether models at a place may have a field that it leads to.
    private func leads(on step: WatchItem.Step) -> Bool {
        var open = [step]
        var seen: Set<WatchPlace> = []
        while let step = open.popLast() {
            if step.state.isEmpty { continue }
            if step.partner is ModelObject.Type { return true }
            let schema = step.partner.schema
            // It knows no fields yet, as one of the models that it is made of asks.
            if schema.isProvisional { return true }
            let place = WatchPlace(object: schema.type, state: step.state)
            guard seen.insert(place).inserted else { continue }
            for entry in schema.allFields {
                let field = entry.field(in: schema.prototype)
                for item in items(entry, field, at: step.state, where: { _ in true }) {
                    if item.isEnd { return true }
                    if let step = item.step { open.append(step) }
                }
            }
        }
        return false
    }

    /// Places with those behind the `**` that stand there, as those may stand for nothing.
    private func reach(_ places: [Int]) -> [Int] {
        var found: Set<Int> = []
        for var place in places {
            found.insert(place)
            while place < components.count, components[place] == .all {
                place += 1
                found.insert(place)
            }
        }
        return found.sorted()
    }

    /// Those of the places at which a model may be.
    private func models(at places: [Int]) -> PatternState {
        places.filter { place in
            guard place < components.count else { return false }
            if case .index = components[place] { return false }
            return true
        }
    }

    /// The places behind a field: none if the pattern does not lead there.
    private func places(behind entry: ModelSchema.Entry, at state: PatternState) -> [Int] {
        // One star is the field, however many names its key has.
        let stars = state.filter { components[$0] == .each }.map { $0 + 1 }
        let named = entry.key.names.reduce(state) { places, name in
            reach(places).compactMap { place in
                guard place < components.count else { return nil }
                switch components[place] {
                // It stays in front of what is everywhere, also inside of a key.
                case .all: return place
                case .key(let key): return key == name ? place + 1 : nil
                case .each, .index: return nil
                }
            }
        }
        return reach(stars + named)
    }
}
