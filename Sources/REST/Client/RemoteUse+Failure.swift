import ModelKitFields
import ModelKitModels
import ModelKitStores

extension RemoteUse {
    /// What a write that the server has refused fails with, unless it was made all the same.
    func failed(_ write: RemoteWrite, _ answer: RemoteAnswer) throws -> Promise<RecordReceipt> {
        guard let identifier = write.identifier else { throw error(of: answer, for: write) }
        let status = answer.status
        if write.isDeletion, [404, 410].contains(status), answer.mayBeRepeated {
            // What is gone since an earlier attempt is deleted.
            return .value(RecordReceipt(identifier: identifier, revision: write.expected ?? 1))
        }
        let isMade = answer.mayBeRepeated && [400, 409, 412, 422].contains(status)
        let isStale = !write.isCreation && (status == 412 || status == 409)
        let known = error(of: answer, for: write)
        if case .conflict = known, !isMade { throw known }
        if case .alreadyExists(_, _, .some) = known, !isMade { throw known }
        guard isMade || isStale, write.request.method != .put || !dialect.isPlain else {
            throw known
        }
        return current(write, identifier).map { [self] theirs in
            guard let theirs else {
                if isStale {
                    throw StoreError.notFound(type: write.schema.name, identifier: identifier)
                }
                throw known
            }
            if isMade, !write.isDeletion, isWritten(write, in: theirs) {
                var record = theirs
                if write.isCreation, !dialect.isPlain { record.revision = 1 }
                return RecordReceipt(
                    identifier: identifier,
                    revision: record.revision,
                    record: record
                )
            }
            guard isStale, write.expected != nil || status == 412 else { throw known }
            if case .conflict = known { throw known }
            throw StoreError.conflict(
                StoreError.Conflict(
                    type: write.schema.name,
                    identifier: identifier,
                    base: write.expected ?? 0,
                    mine: write.values,
                    theirs: theirs
                )
            )
        }
    }

    /// The record that a write has met.
    private func current(_ write: RemoteWrite, _ identifier: Identifier) -> Promise<Record?> {
        do {
            var path = write.request.path
            if write.isCreation { path = try instance(of: write.write, identifier) }
            return try record(at: path, identifier, of: write.schema)
        } catch {
            return .failed(error)
        }
    }

    /// Whether a record has all that a write was to set.
    private func isWritten(_ write: RemoteWrite, in record: Record) -> Bool {
        write.values.allSatisfy { key, value in
            let theirs = record.values[key] ?? .null
            return value.isSame(as: theirs)
        }
    }

    private func error(of answer: RemoteAnswer, for write: RemoteWrite) -> StoreError {
        error(
            of: answer,
            write.schema,
            write.identifier,
            mine: write.values,
            base: write.expected,
            isCreation: write.isCreation
        )
    }

    /// What an answer that is no success says.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - schema: The type that was asked for.
    ///   - identifier: The identifier that was asked for; nil for a collection.
    ///   - mine: What was to be set.
    ///   - base: The revision that was expected.
    ///   - isCreation: Whether a record was to be made.
    ///   - batch: The types of several writes.
    /// - Returns: The error.
    func error(
        of answer: RemoteAnswer,
        _ schema: ModelSchema,
        _ identifier: Identifier?,
        mine: [FieldKey: AttributeValue] = [:],
        base: Int64? = nil,
        isCreation: Bool = false,
        batch: [ModelSchema] = []
    ) -> StoreError {
        if dialect.isPlain, case .dictionary(let members)? = answer.response.value {
            let coder = ProblemCoder(in: context, types: batch + [schema]) { [state, context] in
                state.coder($0, in: context).coder
            }
            let found = coder.error(
                of: members,
                of: schema,
                identifier: identifier,
                mine: mine,
                batch: batch
            )
            if let found { return found }
        }
        let problem = dialect.problem(answer.response)
        let issues = (problem?.issues ?? []).map { issue in
            var issue = issue
            issue.path = schema.declaredPath(of: issue.path, in: context)
            return issue
        }
        return error(of: answer, schema, identifier, problem?.message, issues, isCreation)
    }

    private func error(
        of answer: RemoteAnswer,
        _ schema: ModelSchema,
        _ identifier: Identifier?,
        _ message: String?,
        _ issues: [Issue],
        _ isCreation: Bool
    ) -> StoreError {
        let status = answer.status
        let text = [message].compactMap { $0 } + issues.map(\.description)
        let said =
            text.isEmpty
            ? "the server answered \(status)"
            : "the server answered \(status): \(text.joined(separator: "; "))"
        let isRead = answer.request.method.isSafe
        let unsure: Outcome = isRead ? .notApplied : .unknown
        switch status {
        case 400, 422: return issues.isEmpty ? .unsupported(said) : .validation(issues)
        case 401: return .unauthorized(said)
        case 403: return .forbidden(said)
        case 404, 410:
            guard let identifier, !isCreation else {
                return .unsupported("there is no \(schema.name) at this address: \(said)")
            }
            return .notFound(type: schema.name, identifier: identifier)
        case 409 where dialect.isPlain:
            // As long as the first request of a key is under way.
            return .unavailable(said, answer.mayBeRepeated ? unsure : .notApplied)
        case 409:
            let field = issues.first.flatMap { issue in
                schema.fields.first { $0.path == issue.path }?.key
            }
            guard let identifier else {
                if !issues.isEmpty { return .validation(issues) }
                return .unavailable(said, answer.mayBeRepeated ? unsure : .notApplied)
            }
            return .alreadyExists(type: schema.name, identifier: identifier, field: field)
        case 405, 406, 411, 413, 414, 415, 431, 501: return .unsupported(said)
        case 429, 503:
            let pause = answer.response.http.retryAfter()
            // Who says when to come again has not begun.
            let isCertain = (status == 429 || pause != nil) && !answer.mayBeRepeated
            let wait = pause.map { "; it asks to wait for \($0)" } ?? ""
            return .unavailable(said + wait, isCertain ? .notApplied : unsure)
        case 300..<400:
            return .unavailable(said, answer.mayBeRepeated ? unsure : .notApplied)
        case 408: return .unavailable(said, answer.mayBeRepeated ? unsure : .notApplied)
        default: return .unavailable(said, 400..<500 ~= status ? .notApplied : unsure)
        }
    }
}
