/// Finds out what an answer says is wrong.
struct ProblemReader {
    private(set) var message: String?
    private(set) var issues: [Issue] = []
    /// Whether the members of a dictionary may be the names of fields.
    let mayBeFields: Bool
    /// Whether a text was read that is no message for certain, as one in a list is.
    private var hasBareTexts = false
    /// Where what was said; some servers say it twice.
    private var seen: Set<[String]> = []
    /// How many texts were read, also those that were said before.
    private var count = 0

    /// More than that nobody reads.
    private static let limit = (issues: 1_000, texts: 10_000, parts: 16)
    private static let depth = 16
    /// Names under which something is said of the whole, or under which the fields are.
    private static let wholes: Set<String> = [
        "non_field_errors", "nonFieldErrors", "__all__", "base", "_schema", "_errors", "formErrors",
        "fieldErrors",
    ]
    /// Names under which the issues are.
    private static let containers = [
        "errors", "issues", "violations", "fieldViolations", "invalid-params", "invalid_params",
        "extra", "detail", "message",
    ]

    private var isFull: Bool {
        issues.count >= Self.limit.issues || count >= Self.limit.texts
    }

    init(mayBeFields: Bool) { self.mayBeFields = mayBeFields }

    mutating func read(_ value: AttributeValue) {
        switch value {
        case .string(let text): message = text
        case .array(let elements): readList(elements)
        case .dictionary(let members): readProblem(members, beside: nil, mayBeFields: mayBeFields)
        default: break
        }
    }

    /// Reads what is said in one dictionary.
    ///
    /// - Parameters:
    ///   - members: The dictionary.
    ///   - outer: What is said of the whole around it.
    ///   - mayBeFields: Whether its members may be the names of fields.
    private mutating func readProblem(
        _ members: AttributeDictionary,
        beside outer: String?,
        mayBeFields: Bool
    ) {
        let own = members.words
        message = own ?? members.text("error") ?? members.text("title") ?? message
        let words = own ?? outer
        readContainers(of: members, Self.containers)
        if case .dictionary(let inner)? = members["error"] {
            // Texts beside a message are no fields.
            readProblem(inner, beside: words, mayBeFields: mayBeFields && inner.words == nil)
        }
        if issues.isEmpty { readValidation(members["validation"]) }
        if issues.isEmpty { readMore(members["details"], words, mayBeFields: self.mayBeFields) }
        if issues.isEmpty { readMore(members["data"], words, mayBeFields: true) }
        guard mayBeFields, issues.isEmpty else { return }
        readFields(Self.fields(of: members, message != nil), [], Self.depth)
        keep(words)
    }

    private mutating func readContainers(of members: AttributeDictionary, _ names: [String]) {
        for name in names {
            switch members[name] {
            case .array(let elements)? where name != "message" || elements.haveDictionaries:
                readList(elements)
            case .dictionary(let fields)? where name != "message" || members.words == nil:
                readFields(fields, [], Self.depth)
            default: break
            }
        }
    }

    /// Reads what is said of the parts of a request, of which only the body has fields: of hapi, and of
    /// celebrate, which has each part under its name.
    private mutating func readValidation(_ value: AttributeValue?) {
        guard case .dictionary(let validation)? = value else { return }
        let parts = validation["keys"] == nil ? validation : ["": .dictionary(validation)]
        // Each may have the message of the whole, and a request has but a few.
        for (_, part) in parts.sorted(by: { $0.key < $1.key }).prefix(Self.limit.parts) {
            guard case .dictionary(let members) = part, case .array(let keys)? = members["keys"],
                let text = members.text("message") ?? message
            else { continue }
            let isOfBody = ["body", "payload"].contains(members.text("source"))
            // Where there are several keys, there is one message of all.
            guard isOfBody, keys.count == 1, case .string(let key) = keys[0] else {
                add([], text, nil)
                continue
            }
            add(FieldPath(ofName: key), text, nil)
        }
    }

    /// Reads what is said beside a message of the whole, and may be something else than issues.
    private mutating func readMore(
        _ value: AttributeValue?,
        _ words: String?,
        mayBeFields: Bool
    ) {
        switch value {
        case .array(let elements)?:
            hasBareTexts = false
            readList(elements)
            if hasBareTexts || issues.allSatisfy(\.path.isEmpty) { keep(words) }
        case .dictionary(let members)?:
            readContainers(of: members, Self.containers + ["messages"])
            if issues.isEmpty, mayBeFields {
                hasBareTexts = false
                readFields(members, [], Self.depth)
                if hasBareTexts { keep(words) }
            }
        default: break
        }
    }

    /// Keeps what is said of the whole beside issues that need not be all that it stands for.
    private mutating func keep(_ words: String?) {
        guard let words, !issues.isEmpty, !issues.contains(where: { $0.message == words }) else {
            return
        }
        add([], words, nil)
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

    /// Issues one after the other, of what is at a path.
    private mutating func readList(_ elements: [AttributeValue], below start: FieldPath? = []) {
        for element in elements.prefix(Self.limit.issues) {
            switch element {
            case .string(let text): add(start, text, nil)
            case .dictionary(let members):
                let path = start.appending(members.placeOfIssue)
                let text = members.message ?? (path == [] ? nil : members.codeOfIssue)
                if let text {
                    add(path, text, members.codeOfIssue)
                } else {
                    readElement(members, path)
                }
            default: break
            }
        }
    }

    /// An element of a list that has no message itself.
    private mutating func readElement(_ members: AttributeDictionary, _ path: FieldPath?) {
        let before = count
        if members.text("property") != nil {
            // class-validator, which sends the value as well.
            if case .dictionary(let constraints)? = members["constraints"] {
                for (code, text) in constraints.sorted(by: { $0.key < $1.key }) {
                    if case .string(let text) = text { add(path, text, code) }
                }
            }
            if case .array(let children)? = members["children"] { readList(children, below: path) }
        }
        if count == before { readContainers(of: members, ["fieldViolations", "violations"]) }
        if count == before { readFields(members, path, Self.depth) }
    }

    /// Messages under the names of fields.
    private mutating func readFields(
        _ members: AttributeDictionary,
        _ path: FieldPath?,
        _ depth: Int
    ) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where name.first != "@" {
            let isWhole = Self.wholes.contains(name)
            readMessages(value, isWhole ? path : path.appending(FieldPath(ofName: name)), depth)
        }
    }

    private mutating func readMessages(
        _ value: AttributeValue,
        _ path: FieldPath?,
        _ depth: Int
    ) {
        guard depth > 0, !isFull else { return }
        switch value {
        case .string(let text):
            hasBareTexts = true
            add(path, text, nil)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                switch element {
                case .string(let text): add(path, text, nil)
                // Several messages of one value, and not what is wrong with several values.
                case .dictionary(let members) where members.isMessage:
                    readMessages(element, path, depth - 1)
                default: readMessages(element, path.appending([.index(index)]), depth - 1)
                }
            }
        case .dictionary(let members):
            guard let text = members.message else { return readFields(members, path, depth - 1) }
            if case .dictionary(let inner)? = members["errors"], !inner.isEmpty {
                // Mongoose, of a model in another one.
                return readFields(inner, path, depth - 1)
            }
            if members.isMessage || members.isMessageOfCommonName {
                return add(path, text, members.codeOfIssue)
            }
            readFields(members, path, depth - 1)
        default: break
        }
    }

    /// Keeps what is said of a path, or of the whole where that is too long for that of a field.
    private mutating func add(_ path: FieldPath?, _ text: String, _ code: String?) {
        guard !isFull else { return }
        count += 1
        let path = path ?? []
        guard seen.insert([path.description, text]).inserted else { return }
        issues.append(Issue(code: code ?? "server", path: path, message: text))
    }
}

/// Names of members of a message.
private enum Names {
    static let texts = [
        "detail", "message", "defaultMessage", "msg", "title", "reason", "error", "description",
    ]
    /// Those of texts that fields may have as well.
    static let common: Set<String> = ["title", "reason", "description"]
    /// Those of what is said beside a text.
    static let others: Set<String> = [
        "code", "kind", "path", "type", "rule", "param", "keyword", "validator",
    ]
}

extension AttributeDictionary {
    /// What is said of the whole, in a dictionary with its language by OData 3.
    fileprivate var words: String? {
        if case .dictionary(let members)? = self["message"], members["lang"] != nil,
            let text = members.text("value")
        {
            return text
        }
        return ["detail", "message", "error_description"].lazy.compactMap { text($0) }.first
    }

    /// The text for people.
    fileprivate var message: String? { Names.texts.lazy.compactMap { text($0) }.first }

    fileprivate var codeOfIssue: String? { text("code") ?? text("kind") }

    /// Whether it is one message, and its members are no fields with one each.
    fileprivate var isMessage: Bool {
        let hasText = Names.texts.contains { !Names.common.contains($0) && text($0) != nil }
        return hasText && (count <= 3 || Names.others.contains { text($0) != nil })
    }

    /// Whether it is one message by a name that a field may have as well.
    fileprivate var isMessageOfCommonName: Bool {
        keys.count(where: Names.common.contains) == 1
            && keys.allSatisfy { Names.common.contains($0) || Names.others.contains($0) }
    }

    /// Where an issue is, by the members that name it; nil where that is too long for the path of a field.
    fileprivate var placeOfIssue: FieldPath? {
        if case .dictionary(let source)? = self["source"] {
            if let pointer = source.text("pointer") { return FieldPath(ofDocument: pointer) }
            if let parameter = source.text("parameter") {
                return FieldPath([.key(parameter)]).ofField
            }
        }
        if let pointer = text("pointer") { return FieldPath(ofDocument: pointer) }
        for name in ["loc", "path"] {
            guard case .array(let parts)? = self[name] else { continue }
            let path = parts.compactMap { FieldPath.Component(json: $0, readsNumbers: true) }
            let isOfBody = name == "loc" && path.first == .key("body")
            return FieldPath(isOfBody ? Array(path.dropFirst()) : path).ofField
        }
        let names = ["field", "propertyPath", "property", "param", "key", "path", "name"]
        // That of a class of errors is the name of none.
        let name = names.lazy.compactMap { text($0) }
            .first { !$0.isEmpty && !$0.hasSuffix("Error") }
        guard let name else { return [] }
        return FieldPath(ofName: name)
    }
}

extension [AttributeValue] {
    fileprivate var haveDictionaries: Bool {
        contains { if case .dictionary = $0 { true } else { false } }
    }
}
