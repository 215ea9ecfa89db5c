import ModelKitFields

extension ModelField {
    func hookModels(
        at index: Int?,
        by owner: AnyObject?,
        _ body: @escaping @Sendable (_ change: ModelsChange, HookCall) -> Void
    ) -> Observation {
        hook(by: owner) { old, new, call in
            let counts = [ModelCount].changes(from: old, to: new)
            body(ModelsChange(counts: counts, old: old, new: new), call)
        }
    }

    func place(of model: ObjectIdentifier, at index: Int?) -> FieldPath? {
        value.map { ObjectIdentifier($0) } == model ? [] : nil
    }
}

extension ArrayField where Element: Model {
    func hookModels(
        at index: Int?,
        by owner: AnyObject?,
        _ body: @escaping @Sendable (_ change: ModelsChange, HookCall) -> Void
    ) -> Observation {
        hookEdits(by: owner) { change, call in
            let counts =
                index.map { index in
                    .changes(
                        from: change.old.element(at: index),
                        to: change.new.element(at: index)
                    )
                } ?? change.counts
            body(ModelsChange(counts: counts, old: change.old, new: change.new), call)
        }
    }

    func place(of model: ObjectIdentifier, at index: Int?) -> FieldPath? {
        guard let value else { return nil }
        guard let index else {
            return value.firstIndex { ObjectIdentifier($0) == model }.map { [.index($0)] }
        }
        return value.element(at: index).map { ObjectIdentifier($0) } == model
            ? [.index(index)] : nil
    }
}

extension [ModelCount] {
    fileprivate static func changes<M: Model>(from old: M?, to new: M?) -> [ModelCount] {
        if old === new { return [] }
        var counts: [ModelCount] = []
        if let new { counts.append(ModelCount(model: new, count: 1)) }
        if let old { counts.append(ModelCount(model: old, count: -1)) }
        return counts
    }
}

extension Array {
    fileprivate func element(at index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}

extension ArrayChange where Element: Model {
    /// The models that there are more or less often than before, in the order of the edits.
    fileprivate var counts: [ModelCount] {
        var places: [ObjectIdentifier: Int] = [:]
        var counts: [ModelCount] = []
        func add(_ model: Element, _ count: Int) {
            if let place = places[ObjectIdentifier(model)] {
                counts[place].count += count
            } else {
                places[ObjectIdentifier(model)] = counts.count
                counts.append(ModelCount(model: model, count: count))
            }
        }
        for edit in edits {
            switch edit {
            case .insert(let model, at: _): add(model, 1)
            case .remove(let model, at: _): add(model, -1)
            case .replace(let model, with: let next, at: _):
                add(model, -1)
                add(next, 1)
            case .move: break
            case .reset:
                for model in new { add(model, 1) }
                for model in old { add(model, -1) }
            }
        }
        return counts.filter { $0.count != 0 }
    }
}
