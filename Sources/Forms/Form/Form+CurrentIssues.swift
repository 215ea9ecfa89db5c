public import ModelKitFields
import ModelKitModels

extension Form {
    /// What is wrong with the enabled fields and models now, warnings too: no field keeps it, and nobody
    /// is notified.
    ///
    /// It is for a button that is enabled only for a valid form, before the form shows any error:
    ///
    /// ```swift
    /// let canSave = Computed { form.isCurrentlyValid }
    /// canSave.onMain --> { save.isEnabled = $0 ?? false }
    /// ```
    ///
    /// Of async rules it has what they have answered, and asks none. It is in the order of the form, with
    /// what others have said of fields; not what they said of the whole, as no set could take it back and
    /// a submit does not ask for it.
    public func currentIssues() -> [Issue] {
        let state = observedCurrent
        let lookup = IssueLookup()
        let verdicts = state.verdicts.outdated(lookup)
        let outdated = verdicts.keys
        let outdatedIn = Dictionary(grouping: verdicts) { ObjectIdentifier($0.field) }
        let reported = state.placesByHolder
        var known: Set<Issue> = []
        return state.parts.flatMap { part in
            var found = ValidationPath.keepingNothing {
                part.validate(state.isEnabled, nil).all
            }
            let pairs = outdated.isEmpty ? [] : found.map { ($0, 1) }
            let counts = Dictionary(pairs, uniquingKeysWith: +)
            var forgotten: Set<Issue> = []
            for entry in part.entries where state.isEnabled(entry.path) {
                let inside = (reported[ObjectIdentifier(entry.field)] ?? [])
                    .compactMap { $0.found(in: entry, lookup) }
                for place in inside + [FieldPlace(entry.field, at: entry.path)] {
                    guard let verdicts = outdatedIn[ObjectIdentifier(place.field)] else { continue }
                    let added = Set(place.field.addedIssues)
                    for verdict in verdicts {
                        let issue = verdict.issue.prefixed(by: place.path)
                        // Unless a rule finds the same now.
                        let isAdded = added.contains(verdict.issue)
                        if counts[issue] ?? 0 <= (isAdded ? 1 : 0) { forgotten.insert(issue) }
                    }
                }
                for place in inside {
                    found += place.currentIssues(without: outdated, lookup)
                    found += place.field.addedIssues.map { $0.prefixed(by: place.path) }
                }
            }
            return part.ordered(found)
                .filter { !forgotten.contains($0) && known.insert($0).inserted }
        }
    }

    /// Whether `currentIssues()` has no error.
    public var isCurrentlyValid: Bool { !currentIssues().isBlocking }
}

extension FieldPlace {
    /// What the field keeps that counts still: what a check has found of its model does not where another
    /// field of that was set since.
    fileprivate func currentIssues(
        without outdated: Set<ModelVerdict.Key>,
        _ lookup: IssueLookup
    ) -> [Issue] {
        let change = way.last.map { lookup.lastRevision(of: $0.model) } ?? 0
        return issues(without: outdated, lookup).issues.compactMap { issue, _, isSaid in
            var local = issue
            local.path = issue.path.dropping(path)
            return isSaid || !lookup.kept(by: field).isFound(local, before: change) ? issue : nil
        }
    }
}
