import ModelKitFields
import ModelKitModels

extension Form {
    /// What is wrong, warnings too: field by field, those of each model as a whole after its fields,
    /// and those of the whole form last.
    public var issues: [FormIssue] { look().issues }

    /// What a form should show: before the first submit only what is wrong with touched fields, and
    /// what others said; then all of it.
    public var visibleIssues: [FormIssue] {
        let state = observedCurrent
        if state.submitCount > 0 { return issues }
        return issues.filter { issue in
            issue.isSaid || issue.field.map(state.isTouched) ?? false
        }
    }

    /// The errors as lines of text, to be read out at once; empty if there are none.
    public var summary: String {
        issues.filter { $0.issue.severity == .error }.map(\.description).joined(separator: "\n")
    }

    /// The first error of a field, which has the field and its path: where to put the cursor.
    public var firstInvalid: FormIssue? {
        issues.first { $0.field != nil && $0.issue.severity == .error }
    }

    /// What is wrong now, and whether there may be more.
    func look() -> (issues: [FormIssue], isUnknown: Bool) {
        let state = observedCurrent
        let reported = state.placesByHolder
        let lookup = IssueLookup()
        let outdated = state.verdicts.outdated(lookup).keys
        var issues: [FormIssue] = []
        var known: [Issue: Int] = [:]
        var isUnknown = false
        func collect(_ issue: FormIssue) {
            if let index = known[issue.issue] {
                if issue.isSaid { issues[index].isSaid = true }
            } else {
                known[issue.issue] = issues.count
                issues.append(issue)
            }
        }
        for (index, part) in state.parts.enumerated() {
            for entry in part.entries where state.isEnabled(entry.path) {
                let field = entry.field
                // Its rules are asked when it is loaded.
                if field.isRelationNotLoaded { continue }
                if field.validationState == .unknown || entry.isOutdated(lookup) {
                    isUnknown = true
                }
                let inside = (reported[ObjectIdentifier(field)] ?? [])
                    .compactMap { $0.found(in: entry, lookup) }
                let places = [FieldPlace(field, at: entry.path)] + inside
                var found: [(issue: Issue, place: FieldPlace, isSaid: Bool)] = []
                for place in places {
                    let (issues, isLess) = place.issues(without: outdated, lookup)
                    found += issues
                    if isLess { isUnknown = true }
                }
                if field.holdsModels { found = found.ordered(by: \.place.order) }
                for (issue, place, isSaid) in found {
                    collect(FormIssue(issue, of: place, isSaid: isSaid))
                }
            }
            let found = index < state.found.count ? state.found[index] : nil
            guard part.isChecked || found?.issues.isEmpty == false, state.isEnabled(part.path)
            else { continue }
            if let found, isChecked(index, state) || found.revision == part.revision {
                for issue in found.issues { collect(FormIssue(issue, of: nil, isSaid: false)) }
            } else {
                isUnknown = true
            }
        }
        for issue in state.general { collect(FormIssue(issue, of: nil, isSaid: true)) }
        return (issues, isUnknown)
    }
}

extension FieldPlace {
    /// What is reported of the field, each with its place and whether others have said it; but for what
    /// was found or said of models that are others by now.
    ///
    /// - Returns: It, and whether something was left out.
    func issues(
        without outdated: Set<ModelVerdict.Key>,
        _ lookup: IssueLookup
    ) -> (issues: [(issue: Issue, place: FieldPlace, isSaid: Bool)], isLess: Bool) {
        let known = lookup.kept(by: field).issues
        let reported = known.compactMap { issue, isAdded -> (Issue, FieldPlace, Bool)? in
            let place = leading(to: issue.path).innermost
            if isAdded {
                if !outdated.isEmpty, outdated.contains(ModelVerdict.Key(issue, of: field)) {
                    return nil
                }
                return (issue.prefixed(by: path), place, true)
            }
            var local = issue
            local.path = place.rest
            // What is kept inside may have been said there.
            let same = place.field === field ? nil : lookup.kept(by: place.field).sources[local]
            let isSaid = same?.isAdded ?? false
            if isSaid, same?.count == 1,
                outdated.contains(ModelVerdict.Key(local, of: place.field))
            {
                return nil
            }
            guard place.stillHas(issue, of: field, inside: same != nil, lookup) else { return nil }
            return (issue.prefixed(by: path), place, isSaid)
        }
        return (reported, reported.count < known.count)
    }

    /// Whether what a field on the way here found counts still.
    private func stillHas(
        _ issue: Issue,
        of outer: AnyField,
        inside isKnown: Bool,
        _ lookup: IssueLookup
    ) -> Bool {
        if field !== outer, !isKnown {
            // Or the outer one's own rule has said so, of the value that is there still.
            return !lookup.kept(by: outer).isFound(issue, before: field.changeRevision)
        }
        guard let (model, beyond) = model, beyond.isEmpty else { return true }
        // It is about the model as a whole, which keeps nothing itself.
        var local = issue
        local.path = rest
        return !lookup.kept(by: field).isFound(local, before: lookup.lastRevision(of: model))
    }
}

extension DraftedField {
    /// Whether a model in the field was set since that was validated.
    fileprivate func isOutdated(_ lookup: IssueLookup) -> Bool {
        guard field.holdsModels else { return false }
        return field.isValidated(before: lookup.lastRevision(of: field))
    }
}

extension Form.Contents {
    /// The places inside of models by the fields of the form that the ways to them begin with.
    var placesByHolder: [ObjectIdentifier: [FieldPlace]] {
        Dictionary(grouping: reported.filter { !$0.way.isEmpty }) {
            ObjectIdentifier($0.way[0].holder)
        }
    }
}
