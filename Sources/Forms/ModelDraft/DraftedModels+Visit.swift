import ModelKitFields
import ModelKitModels

/// A field of a draft or a form and where it is.
struct DraftedField: Sendable {
    let path: FieldPath
    let baseline: Baseline

    var field: AnyField { baseline.field }
}

extension DraftedModels {
    /// Visits fields, and after each those of the models that it leads to, as long as a closure wants
    /// more: every model once.
    ///
    /// - Returns: Whether all were visited.
    @discardableResult
    func visit(
        _ fields: [DraftedField],
        leavingOut owner: ObjectIdentifier? = nil,
        _ body: (DraftedField) -> Bool
    ) -> Bool {
        // What leads back to where it began has nothing new.
        var seen = Set([root] + fields.map(\.baseline.owner))
        if let owner { seen.insert(owner) }
        var open = Array(fields.reversed())
        while let field = open.popLast() {
            if !body(field) { return false }
            if !field.baseline.isDrafted { continue }
            var inside: [DraftedField] = []
            for (path, model) in field.baseline.field.heldModels
            where seen.insert(ObjectIdentifier(model)).inserted {
                inside += self.fields(of: model, at: field.path.appending(path))
            }
            open += inside.reversed()
        }
        return true
    }

    /// The fields of a model that is edited here; none, if it is not.
    func fields(of scratch: any Model, at path: FieldPath = []) -> [DraftedField] {
        zip(scratch.ownSchema.allFields, baselines(of: scratch)).map {
            DraftedField(path: path.appending($0.path), baseline: $1)
        }
    }

    /// Some fields, and those that they lead to.
    func all(_ fields: [DraftedField]) -> [DraftedField] {
        var all: [DraftedField] = []
        visit(fields) { field in
            all.append(field)
            return true
        }
        return all
    }

    /// Whether anything is changed in the models that a field leads to.
    func isChanged(inside baseline: Baseline) -> Bool {
        let outer = DraftedField(path: [], baseline: baseline)
        return !visit([outer]) { $0.baseline === baseline || !$0.baseline.isChanged }
    }

    /// Whether anything is changed in models of a field whose originals are not in a value of the base.
    func isChanged(in baseline: Baseline, outside value: AnyField) -> Bool {
        if !baseline.isDrafted { return false }
        let kept = Set(value.heldModels.map { ObjectIdentifier($0.model) })
        let lost = baseline.field.heldModels.compactMap { _, model in
            original(of: model).flatMap { kept.contains(ObjectIdentifier($0)) ? nil : model }
        }
        return isChanged(in: lost, leavingOut: baseline.owner)
    }

    /// Whether anything is changed in some models that are edited here, or in what they lead to.
    func isChanged(in scratch: [any Model], leavingOut owner: ObjectIdentifier) -> Bool {
        !visit(scratch.flatMap { fields(of: $0) }, leavingOut: owner) { !$0.baseline.isChanged }
    }
}
