public import ModelKitFields

extension Form {
    /// Validates every field that is enabled, and the models by their `check`.
    ///
    /// - Returns: The state.
    @discardableResult
    public func validate() -> ValidationState {
        asOneChange { validateParts() }
        return state
    }

    private func validateParts() {
        forgetOutdated()
        let (seen, run) = withContents { state in
            state.validations.begun += 1
            return (state, state.validations.begun)
        }
        let found = seen.parts.map { part in
            var (revision, issues): (UInt64?, [Issue]) = (nil, [])
            // A check may set what it computes, of which those before it know nothing then.
            for _ in 0..<8 where part.revision != revision {
                revision = part.revision
                issues = part.validate(seen.isEnabled).general
            }
            return (revision: revision ?? 0, issues: issues)
        }
        let contexts = ValidationContext.current
        withContents { state in
            // One that began later may have ended sooner.
            guard state.validations.found < run else { return }
            state.validations.found = run
            state.found = found
            state.contexts = contexts
        }
    }

    /// Forgets what was said of models that were changed since.
    private func forgetOutdated() {
        // Not under the lock, which others hold while they say something.
        let outdated = current.verdicts.filter(\.isOutdated)
        if outdated.isEmpty { return }
        let dropped = withContents { state in
            let dropped = state.verdicts.filter { old in
                outdated.contains { $0.isSame(as: old) }
            }
            state.verdicts.removeAll { old in dropped.contains { $0.isSame(as: old) } }
            return dropped
        }
        for verdict in dropped { verdict.field.removeAddedIssue(verdict.issue) }
        // Said again meanwhile.
        for verdict in current.verdicts
        where dropped.contains(where: { $0.isSaid(verdict.issue, of: verdict.field) }) {
            verdict.field.addValidationError(verdict.issue)
        }
    }

    /// Validates every field that is enabled, and waits until their async rules have answered.
    ///
    /// All fields ask at once. One that is set meanwhile is validated again, and waited for.
    /// Cancelling the task ends the wait, but not the asking.
    ///
    /// - Returns: The state.
    @discardableResult
    public func validated() async -> ValidationState {
        await CheckScope.untilAnswered { _ in validate() }
    }

    /// What is known about whether the form is valid.
    ///
    /// It is invalid if anything is, otherwise unknown if a field is, as it was set since, or was
    /// validated in other contexts than the form.
    public var state: ValidationState {
        let (issues, isUnknown) = look()
        let errors = issues.filter { $0.issue.severity == .error }
        if !errors.isEmpty { return .invalid(errors.map(\.description)) }
        return isUnknown ? .unknown : .valid
    }

    /// What is wrong, warnings too: field by field, those of each model as a whole after its fields,
    /// and those of the whole form last.
    public var issues: [FormIssue] { look().issues }

    /// What a form should show: before the first submit only what is wrong with touched fields, and
    /// what others said; then all of it.
    public var visibleIssues: [FormIssue] {
        let state = observedCurrent
        if state.submitCount > 0 { return issues }
        return issues.filter { issue in
            guard let field = issue.field else { return state.general.contains(issue.issue) }
            return state.isTouched(field) || field.hasAddedIssues
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

    /// What others said that is about no enabled field of the form, until they say something else or
    /// the form is submitted or committed.
    public var generalIssues: [Issue] { observedCurrent.general }

    /// Tells the fields what somebody else says against them, such as a server.
    ///
    /// Each has its issue until it is set, and one about a model as a whole until that is changed; an
    /// issue that leads through a model in a field is told the
    /// field inside. What leads to no enabled field is kept in `generalIssues`, in place of what was
    /// there.
    ///
    /// ```swift
    /// form.apply([Issue(code: "unique", path: ["email"], message: "is taken already")])
    /// form.apply([Issue(path: try FieldPath(jsonPointer: "/lines/0/text"), message: "is too long")])
    /// ```
    public func apply(_ issues: [Issue]) { apply(issues, asOf: nil) }

    /// Tells the fields messages by their paths, as many servers send them:
    /// `["email": ["is taken already"]]`.
    ///
    /// - Parameter messages: What is said, by a JSON Pointer, if it begins with a slash, or by keys and
    ///   indexes as in `terms[2].start`. A text that is neither is a key.
    public func apply(messages: [String: [String]]) {
        let issues = messages.sorted { $0.key < $1.key }.flatMap { text, messages in
            let path = (try? FieldPath(either: text)) ?? FieldPath(key: text)
            return messages.map { Issue(path: path, message: $0) }
        }
        apply(issues)
    }

    /// Applies what is said about values of a revision; a field that was set since is told nothing.
    func apply(_ issues: [Issue], asOf revision: UInt64?) {
        asOneChange { tell(issues, asOf: revision) }
    }

    private func tell(_ issues: [Issue], asOf revision: UInt64?) {
        let state = current
        let entries = state.parts.flatMap(\.entries).filter { state.isEnabled($0.path) }
        let own = Set(entries.map { ObjectIdentifier($0.field) })
        var general: [Issue] = []
        var told: [FieldPlace] = []
        var known: Set<ObjectIdentifier> = []
        var ways: Set<[ObjectIdentifier]> = []
        var verdicts: [ModelVerdict] = []
        var said: [(field: AnyField, issue: Issue, revision: UInt64)] = []
        for issue in issues {
            guard let place = FieldPlace(issue.path, among: entries) else {
                general.append(issue)
                continue
            }
            let field = place.field
            let last = field.revision
            // What it leads through may hold another model by now.
            let isMoved = place.way.contains { $0.holder.isSet(after: revision) }
            if isMoved || field.isSet(after: revision) { continue }
            var local = issue
            local.path = place.rest
            if let (model, rest) = place.model, rest.isEmpty {
                let verdict = ModelVerdict(field: field, issue: local, model: model)
                if let revision, verdict.isOutdated(since: revision) { continue }
                verdicts.append(verdict)
            }
            said.append((field, local, last))
            let identity = ObjectIdentifier(field)
            if own.contains(identity) { continue }
            known.insert(identity)
            // One that is reached by several ways is told of each.
            let way = place.way.map { ObjectIdentifier($0.holder) } + [identity]
            if ways.insert(way).inserted { told.append(place.leading(to: [])) }
        }
        withContents { state in
            state.general = general
            state.told.removeAll { known.contains(ObjectIdentifier($0.field)) }
            state.told += told
            state.verdicts.removeAll { old in
                verdicts.contains { $0.isSaid(old.issue, of: old.field) }
            }
            state.verdicts += verdicts
        }
        // Not before: a validation that forgets an older verdict must know that it is said again.
        for (field, issue, revision) in said { field.addValidationError(issue, at: revision) }
    }

    /// What is wrong now, and whether there may be more.
    private func look() -> (issues: [FormIssue], isUnknown: Bool) {
        let state = observedCurrent
        let told = Dictionary(grouping: state.told) {
            $0.way.first.map { ObjectIdentifier($0.holder) }
        }
        let outdated = state.verdicts.filter(\.isOutdated)
        var issues: [FormIssue] = []
        var known: Set<Issue> = []
        var isUnknown = false
        func tell(_ issue: Issue, of place: FieldPlace?) {
            if known.insert(issue).inserted { issues.append(FormIssue(issue, of: place)) }
        }
        for (index, part) in state.parts.enumerated() {
            for entry in part.entries where state.isEnabled(entry.path) {
                let field = entry.field
                if field.validationState == .unknown || field.validationContexts != state.contexts
                    || entry.isOutdated
                {
                    isUnknown = true
                }
                for issue in entry.field.issues {
                    let place = FieldPlace(entry.field, at: entry.path, rest: issue.path).innermost
                    var local = issue
                    local.path = place.rest
                    // A field or model inside that was set since knows no more of it.
                    if place.stillHas(issue, of: entry.field),
                        !outdated.contains(where: {
                            $0.isSaid(issue, of: field) || $0.isSaid(local, of: place.field)
                        })
                    {
                        tell(issue.prefixed(by: entry.path), of: place)
                    } else {
                        isUnknown = true
                    }
                }
                let inside = told[ObjectIdentifier(field)] ?? []
                for place in inside.compactMap({ $0.found(in: entry) }) {
                    for issue in place.field.issues {
                        if outdated.contains(where: { $0.isSaid(issue, of: place.field) }) {
                            isUnknown = true
                            continue
                        }
                        tell(issue.prefixed(by: place.path), of: place.leading(to: issue.path))
                    }
                }
            }
            let found = index < state.found.count ? state.found[index] : nil
            guard part.isChecked || found?.issues.isEmpty == false, state.isEnabled(part.path)
            else { continue }
            if let found, found.revision == part.revision {
                for issue in found.issues { tell(issue, of: nil) }
            } else {
                isUnknown = true
            }
        }
        for issue in state.general { tell(issue, of: nil) }
        return (issues, isUnknown)
    }
}

/// What a field was told about a model in it as a whole, which counts until that is changed.
struct ModelVerdict {
    let field: AnyField
    /// With the path from the field.
    let issue: Issue
    let model: any Model
    /// When it was told.
    let moment = Revision.current

    var isOutdated: Bool { field.changeRevision > moment || isOutdated(since: moment) }

    func isOutdated(since revision: UInt64) -> Bool { model.allFields.lastRevision > revision }

    func isSame(as other: ModelVerdict) -> Bool {
        moment == other.moment && isSaid(other.issue, of: other.field)
    }

    func isSaid(_ issue: Issue, of field: AnyField) -> Bool {
        self.field === field && self.issue == issue
    }
}

extension AnyField {
    /// Whether it was set after a revision; never, if there is none.
    fileprivate func isSet(after revision: UInt64?) -> Bool {
        guard let revision else { return false }
        // A value that waited may come later than its revision says.
        return max(self.revision, changeRevision) > revision
    }
}

extension FieldPlace {
    /// Whether an issue that a field on the way here found counts still.
    fileprivate func stillHas(_ issue: Issue, of outer: AnyField) -> Bool {
        var local = issue
        local.path = rest
        if field !== outer, !field.issues.contains(local) {
            // Or the outer one's own rule has said so, of the value that is there still.
            return !outer.isFound(issue, before: field.changeRevision)
        }
        guard let (model, rest) = model, rest.isEmpty else { return true }
        // It is about the model as a whole, which keeps nothing itself.
        return !field.isFound(local, before: model.allFields.lastRevision)
    }
}

extension FormPart.Entry {
    /// Whether a model in the field was set since that was validated.
    fileprivate var isOutdated: Bool {
        guard field.holdsModels else { return false }
        return field.isValidated(before: CollectionOfOne(field).lastRevision)
    }
}
