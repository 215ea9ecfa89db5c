import ModelKitFields
import ModelKitModels
import ModelKitStores

extension RemoteUse {
    /// Statuses after which the record tells whether an attempt before has made the write.
    private static let refusals: Set<Int> = [400, 409, 412, 422]

    /// What a write that the server has refused fails with, unless it was made all the same.
    func failed(_ write: RemoteWrite, _ answer: RemoteAnswer) throws -> Promise<RecordReceipt> {
        guard let identifier = write.identifier else { throw error(of: answer, for: write) }
        let status = answer.status
        if write.isDeletion, [404, 410].contains(status), answer.mayBeRepeated {
            // What is gone since an earlier attempt is deleted.
            return .value(try receipt(of: answer, for: write))
        }
        let known = error(of: answer, for: write)
        let isMade = answer.mayBeRepeated && Self.refusals.contains(status)
        let isUnderWay = if status == 409, case .unavailable = known { true } else { false }
        let isOfKnown = write.kind == .update || write.isDeletion
        let isStale = isOfKnown && !isUnderWay && (status == 412 || status == 409)
        if case .conflict = known, !isMade { throw known }
        if case .alreadyExists(_, _, .some) = known, !isMade { throw known }
        guard isMade || isStale else { throw known }
        return current(write, identifier).recover { error in
            guard isMade else { throw error }
            throw StoreError.unavailable(
                "\(known.description), but it may be made already: \(error)",
                .unknown
            )
        }
        .map { [self] theirs in
            guard let theirs else {
                if isMade, write.isDeletion { return try receipt(of: answer, for: write) }
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
        let isTold = isTold(answer, identifier, isCreation)
        if isTold, dialect.isPlain, case .dictionary(let members)? = answer.response.value {
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
            issue.path = path(of: issue, schema)
            return issue
        }
        return error(of: answer, schema, identifier, problem?.message, issues, isCreation)
    }

    /// Where an issue is in a model: at the whole if it is where servers put messages, and no field has that
    /// name.
    private func path(of issue: Issue, _ schema: ModelSchema) -> FieldPath {
        if issue.path.components.count == 1, case .key(let name)? = issue.path.components.first,
            RESTProblem.wholeNames.contains(name),
            !schema.keys(in: context).contains(where: { $0.names.first == name })
        {
            return []
        }
        return schema.declaredPath(of: issue.path, in: context)
    }

    /// Whether a refusal is all that there is to say; else an attempt before may have been carried out, and
    /// no record tells.
    private func isTold(
        _ answer: RemoteAnswer,
        _ identifier: Identifier?,
        _ isCreation: Bool
    ) -> Bool {
        guard answer.mayBeRepeated, !answer.request.method.isSafe,
            400..<500 ~= answer.status, answer.status != 429
        else { return true }
        let isMissing = [404, 410].contains(answer.status) && !isCreation
        return identifier != nil && (isMissing || Self.refusals.contains(answer.status))
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
        if !isTold(answer, identifier, isCreation) { return .unavailable(said, .unknown) }
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
            // As long as the first request of a key is under way, which may be the one before this one.
            return .unavailable(said, unsure)
        case 409:
            let field = issues.first.flatMap { issue in
                schema.fields.first { $0.path == issue.path }?.key
            }
            guard let identifier else {
                if !issues.isEmpty { return .validation(issues) }
                return .unavailable(said, .notApplied)
            }
            return .alreadyExists(type: schema.name, identifier: identifier, field: field)
        case 405, 406, 411, 413, 414, 415, 431, 501: return .unsupported(said)
        case 429, 503:
            let pause = answer.response.http.retryAfter()
            // Who says when to come again has not begun.
            let isCertain = (status == 429 || pause != nil) && !answer.mayBeRepeated
            let wait = pause.map { "; it asks to wait for \($0)" } ?? ""
            return .unavailable(said + wait, isCertain ? .notApplied : unsure)
        // With others of the kind it was carried out, or may have been.
        case 307, 308: return .unavailable(said, answer.mayBeRepeated ? unsure : .notApplied)
        default: return .unavailable(said, 400..<500 ~= status ? .notApplied : unsure)
        }
    }
}
