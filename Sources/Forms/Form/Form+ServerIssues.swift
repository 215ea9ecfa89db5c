public import ModelKitFields
import ModelKitModels

extension Form {
    /// What others said that is about no enabled field of the form, until they say something else or
    /// the form is submitted or committed.
    public var generalIssues: [Issue] { observedCurrent.general }

    /// Adds issues that somebody else has found, such as a server, to the fields.
    ///
    /// Each has its issue until it is set, and one about a model as a whole until that is changed; an
    /// issue that leads through a model in a field is added to the field inside. What leads to no enabled
    /// field is kept in `generalIssues`, in place of what was there.
    ///
    /// ```swift
    /// form.apply([Issue(code: "unique", path: ["email"], message: "is taken already")])
    /// form.apply([Issue(path: try FieldPath(jsonPointer: "/lines/0/text"), message: "is too long")])
    /// ```
    public func apply(_ issues: [Issue]) { apply(issues, asOf: nil) }

    /// Adds messages to the fields by their paths, as many servers send them:
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

    /// Applies what is said about values of a revision; a field that was set since gets none.
    func apply(_ issues: [Issue], asOf revision: UInt64?) {
        asOneChange { distribute(issues, asOf: revision) }
    }

    private func distribute(_ issues: [Issue], asOf revision: UInt64?) {
        let state = current
        let entries = state.parts.flatMap(\.entries).filter { state.isEnabled($0.path) }
        let own = Set(entries.map { ObjectIdentifier($0.field) })
        var general: [Issue] = []
        var reported: [FieldPlace] = []
        var known: Set<ObjectIdentifier> = []
        var ways: Set<[ObjectIdentifier]> = []
        var verdicts: [ModelVerdict] = []
        var applied: [(field: AnyField, revision: UInt64, issues: [Issue])] = []
        var latest: [ObjectIdentifier: Int] = [:]
        let lookup = IssueLookup()
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
                if let revision, verdict.isOutdated(since: revision, lookup) { continue }
                verdicts.append(verdict)
            }
            let identity = ObjectIdentifier(field)
            if let index = latest[identity], applied[index].revision == last {
                applied[index].issues.append(local)
            } else {
                latest[identity] = applied.count
                applied.append((field, last, [local]))
            }
            if own.contains(identity) { continue }
            known.insert(identity)
            // One that is reached by several ways is noted for each.
            let way = place.way.map { ObjectIdentifier($0.holder) } + [identity]
            if ways.insert(way).inserted { reported.append(place.leading(to: [])) }
        }
        let keys = verdicts.keys
        withContents { state in
            state.general = general
            state.verdicts.removeAll { keys.contains($0.key) }
            state.verdicts += verdicts
        }
        // Not before: a validation that forgets an older verdict must know that it is said again.
        for (field, revision, issues) in applied { field.addValidationErrors(issues, at: revision) }
        // Nor this: a place where nothing is said yet would be forgotten by one.
        withContents { state in
            state.reported.removeAll { known.contains(ObjectIdentifier($0.field)) }
            state.reported += reported
            state.forgetSilentPlaces()
        }
    }

    /// Forgets the places inside of models that are in the form no more.
    func forgetLostPlaces() {
        let state = current
        let entries = state.parts.flatMap(\.entries)
        let lookup = IssueLookup()
        let lost = state.reported.filter { place in
            !entries.contains { place.found(in: $0, lookup) != nil }
        }
        let ways = Set(lost.map(\.objects))
        withContents { state in state.reported.removeAll { ways.contains($0.objects) } }
    }
}

extension Form.Contents {
    /// Forgets the fields of models in fields against which nothing is said any more.
    mutating func forgetSilentPlaces() {
        if reported.isEmpty { return }
        // What is forgotten of these may be said again at once.
        let judged = Set(verdicts.map { ObjectIdentifier($0.field) })
        reported.removeAll { place in
            !place.field.hasAddedIssues && !judged.contains(ObjectIdentifier(place.field))
        }
    }
}

extension FieldPlace {
    /// The field, and the fields and models on the way to it.
    fileprivate var objects: [ObjectIdentifier] {
        way.flatMap { [ObjectIdentifier($0.holder), ObjectIdentifier($0.model)] }
            + [ObjectIdentifier(field)]
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
