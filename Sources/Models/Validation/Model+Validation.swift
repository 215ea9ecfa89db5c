public import ModelKitFields

extension Model {
    /// Validates the model by `check` and every field by its rules.
    ///
    /// Each field keeps what concerns it. Models in fields are validated where the field says
    /// `requireValid()`: each once, however many fields have it, those that come later reporting at
    /// most 16 issues of it. Async rules run where nothing else is wrong with a field;
    /// `validated()` waits for them.
    ///
    /// A `check` or a rule may validate other models, and these this one: inside of itself nothing is
    /// wrong with it. One that was validated inside of it before is validated again if one of its own
    /// fields was set since; a set of a field of a model in those does not count.
    ///
    /// The fields of models that have each other keep what was found where this validation met them
    /// first. There nothing is wrong with those that it was inside of: so a field may be `.valid` whose
    /// model leads back to one that is not. Validated itself, each model reports all.
    ///
    /// ``validationIssues()`` gives what was found with paths and codes.
    ///
    /// - Returns: `.invalid` with the messages, each with the name of its field, or else with its path;
    ///   `.unknown` if there are none, but async rules have not answered yet; otherwise `.valid`.
    @discardableResult
    public func validate() -> ValidationState {
        guard let scope = ValidationRun.scope else {
            return CheckScope(askingAgain: true).run(validate)
        }
        // What the checks of models validate is known to the whole validation.
        let before = scope.noteCount
        let issues = validationIssues()
        return ValidationState(issues: issues, isPending: scope.noteCount != before)
    }

    /// Validates the model and waits until the async rules of its fields have answered.
    ///
    /// ```swift
    /// guard await person.validated() == .valid else { return }
    /// ```
    ///
    /// All fields ask at once. A field that is set meanwhile is validated again, and waited for.
    /// Cancelling the task ends the wait, but not the asking: the state is then what is known, which
    /// may be `.unknown`.
    @discardableResult
    public func validated() async -> ValidationState {
        await CheckScope.untilAnswered(validate)
    }

    private func validate(in scope: CheckScope) -> ValidationState {
        let issues = validationIssues()
        return ValidationState(issues: issues, isPending: !scope.pending.isEmpty)
    }

    /// Adds what somebody else says against a field, such as a server, also one of a model in a field.
    ///
    /// ```swift
    /// person.addError(at: ["address", "street"], message: "is unknown to the post")
    /// ```
    ///
    /// The field keeps it until it is set. `Form.apply` keeps what is about no field, too.
    ///
    /// - Returns: Whether the path leads to a field.
    @discardableResult
    public func addError(
        at path: FieldPath,
        message: String,
        code: String = "custom"
    ) -> Bool {
        guard let place = FieldPlace(path, in: self)?.innermost else { return false }
        place.field.addValidationError(Issue(code: code, path: place.rest, message: message))
        return true
    }

    /// What is wrong with the model now, warnings too: no field keeps it, and nobody is notified.
    ///
    /// It is for a button that is enabled only for a valid form, before the form shows any error. Of
    /// async rules it has what they have answered, and asks none.
    public func currentIssues() -> [Issue] {
        ValidationPath.keepingNothing { validationIssues() }
    }

    /// Whether `currentIssues()` has no error.
    public var isCurrentlyValid: Bool { !currentIssues().isBlocking }

    /// Validates like `validate()`, and gives what was found with paths and codes, warnings too.
    ///
    /// Async rules that have not answered yet have found nothing.
    public func validationIssues() -> [Issue] {
        let schema = ownSchema
        return isPlainlyValid(schema) ? [] : issues(ofAll: true, schema) { _, found in found }
    }

    /// Validates the fields that are loaded, as nobody knows what the others have: of a model with gaps.
    ///
    /// What is wrong with the model as a whole is reported only if all are.
    package func loadedIssues() -> [Issue] {
        let schema = ownSchema
        func isKnown(_ entry: ModelSchema.Entry) -> Bool {
            entry === schema.identifier || entry.isLoaded(in: self)
        }
        return validationIssues { entry, found in
            (entry.map { isKnown($0) } ?? allEntries.allSatisfy { isKnown($0) }) ? found : nil
        }
    }

    /// Validates some of the fields.
    ///
    /// - Parameters:
    ///   - reads: Follows what `check` reads.
    ///   - select: Says of a field, or of the model as a whole if that is nil, which of the issues that
    ///     `check` found are reported; nil if the field is not to be validated.
    /// - Returns: What was found, with paths, in the order of the fields.
    package func validationIssues(
        following reads: ReadFollower? = nil,
        _ select: (ModelSchema.Entry?, _ found: [Issue]) -> [Issue]?
    ) -> [Issue] {
        issues(following: reads, ofAll: false, ownSchema, select)
    }

    private func issues(
        following reads: ReadFollower? = nil,
        ofAll isWhole: Bool,
        _ schema: ModelSchema,
        _ select: (ModelSchema.Entry?, _ found: [Issue]) -> [Issue]?
    ) -> [Issue] {
        ValidationRun.issues(of: self, revision: { lastRevision(schema) }) { keepsNothing in
            let report = reads?.follow { self.report() } ?? self.report()
            // What a subclass checks, it may not check of each.
            if report.isUnchecked, !(self is ModelObject) {
                _ = schema.checking.get { false }
            }
            if isWhole, !keepsNothing, report.issues.isEmpty, let offsets = fixedOffsets(schema) {
                return ownIssues(at: offsets, schema)
            }
            return ownIssues(keepsNothing, report, select)
        }
    }

    /// The revision of the last set of a field.
    private func lastRevision(_ schema: ModelSchema) -> UInt64 {
        guard let offsets = fixedOffsets(schema) else {
            return allEntries.reduce(0) { max($0, $1.revision(in: self)) }
        }
        return offsets.reduce(0) { last, offset in
            let field = FieldAccess.field(of: self, at: offset)
            return max(last, field._withUnsafeGuaranteedRef { $0.revision })
        }
    }

    /// Where all fields are; nil if that is not known of each, or if some are the other sides of keys.
    private func fixedOffsets(_ schema: ModelSchema) -> [Int]? {
        schema.derivedFields.isEmpty && dynamicFields.isEmpty ? schema.offsets : nil
    }

    /// Validates the fields if there is nothing to ask about any of them, nor about the model: then it makes no
    /// difference which models it is inside of.
    private func isPlainlyValid(_ schema: ModelSchema) -> Bool {
        if schema.checking.get({ nil }) || !dynamicFields.isEmpty || ValidationPath.keepsNothing {
            return false
        }
        return schema.allFields.allSatisfy { $0.validateUnasked(in: self) }
    }

    /// What is wrong with the fields, of which nothing else is known.
    private func ownIssues(at offsets: [Int], _ schema: ModelSchema) -> [Issue] {
        var issues: [Issue] = []
        for index in offsets.indices {
            // Safe: the model holds the field, and is held by the caller.
            let field = FieldAccess.field(of: self, at: offsets[index])
            let found = field._withUnsafeGuaranteedRef {
                $0.validateUnasked() ? [] : $0.validate(adding: [])
            }
            if !found.isEmpty { issues += schema.allFields[index].placed(found) }
        }
        return issues
    }

    private func ownIssues(
        _ keepsNothing: Bool,
        _ report: ModelReport,
        _ select: (ModelSchema.Entry?, _ found: [Issue]) -> [Issue]?
    ) -> [Issue] {
        let isPlain = !keepsNothing && report.issues.isEmpty
        var issues: [Issue] = []
        for entry in allEntries {
            if isPlain, select(entry, [])?.isEmpty == true, entry.validateUnasked(in: self) {
                continue
            }
            let field = entry.field(in: self)
            // Nobody knows yet what is in it.
            if entry.isDerived, field.loadState != .loaded { continue }
            guard let known = select(entry, report.issues(of: field)) else { continue }
            let found = keepsNothing ? field.currentIssues() + known : field.validate(adding: known)
            if !found.isEmpty { issues += entry.placed(found) }
        }
        return issues + (select(nil, report.general) ?? [])
    }

    /// What `check` finds.
    package func report() -> ModelReport {
        var report = ModelReport(of: self)
        check(&report)
        return report
    }
}

extension ModelSchema.Entry {
    /// What was found in the field, with its path in the model.
    fileprivate func placed(_ issues: [Issue]) -> [Issue] {
        issues.map { $0.prefixed(by: path, of: title, holdsModels: holdsModels) }
    }
}
