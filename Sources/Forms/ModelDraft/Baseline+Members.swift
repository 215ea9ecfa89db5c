import ModelKitFields
import ModelKitModels

// What a draft knows of the models in a field.

extension Baseline {
    /// Whether the models in the field are edited in the draft, too.
    var isDrafted: Bool { kind?.isDrafted ?? false }

    /// Whether nobody knows what the source has, so that nothing can be brought to it.
    var lacksMembers: Bool { source.isRelationNotLoaded }

    /// Whether members that came and went in the source are no conflict with those that did here.
    var mergesMembers: Bool { kind == .derived && field.elementField != nil }

    /// Whether a value of the source lacks models in which something is changed.
    func losesChanges(to theirs: AnyField) -> Bool {
        models?.isChanged(in: self, outside: theirs) ?? false
    }

    /// Has the members that came to the source since the field began, and not those that have gone,
    /// unless something is changed in them.
    ///
    /// - Returns: What the field began with, with the same members come and gone.
    func mergeMembers(of theirs: AnyField, since start: Start) -> Start {
        guard let models else { return start }
        let (before, now) = (start.origin.modelsInField, theirs.modelsInField)
        let known = Set(before.map { ObjectIdentifier($0) })
        let kept = Set(now.map { ObjectIdentifier($0) })
        let gone = before.filter {
            !kept.contains(ObjectIdentifier($0)) && !models.isChanged(in: [$0], leavingOut: owner)
        }
        let lost = Set(gone.map { ObjectIdentifier($0) })
        let added = now.filter { !known.contains(ObjectIdentifier($0)) }
        field.replace(lost, with: added)
        let origin = start.origin.copy()
        // A value of the field's own type.
        try? origin.setAnyValue(before.filter { !lost.contains(ObjectIdentifier($0)) } + added)
        return Start(origin, as: models.real(origin), at: start.revision)
    }

    /// Takes what the source was set to into a field that is not changed, or whose members can be merged.
    ///
    /// The commit may still be refused, so that conflicts stay known.
    func rebaseForCommit(_ overwriting: Bool) {
        let isMergeable = mergesMembers && (overwriting || !isConflict)
        if isMergeable || !isChanged && !isConflict { rebase(keepsConflict: true) }
    }
}
