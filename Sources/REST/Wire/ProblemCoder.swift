package import ModelKitFields
package import ModelKitModels
package import ModelKitStores

/// Turns the errors of stores into problems and back.
///
/// What was `mine` in a conflict is not sent back to whom it came from; nor are the texts of errors that are
/// about the server itself.
package struct ProblemCoder: Sendable {
    private let context: ValueTransformerContext
    /// Gives the coder of a type.
    package let coder: @Sendable (ModelSchema) -> RecordCoder
    private let types: [String: ModelSchema]

    /// - Parameters:
    ///   - context: How models are written.
    ///   - types: The types of models that errors are about.
    ///   - coder: Gives the coder of a type.
    package init(
        in context: ValueTransformerContext,
        types: [ModelSchema],
        coder: (@Sendable (ModelSchema) -> RecordCoder)? = nil
    ) {
        self.context = context
        self.types = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
        self.coder = coder ?? { RecordCoder($0, in: context) }
    }

    /// The problem that an error is.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - schema: The type of the model that issues are about.
    ///   - batch: The types of the models of a batch, by whose indexes the paths of issues begin.
    /// - Returns: The problem.
    package func problem(
        of error: StoreError,
        of schema: ModelSchema? = nil,
        batch: [ModelSchema] = []
    ) -> Problem {
        var problem = Problem(Self.status(of: error), code: error.code)
        switch error {
        case .notFound(let type, let identifier):
            problem.note(type, identifier)
        case .alreadyExists(let type, let identifier, let field):
            problem.note(type, identifier)
            if let field {
                let key = try? types[type]?.wireKey(of: field, in: context)
                problem.members["field"] = .array((key ?? field).names.map { .string($0) })
            }
        case .conflict(let conflict):
            problem.note(conflict.type, conflict.identifier)
            problem.members["base"] = .int(conflict.base)
            if let schema = types[conflict.type] {
                problem.members["current"] = current(conflict.theirs, of: schema)
            }
        case .validation(let issues):
            if let schema { problem.members["model"] = .string(schema.name) }
            problem.members["issues"] = .array(
                issues.prefix(Problem.mostIssues).map { json(of: $0, schema, batch) }
            )
        case .noIdentifier(let type):
            problem.members["model"] = .string(type)
        case .unsupported(let reason):
            problem.members["detail"] = .string(reason)
        case .unavailable(_, let outcome), .cancelled(let outcome), .timedOut(let outcome):
            problem.members["outcome"] = .string(outcome.name)
        // The server's own store may not do it, which is not about whose request it is.
        case .unauthorized, .forbidden: problem.members["code"] = "internal"
        default: break
        }
        return problem
    }

    /// The record of a conflict; null where it cannot be written.
    private func current(_ record: Record, of schema: ModelSchema) -> AttributeValue {
        let (coder, models) = (coder(schema), ScratchModels())
        defer { withExtendedLifetime(models) {} }
        guard let model = try? coder.model(of: record, in: models) else { return .null }
        var object = coder.object(of: model)
        object[RecordNote.member] = .dictionary(RecordNote(of: record).object)
        return .dictionary(object)
    }

    private func json(
        of issue: Issue,
        _ schema: ModelSchema?,
        _ batch: [ModelSchema]
    ) -> AttributeValue {
        var (path, schema, number) = (issue.path, schema, nil as Int?)
        if case .index(let index)? = path.components.first, batch.indices.contains(index) {
            path.components.removeFirst()
            (schema, number) = (batch[index], index)
        }
        let wirePath = schema?.wirePath(of: path, in: context) ?? path
        var members = Self.object(of: issue, at: wirePath)
        if let number { members["index"] = .int(Int64(number)) }
        return .dictionary(members)
    }

    /// An issue whose path is that of the JSON already.
    package static func object(of issue: Issue, at path: FieldPath) -> AttributeDictionary {
        var members: AttributeDictionary = [
            "pointer": .string(path.jsonPointer), "code": .string(issue.code),
            "message": .string(issue.message),
        ]
        // A pointer does not distinguish the key "0" from the first element.
        if path.components.contains(where: \.looksLikeIndex) {
            members["path"] = .array(path.components.map(\.json))
        }
        if !issue.parameters.isEmpty {
            members["parameters"] = .dictionary(issue.parameters.mapValues(StoredJSON.tagged))
        }
        if issue.severity != .error {
            members["severity"] = issue.severity == .info ? "info" : "warning"
        }
        return members
    }

    private static func status(of error: StoreError) -> Int {
        switch error {
        case .notFound: 404
        case .alreadyExists: 409
        case .conflict: 412
        case .validation: 422
        case .noIdentifier, .unsupported: 400
        case .unavailable, .cancelled: 503
        case .timedOut: 504
        default: 500
        }
    }

    /// The error that a problem is; nil if it is none of a store.
    ///
    /// - Parameters:
    ///   - problem: The members of the problem.
    ///   - schema: The type that the request was about.
    ///   - identifier: The identifier that it was about, where the problem names none.
    ///   - mine: What the request was to set.
    ///   - batch: The types of the models of a batch.
    /// - Returns: The error.
    package func error(
        of problem: AttributeDictionary,
        of schema: ModelSchema,
        identifier: Identifier? = nil,
        mine: [FieldKey: AttributeValue] = [:],
        batch: [ModelSchema] = []
    ) -> StoreError? {
        let model = problem.text("model")
        let schema = model.flatMap { types[$0] } ?? schema
        let type = model ?? schema.name
        let named = problem["identifier"].flatMap { try? Identifier(attributeValue: $0) }
        let identifier = named ?? identifier ?? ""
        let outcome = problem.text("outcome").flatMap(Outcome.init(name:)) ?? .unknown
        let detail = problem.text("detail") ?? problem.text("title") ?? "the server has failed"
        switch problem.text("code") {
        case "notFound": return .notFound(type: type, identifier: identifier)
        case "alreadyExists":
            let field = problem["field"].flatMap { try? schema.field(of: $0, in: context) }
            return .alreadyExists(type: type, identifier: identifier, field: field)
        case "conflict":
            guard case .dictionary(var current)? = problem["current"],
                let note = RecordNote.take(from: &current), let revision = note.revision,
                var found = try? coder(schema).read(current)
            else { return nil }
            found.complete()
            let place = note.place ?? 0
            let theirs = found.record(identifier, revision: revision, place: place, members: [:])
            var base: Int64 = 0
            if case .int(let known)? = problem["base"] { base = known }
            return .conflict(.init(theirs, of: type, base: base, mine: mine))
        case "validation":
            guard case .array(let issues)? = problem["issues"] else { return nil }
            return .validation(issues.compactMap { issue(of: $0, schema, batch) })
        case "noIdentifier": return .noIdentifier(type: type)
        case "unsupported": return .unsupported(detail)
        case "unavailable": return .unavailable(detail, outcome)
        case "cancelled": return .cancelled(outcome)
        case "timedOut": return .timedOut(outcome)
        case "unauthorized": return .unauthorized(detail)
        case "forbidden": return .forbidden(detail)
        case "decoding": return .decoding(type: type, identifier: identifier, [])
        case "corrupt": return .corrupt(detail)
        case "schema": return .schema(detail)
        default: return nil
        }
    }

    private func issue(
        of json: AttributeValue,
        _ schema: ModelSchema,
        _ batch: [ModelSchema]
    ) -> Issue? {
        guard case .dictionary(let members) = json else { return nil }
        var (schema, start) = (schema, FieldPath())
        if case .int(let number)? = members["index"], let index = Int(exactly: number) {
            start = [.index(index)]
            if batch.indices.contains(index) { schema = batch[index] }
        }
        var path = FieldPath()
        if case .array(let components)? = members["path"] {
            path.components = components.compactMap { FieldPath.Component(json: $0) }
        } else if let pointer = members.text("pointer") {
            path = FieldPath(pointerOfIssue: pointer)
        }
        var parameters: AttributeDictionary = [:]
        if case .dictionary(let found)? = members["parameters"] {
            parameters = found.mapValues(StoredJSON.untagged)
        }
        let severities: [String: Issue.Severity] = ["warning": .warning, "info": .info]
        let declared = schema.declaredPath(of: path.ofField ?? [], in: context)
        var issue = Issue(
            code: members.text("code") ?? "custom",
            path: declared,
            message: members.text("message") ?? members.text("detail") ?? "is not valid",
            parameters: parameters,
            severity: members.text("severity").flatMap { severities[$0] } ?? .error
        )
        issue.label = schema.label(of: declared)
        return issue.prefixed(by: start)
    }
}

extension Problem {
    package mutating func note(_ type: String, _ identifier: Identifier?) {
        members["model"] = .string(type)
        members["identifier"] = identifier?.attributeValue
    }
}

extension StoreError.Conflict {
    package init(
        _ theirs: Record,
        _ identifier: Identifier? = nil,
        of type: String,
        base: Int64,
        mine: [FieldKey: AttributeValue] = [:]
    ) {
        let own = identifier ?? theirs.identifier
        self.init(type: type, identifier: own, base: base, mine: mine, theirs: theirs)
    }
}

extension Outcome {
    /// What it is called over the wire.
    package var name: String {
        switch self {
        case .notApplied: "notApplied"
        case .applied: "applied"
        case .unknown: "unknown"
        }
    }

    init?(name: String) {
        let found = [Outcome.notApplied, .applied, .unknown].first { $0.name == name }
        guard let found else { return nil }
        self = found
    }
}

extension AttributeDictionary {
    /// The text of a member.
    func text(_ name: String) -> String? {
        if case .string(let text)? = self[name] { text } else { nil }
    }
}

extension FieldPath.Component {
    fileprivate var looksLikeIndex: Bool {
        if case .key(let key) = self, Int(key).map(String.init) == key { true } else { false }
    }

    fileprivate var json: AttributeValue {
        switch self {
        case .key(let key): .string(key)
        case .index(let index): .int(Int64(index))
        }
    }
}

extension FieldPath {
    /// The path of a JSON Pointer (RFC 6901), in which a number is an index.
    init(pointerOfIssue pointer: String) {
        let parts = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        self.init(
            parts.map { part in
                if let index = Int(part), String(index) == part { return .index(index) }
                return .key(
                    String(part).replacing("~1", with: "/").replacing("~0", with: "~")
                )
            }
        )
    }
}
