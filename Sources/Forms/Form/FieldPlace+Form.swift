import ModelKitModels
import ModelKitValues

extension FieldPlace {
    /// The field of a form at the longest beginning of a path.
    init?(_ path: FieldPath, among entries: [DraftedField]) {
        guard let index = entries.index(leading: path) else { return nil }
        let found = entries[index]
        let rest = path.dropping(found.path)
        self = FieldPlace(found.field, at: found.path, rest: rest).innermost
    }

    /// Where the field is seen from a field of the form, after elements may have moved; nil if a model
    /// on the way is there no more, or if the field is one of the form itself.
    func found(in entry: DraftedField, _ lookup: IssueLookup) -> FieldPlace? {
        guard way.first?.holder === entry.field else { return nil }
        var path = entry.path
        var way = way
        for (number, step) in way.enumerated() {
            guard let lead = lookup.path(from: step.holder, to: step.model) else { return nil }
            path = path.appending(lead).appending(step.key)
            way[number].index = lead.components.first?.index ?? 0
        }
        return FieldPlace(field, at: path, rest: rest, way: way)
    }
}

extension [DraftedField] {
    /// The index of the first of those at the longest beginning of a path.
    func index(leading path: FieldPath) -> Int? {
        var best: Int?
        for (index, entry) in enumerated() where path.begins(with: entry.path) {
            let count = entry.path.components.count
            if best.map({ self[$0].path.components.count < count }) ?? true { best = index }
        }
        return best
    }
}
