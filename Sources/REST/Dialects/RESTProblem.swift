public import ModelKitFields

/// What a server says is wrong.
///
/// ```swift
/// dialect.problem = { response in
///     guard case .dictionary(let members)? = response.value,
///         case .string(let text)? = members["reason"]
///     else { return nil }
///     return RESTProblem(message: text)
/// }
/// ```
public struct RESTProblem: Hashable, Sendable {
    /// What it says of the whole.
    public var message: String?
    /// What it says of values, each with the path that it has in what was sent; the field whose name that is,
    /// is found by the store's `valueTransformerContext`.
    public var issues: [Issue]

    public init(message: String? = nil, issues: [Issue] = []) {
        self.message = message
        self.issues = issues
    }

    /// What is wrong, in whichever of the usual shapes a server says it.
    ///
    /// | shape | of |
    /// |---|---|
    /// | `{"errors": [{"pointer": "/name", "detail": "…"}]}`, `{"invalid-params": [{"name": "name", "reason": "…"}]}` | RFC 9457, RFC 7807 |
    /// | `{"errors": [{"source": {"pointer": "/data/attributes/name"}, "detail": "…"}]}` | JSON:API |
    /// | `{"name": ["…"], "address": {"city": ["…"]}, "non_field_errors": ["…"]}` | Django REST framework |
    /// | `{"errors": {"name": ["…"], "address.city": ["…"], "tags.0": ["…"]}}` | Rails, Laravel |
    /// | `{"data": {"name": {"code": "…", "message": "…"}}}` | PocketBase |
    /// | `{"extra": [{"key": "name", "message": "…"}]}` | Litestar |
    /// | `{"detail": [{"loc": ["body", "name"], "msg": "…"}]}` | FastAPI |
    /// | `{"issues": [{"path": ["tags", 0], "message": "…"}]}` | Zod |
    /// | `{"message": "…", "errors": [{"field": "name", "code": "…"}]}` | GitHub |
    /// | `{"message": ["…"], "error": "…"}` | NestJS |
    ///
    /// The members of a dictionary are taken for the names of fields only where the status is 400 or 422, and
    /// those with a text only where there is no message of the whole, as they tell of the request else.
    ///
    /// - Parameter response: The answer.
    /// - Returns: What it says; nil where it says nothing of the kind.
    public static func usual(_ response: RESTResponse) -> RESTProblem? {
        guard let value = response.value else { return nil }
        var reader = ProblemReader()
        reader.read(value, isOfFields: [400, 422].contains(response.http.status))
        if reader.message == nil, reader.issues.isEmpty { return nil }
        return RESTProblem(message: reader.message, issues: reader.issues)
    }

    /// Where servers put what they say of the whole, unless a field has that name.
    static let wholeNames: Set<String> = ["detail", "message", "error"]
}

/// Finds out what an answer says is wrong.
private struct ProblemReader {
    var message: String?
    var issues: [Issue] = []

    /// More than that nobody reads.
    private static let limit = 1_000
    private static let depth = 16
    /// Names under which something is said of the whole.
    private static let wholes: Set<String> = [
        "non_field_errors", "nonFieldErrors", "__all__", "base", "_schema", "_errors",
    ]
    private static let messages = [
        "detail", "message", "title", "msg", "reason", "error", "description",
    ]

    mutating func read(_ value: AttributeValue, isOfFields: Bool) {
        switch value {
        case .string(let text): message = text
        case .array(let elements): readList(elements)
        case .dictionary(let members):
            let words = ["detail", "message", "error_description"].lazy
                .compactMap { members.text($0) }.first
            message = words ?? members.text("error") ?? members.text("title") ?? message
            for name in ["errors", "issues", "invalid-params", "invalid_params", "extra", "detail"]
            {
                switch members[name] {
                case .array(let elements)?: readList(elements)
                case .dictionary(let fields)?: readFields(fields, [], Self.depth)
                default: break
                }
            }
            if case .dictionary(let inner)? = members["error"] {
                read(.dictionary(inner), isOfFields: false)
            }
            if issues.isEmpty, case .dictionary(let data)? = members["data"] {
                readFields(data, [], Self.depth)
            }
            guard isOfFields, issues.isEmpty else { return }
            readFields(Self.fields(of: members, message != nil), [], Self.depth)
            // Messages that are found so need not be all that the words stand for.
            if let words, !issues.isEmpty { add([], words, nil) }
        default: break
        }
    }

    /// The members that may be fields, with what is wrong with them.
    private static func fields(
        of members: AttributeDictionary,
        _ hasMessage: Bool
    ) -> AttributeDictionary {
        let known = ["status", "code", "type", "instance", "title"] + RESTProblem.wholeNames
        return members.filter { name, value in
            switch value {
            // A list is what is wrong with a field of that name.
            case .array: true
            case .string: !hasMessage && !known.contains(name)
            default: !known.contains(name)
            }
        }
    }

    /// Issues one after the other.
    private mutating func readList(_ elements: [AttributeValue]) {
        for element in elements.prefix(Self.limit) {
            switch element {
            case .string(let text): add([], text, nil)
            case .dictionary(let members):
                let path = Self.path(of: members)
                let code = members.text("code")
                if let text = Self.message(of: members) ?? (path.isEmpty ? nil : code) {
                    add(path, text, code)
                } else {
                    readFields(members, path, Self.depth)
                }
            default: break
            }
        }
    }

    /// Messages under the names of fields.
    private mutating func readFields(
        _ members: AttributeDictionary,
        _ path: FieldPath,
        _ depth: Int
    ) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let isWhole = Self.wholes.contains(name)
            readMessages(value, isWhole ? path : path.appending(FieldPath(ofName: name)), depth)
        }
    }

    private mutating func readMessages(
        _ value: AttributeValue,
        _ path: FieldPath,
        _ depth: Int
    ) {
        guard depth > 0, issues.count < Self.limit else { return }
        switch value {
        case .string(let text): add(path, text, nil)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                if case .string(let text) = element {
                    add(path, text, nil)
                } else {
                    readMessages(element, path.appending([.index(index)]), depth - 1)
                }
            }
        case .dictionary(let members):
            if let text = Self.message(of: members), members.count <= 3 {
                return add(path, text, members.text("code"))
            }
            readFields(members, path, depth - 1)
        default: break
        }
    }

    private mutating func add(_ path: FieldPath, _ text: String, _ code: String?) {
        guard issues.count < Self.limit else { return }
        issues.append(Issue(code: code ?? "server", path: path, message: text))
    }

    private static func message(of members: AttributeDictionary) -> String? {
        messages.lazy.compactMap { members.text($0) }.first
    }

    /// Where an issue is, by the members that name it.
    private static func path(of members: AttributeDictionary) -> FieldPath {
        if case .dictionary(let source)? = members["source"] {
            if let pointer = source.text("pointer") { return FieldPath(ofDocument: pointer) }
            if let parameter = source.text("parameter") { return [.key(parameter)] }
        }
        if let pointer = members.text("pointer") { return FieldPath(ofDocument: pointer) }
        for name in ["loc", "path"] {
            guard case .array(let parts)? = members[name] else { continue }
            let path = parts.compactMap(FieldPath.Component.init(location:))
            let isOfBody = name == "loc" && path.first == .key("body")
            return FieldPath(isOfBody ? Array(path.dropFirst()) : path)
        }
        return ["field", "name", "key", "path", "property"].lazy
            .compactMap { members.text($0) }.first { !$0.isEmpty }
            .map { FieldPath(ofName: $0) } ?? []
    }
}

extension FieldPath {
    /// The path of a name as servers write it: a pointer, or keys and numbers with dots between them.
    fileprivate init(ofName name: String) {
        guard !name.hasPrefix("/") else {
            self.init(pointerOfIssue: name)
            return
        }
        guard let path = try? FieldPath(parsing: name) else {
            self.init(key: name)
            return
        }
        self.init(
            path.components.map { component in
                guard case .key(let key) = component, let index = Int(strictly: key) else {
                    return component
                }
                return .index(index)
            }
        )
    }

    /// The path that a pointer has in a model, whatever JSON:API puts around it; also one that begins with
    /// `#`, as one in a URL does.
    fileprivate init(ofDocument pointer: String) {
        let pointer = pointer.hasPrefix("#") ? String(pointer.dropFirst()) : pointer
        var path = FieldPath(
            pointerOfIssue: pointer.hasPrefix("/") ? pointer : "/\(pointer)"
        )
        if path.components.first == .key("data") {
            let second = path.components.dropFirst().first
            let isOfDocument = second == .key("attributes") || second == .key("relationships")
            path = FieldPath(Array(path.components.dropFirst(isOfDocument ? 2 : 1)))
        }
        self = path
    }
}

extension FieldPath.Component {
    fileprivate init?(location: AttributeValue) {
        switch location {
        case .string(let name): self = .key(name)
        case .int(let index): self = .index(Int(truncatingIfNeeded: index))
        default: return nil
        }
    }
}
