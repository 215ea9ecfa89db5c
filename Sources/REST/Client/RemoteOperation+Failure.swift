import ModelKitModels
import ModelKitStores

extension RemoteOperation {
    /// Statuses after which the record shows whether an attempt before has made the write.
    private static let refusals: Set<Int> = [400, 409, 412, 422]

    /// What a write that the server has refused fails with, unless it was made all the same.
    func failed(_ write: RemoteWrite, _ answer: RemoteAnswer) throws -> Promise<RecordReceipt> {
        let schema = write.schema
        let status = answer.status
        let known = error(of: answer, to: write)
        guard let identifier = write.identifier else { throw known }
        if write.isDeletion, answer.isMissing, answer.mayBeRepeated {
            // What is gone since an earlier attempt is deleted.
            return .value(try receipt(of: answer, for: write))
        }
        let isMade = answer.mayBeRepeated && Self.refusals.contains(status)
        let isOfKnown = write.kind == .update || write.isDeletion
        let isStale = isOfKnown && !isUnderWay(answer) && (status == 412 || status == 409)
        let isSaid =
            switch known {
            case .conflict, .alreadyExists(_, _, .some): true
            // Texts of the whole may be those of a conflict.
            case .validation(let issues): issues.contains { !$0.path.isEmpty }
            default: false
            }
        guard isMade || isStale && !isSaid else { throw known }
        let before = state[schema, identifier]
        return current(write, identifier).recover { error in
            // What was refused at the first attempt is not made, whatever there is.
            guard isMade else { throw known }
            throw StoreError.unavailable(
                "\(known.description), but it may be made already: \(error)",
                .unknown
            )
        }
        .map { [self] theirs in
            guard let theirs else {
                if isMade, write.isDeletion { return try receipt(of: answer, for: write) }
                // What the server says of it is more than that it is gone.
                if case .validation = known { throw known }
                if isStale {
                    throw StoreError.notFound(type: schema.name, identifier: identifier)
                }
                throw known
            }
            if isMade, !write.isDeletion, isWritten(write, in: theirs) {
                return RecordReceipt(of: theirs, isNew: write.isCreation)
            }
            guard isStale, status == 412 || isChanged(theirs, for: write, since: before) else {
                throw known
            }
            if isMade, !write.isDeletion {
                // It is what the server has made of the values, or somebody else's.
                throw StoreError.unavailable(
                    "\(known.description), but it may be made already, with other values",
                    .unknown
                )
            }
            if case .conflict = known { throw known }
            let (name, base) = (schema.name, write.expected ?? 0)
            throw StoreError.conflict(
                .init(theirs, identifier, of: name, base: base, mine: write.values)
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

    /// Whether a record has what a write was to set, as far as the server sends it.
    private func isWritten(_ write: RemoteWrite, in record: Record) -> Bool {
        // Nobody else has an identifier that was made here.
        if write.isCreation, !write.hasGivenIdentifier { return true }
        let identity = write.schema.identifier?.key
        let values = write.values.filter { $0.key != identity }
        let sent = values.filter { record.values[$0.key] != nil }
        return sent.allSatisfy { record.values[$0.key].map($0.value.isSame(as:)) ?? true }
            && (!sent.isEmpty || values.values.allSatisfy(\.isNull))
    }

    /// Whether a record is another version than the one that a write was made for, as far as that is known.
    ///
    /// Else a server that answers 409 has another reason.
    private func isChanged(
        _ record: Record,
        for write: RemoteWrite,
        since known: RemoteState.Tag?
    ) -> Bool {
        guard let expected = write.expected, record.revision != expected else { return false }
        if let tag = write.request.ifMatch {
            let now = state[write.schema, record.identifier]
            return now?.revision != record.revision || now?.tag != tag
        }
        return known.map { $0.revision != expected || $0.hash != 0 } ?? false
    }

    /// What an answer that is no success says.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - write: The write that is answered; of a batch, the one that it is about.
    ///   - batch: The types of several writes.
    /// - Returns: The error.
    func error(
        of answer: RemoteAnswer,
        to write: RemoteWrite? = nil,
        batch: [ModelSchema] = []
    ) -> StoreError {
        let asked = write?.request ?? answer.asked
        let schema = asked.schema
        let isFinal = isFinal(answer, batch.isEmpty ? asked.identifier : nil, write)
        if dialect.isPlain, case .dictionary(let members)? = answer.response.value {
            let coder = ProblemCoder(in: context, types: batch + [schema]) { [state, context] in
                state.coder($0, in: context)
            }
            let found = coder.error(
                of: members,
                of: schema,
                identifier: asked.identifier,
                mine: write?.values ?? [:],
                batch: batch
            )
            if let found = isFinal ? found : found?.afterOthers { return found }
        }
        var problem = dialect.problem(answer.response) ?? RESTProblem()
        for index in problem.issues.indices {
            let path = path(of: problem.issues[index], schema)
            problem.issues[index].path = path
            problem.issues[index].label = schema.label(of: path)
        }
        return error(of: answer, asked, reporting: problem, write, isFinal)
    }

    /// Where an issue is in a model: at the whole if it is where servers put messages, and no field has that
    /// name.
    ///
    /// Keys may be spelled as the server's own code has them, as by ASP.NET, and may stand behind other names: of
    /// a method and its parameter, as by Quarkus and Litestar, or of the model.
    private func path(of issue: Issue, _ schema: ModelSchema) -> FieldPath {
        // However deep what has messages is, too.
        var components = issue.path.ofField?.components ?? []
        if let name = issue.message.missingField { components.append(.key(name)) }
        let keys = schema.keys(in: context)
        if components.count == 1, case .key(let name)? = components.first,
            // The parameter of a method of Litestar that has the body.
            RESTProblem.wholeNames.contains(name) || name == "data",
            !keys.contains(where: { $0.names.first == name })
        {
            return []
        }
        let names = components.prefix(2).prefix { if case .key = $0 { true } else { false } }
        let start = (0...names.count).first { count in
            keys.index(of: components.dropFirst(count), ignoringCase: true) != nil
        }
        return schema.declaredPath(
            of: FieldPath(Array(components.dropFirst(start ?? 0))),
            in: context,
            ignoringCase: true
        )
    }

    /// Whether a refusal is all that there is to say; else an attempt before may have been carried out, and
    /// no record shows.
    private func isFinal(
        _ answer: RemoteAnswer,
        _ identifier: Identifier?,
        _ write: RemoteWrite?
    ) -> Bool {
        guard answer.mayBeRepeated, !answer.asked.method.isSafe else { return true }
        let isMissing = answer.isMissing && write?.isCreation != true
        return identifier != nil && (isMissing || Self.refusals.contains(answer.status))
    }

    /// Whether the first request of a key is under way at a server of our own, which may be the one before this.
    private func isUnderWay(_ answer: RemoteAnswer) -> Bool {
        dialect.isPlain && answer.status == 409
            && answer.response.value?.member(at: ["code"]) == "idempotency"
    }

    private func error(
        of answer: RemoteAnswer,
        _ asked: RemoteRequest,
        reporting problem: RESTProblem,
        _ write: RemoteWrite?,
        _ isFinal: Bool
    ) -> StoreError {
        let (status, schema, issues) = (answer.status, asked.schema, problem.issues)
        let text = [problem.message].compactMap { $0 } + issues.map(\.description)
        let more = text.isEmpty ? "" : ": \(text.joined(separator: "; "))"
        let message = "the server answered \(status)\(more)"
        let isRead = answer.asked.method.isSafe
        let isCreation = write?.isCreation ?? false
        let unsure: Outcome = isRead ? .notApplied : .unknown
        if !isFinal, status != 429, status != 503 { return .unavailable(message, .unknown) }
        switch status {
        case 400, 422: return issues.isEmpty ? .unsupported(message) : .validation(issues)
        case 401: return .unauthorized(message)
        case 403: return .forbidden(message)
        case 404, 410:
            guard let identifier = asked.identifier, !isCreation else {
                return .unsupported("there is no \(schema.name) at this address: \(message)")
            }
            return .notFound(type: schema.name, identifier: identifier)
        case 409 where isUnderWay(answer): return .unavailable(message, unsure)
        case 409:
            // What was made here nobody else has, so that there is another reason.
            guard let identifier = asked.identifier, isCreation, write?.hasGivenIdentifier == true
            else {
                return issues.isEmpty ? .unavailable(message, .notApplied) : .validation(issues)
            }
            let field = issues.first.flatMap { issue in
                schema.fields.first { $0.path == issue.path }?.key
            }
            return .alreadyExists(type: schema.name, identifier: identifier, field: field)
        case 405, 406, 411, 413, 414, 415, 431, 501: return .unsupported(message)
        case 429, 503:
            let pause = answer.response.http.retryAfter()
            // Who says when to come again has not begun.
            let isCertain = (status == 429 || pause != nil) && !answer.mayBeRepeated
            let wait = pause.map { "; it asks to wait for \($0)" } ?? ""
            return .unavailable(message + wait, isCertain ? .notApplied : unsure)
        // With others of the kind it was carried out, or may have been.
        case 307, 308: return .unavailable(message, answer.mayBeRepeated ? unsure : .notApplied)
        default: return .unavailable(message, 400..<500 ~= status ? .notApplied : unsure)
        }
    }
}

extension String {
    /// The field that msgspec, of Litestar, says is missing in the object that an issue is at.
    fileprivate var missingField: String? {
        let start = "Object missing required field `"
        guard hasPrefix(start) else { return nil }
        let name = dropFirst(start.count).prefix { $0 != "`" }
        return name.isEmpty || name.count > 100 ? nil : String(name)
    }
}

extension StoreError {
    /// What an answer of the store's own server says after an attempt that may have been carried out; nil where
    /// it says no outcome.
    fileprivate var afterOthers: StoreError? {
        switch self {
        case .unavailable(let text, .notApplied): .unavailable(text, .unknown)
        case .cancelled(.notApplied): .cancelled(.unknown)
        case .timedOut(.notApplied): .timedOut(.unknown)
        case .unavailable, .cancelled, .timedOut: self
        default: nil
        }
    }
}
