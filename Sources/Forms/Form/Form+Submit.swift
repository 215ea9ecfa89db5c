import ModelKitFields
import ModelKitModels

extension Form {
    /// Validates the form, async rules too, and does some work once, such as sending it to a server.
    ///
    /// ```swift
    /// try await form.submit {
    ///     try await api.save(draft.scratch)
    ///     try form.commit()
    /// }
    /// ```
    ///
    /// An error of the work that is an `IssuesError` or an `Issue` is added to the fields, but for
    /// those that were set since the work began; not a ``DraftError``, which says what the form knows
    /// itself. If the work ends well, the fields and models are compared with the values that they had
    /// when it began; drafts are committed by `commit()`.
    ///
    /// The work runs in the caller's task and isolation, so cancelling that task cancels it.
    ///
    /// - Parameters:
    ///   - isolation: Where the work runs.
    ///   - work: What to do if the form is not invalid.
    /// - Returns: What the work returns.
    /// - Throws: `FormError.invalid` with all issues; `FormError.alreadySubmitting` while another
    ///   submit is under way, with which nothing is done; `CancellationError` if the task was
    ///   cancelled before the work; or what the work throws.
    @discardableResult
    public func submit<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async throws -> Result {
        let isFirst = submission.modify { isSubmitting in
            defer { isSubmitting = true }
            return isSubmitting != true
        }
        guard isFirst else { throw FormError.alreadySubmitting }
        defer { submission.value = false }
        let age = withContents { state in
            state.submitCount += 1
            state.isSubmitSuccessful = false
            return state.age
        }
        marker.touch()
        var unanswered: [Issue] = []
        // A rule that sets its own field is never through.
        for _ in 0..<8 {
            await validated()
            try Task.checkCancellation()
            // A field may have been set before this; what could not be checked is not asked again.
            let scope = CheckScope(askingAgain: false)
            let issues = scope.run { _ in issuesAnew() }
            if issues.isBlocking { throw FormError.invalid(issues) }
            unanswered = current.unanswered(scope.pending)
            if unanswered.isEmpty, state == .unknown { unanswered = current.unanswered() }
            if unanswered.isEmpty { break }
        }
        if !unanswered.isEmpty { throw FormError.invalid(unanswered) }
        let revision = Revision.next()
        let values = current.parts.flatMap(\.entries).map(\.baseline)
            .filter { $0.source === $0.field }
            .map { (baseline: $0, start: Baseline.Start(copying: $0.field)) }
        let result: Result
        do {
            result = try await work()
        } catch {
            let issues = (error as? any IssuesError)?.issues ?? (error as? Issue).map { [$0] }
            // What a draft refuses its fields know themselves, for as long as it is so.
            if let issues, !(error is DraftError), current.age == age {
                apply(issues, asOf: revision)
            }
            throw error
        }
        guard current.age == age else { return result }
        forgetLostPlaces()
        batch {
            for (baseline, start) in values { baseline.begin(with: start) }
            withContents { $0.isSubmitSuccessful = true }
            marker.touch()
        }
        return result
    }

    /// Validates, and gives what is wrong; what others said of the whole counts no more, as no set
    /// could take it back.
    private func issuesAnew() -> [Issue] {
        withContents { $0.general = [] }
        validate()
        return issues.map(\.issue)
    }

    /// Whether a submit is under way.
    public var isSubmitting: Bool { submission.value == true }

    /// How often a submit was tried, also when the form was invalid.
    public var submitCount: Int { observedCurrent.submitCount }

    /// Whether the last submit has ended well.
    public var isSubmitSuccessful: Bool { observedCurrent.isSubmitSuccessful }

    /// Commits all drafts of the form in one batch, if it is valid; also those of values in fields, whose
    /// bases are then what they have become.
    ///
    /// - Parameter overwriting: Whether fields are set although somebody else has changed them in the
    ///   base meanwhile.
    /// - Throws: A `DraftError` with all issues of the form, or with all conflicts; then no draft is
    ///   committed. Only a field that is set by another thread in the very moment is reported after
    ///   the others were committed.
    public func commit(overwriting: Bool = false) throws(DraftError) {
        let scope = CheckScope(askingAgain: false)
        var issues = scope.run { _ in issuesAnew() }
        if issues.isBlocking { throw DraftError(issues: issues) }
        let state = current
        issues = state.unanswered(scope.pending)
        if !issues.isEmpty { throw DraftError(issues: issues) }
        var changes: [DraftChanges] = []
        for part in state.parts {
            for (path, draft) in part.drafts {
                do throws(DraftError) {
                    let prepared = try draft.prepareCommit(overwriting, at: path) {
                        part.validate(state.isEnabled, nil).all
                    }
                    changes.append(prepared)
                } catch {
                    issues += error.issues
                }
            }
        }
        if issues.isEmpty { issues = DraftChanges.commit(changes) }
        if !issues.isEmpty { throw DraftError(issues: issues) }
        for part in state.parts { for (_, draft) in part.drafts { draft.rebase() } }
    }
}

extension Form.Contents {
    /// An issue for each field that waits for answers.
    fileprivate func unanswered(_ fields: [AnyField]) -> [Issue] {
        let entries = parts.flatMap(\.entries).map { ($0.path, $0.field) }
        return entries.paths(to: fields).map(DraftError.unanswered)
    }

    /// An issue for each field that was set since it was validated, or else for the whole.
    fileprivate func unanswered() -> [Issue] {
        let entries = parts.flatMap(\.entries).filter {
            isEnabled($0.path) && $0.field.validationState == .unknown
        }
        let paths = entries.isEmpty ? [FieldPath()] : entries.map(\.path)
        return paths.map(DraftError.unanswered)
    }
}
