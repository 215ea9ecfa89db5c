import ModelKitFields

/// A model, or a type of models, at a place of a pattern.
struct WatchPlace: Hashable {
    let object: ObjectIdentifier
    let position: Int

    init(_ object: ObjectIdentifier, _ position: Int) {
        self.object = object
        self.position = position
    }
}

/// A field of a model that a pattern leads to or through.
struct WatchItem: Sendable {
    /// How the pattern goes on from the models in it.
    struct Step: Sendable {
        /// The only element that counts.
        var index: Int?
        /// The place in the pattern at which the models are; nil where it ends with them.
        var position: Int?
        /// Their type.
        let partner: any Model.Type
    }

    let entry: ModelSchema.Entry
    /// nil of a field without models.
    let step: Step?
}

extension FieldPattern {
    /// Whether there is a field that it may lead to.
    ///
    /// What a class that can have subclasses does not have, one of those may.
    func leadsToField(of model: some Model) -> Bool {
        if components.isEmpty || components.dropLast().contains(.all) { return false }
        var open = items(of: model, at: 0)
        var seen: Set<WatchPlace> = []
        while let item = open.popLast() {
            guard let step = item.step, let position = step.position,
                components[position] != .all, !(step.partner is ModelObject.Type)
            else { return true }
            let schema = step.partner.schema
            if seen.insert(WatchPlace(schema.type, position)).inserted {
                open += items(among: schema.allFields, of: schema.prototype, at: position)
            }
        }
        return false
    }

    /// The fields of a model that it leads to or through from a place on.
    func items(of model: any Model, at position: Int) -> [WatchItem] {
        items(among: model.allEntries, of: model, at: position)
    }

    private func items(
        among entries: [ModelSchema.Entry],
        of model: any Model,
        at position: Int
    ) -> [WatchItem] {
        entries.compactMap { item($0, $0.field(in: model), at: position) }
    }

    private func item(
        _ entry: ModelSchema.Entry,
        _ field: AnyField,
        at position: Int
    ) -> WatchItem? {
        guard let rest = place(behind: entry, at: position) else { return nil }
        let isEnd = rest == components.count
        let isAll = !isEnd && components[rest] == .all
        guard let relation = field as? any RelationField else {
            let isElement =
                field.elementField != nil && rest == components.count - 1
                && components[rest] == .each
            return isEnd || isAll || isElement ? WatchItem(entry: entry, step: nil) : nil
        }
        var step = WatchItem.Step(partner: relation.partner)
        if isEnd { return WatchItem(entry: entry, step: step) }
        step.position = rest
        if !isAll, relation.elementField != nil {
            switch components[rest] {
            case .each: break
            case .index(let index): step.index = index
            case .key, .all: return nil
            }
            step.position = rest + 1 < components.count ? rest + 1 : nil
        } else if case .index = components[rest] {
            return nil
        }
        return WatchItem(entry: entry, step: step)
    }

    /// The place behind a field; nil if the pattern does not lead there.
    private func place(behind entry: ModelSchema.Entry, at position: Int) -> Int? {
        switch components[position] {
        // It stays in front of what is everywhere.
        case .all: return position
        case .each: return position + 1
        case .index: return nil
        case .key:
            let keys = entry.key.names.map { Component.key($0) }
            return components[position...].starts(with: keys) ? position + keys.count : nil
        }
    }
}
