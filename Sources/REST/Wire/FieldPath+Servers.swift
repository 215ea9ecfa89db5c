extension FieldPath {
    /// How long the paths of fields may be: to find the field of a longer one takes long, and it is that of none.
    private static let most = (bytes: 1_000, components: 64)

    /// Itself; nil where it is too long for that of a field.
    var ofField: FieldPath? {
        if components.count > Self.most.components { return nil }
        let bytes = components.reduce(0) { count, component in
            if case .key(let key) = component { count + key.utf8.count } else { count }
        }
        return bytes > Self.most.bytes ? nil : self
    }

    /// The path of a name as servers write it: a pointer, keys and numbers with dots between them or in brackets,
    /// or a JSONPath, in which `$` is the whole.
    ///
    /// nil where the name is too long for that of a field.
    init?(ofName name: String) {
        guard name.utf8.count <= Self.most.bytes, let path = FieldPath(readingName: name).ofField
        else { return nil }
        self = path
    }

    private init(readingName name: String) {
        guard !name.hasPrefix("/") else {
            self.init(pointerOfIssue: name)
            return
        }
        var rest = name[...]
        if rest.first == "$", ["$", "$.", "$["].contains(rest.prefix(2)) {
            rest.removeFirst()
            if rest.first == "." { rest.removeFirst() }
        }
        var components = (try? FieldPath(parsing: String(rest)))?.components
        if components == nil, rest.contains("[") {
            // Keys in brackets, and maybe between quotation marks.
            components = rest.split { "[].'\"".contains($0) }.map { .key(String($0)) }
        }
        self.init(
            (components ?? [.key(name)]).map { component in
                guard case .key(let key) = component, let index = Int(strictly: key) else {
                    return component
                }
                return .index(index)
            }
        )
    }

    /// The path that a pointer has in a model, whatever JSON:API puts around it; also one that begins with
    /// `#`, as one in a URL does.
    ///
    /// nil where the pointer is too long for that of a field.
    init?(ofDocument pointer: String) {
        guard pointer.utf8.count <= Self.most.bytes else { return nil }
        let pointer = pointer.hasPrefix("#") ? String(pointer.dropFirst()) : pointer
        var path = FieldPath(
            pointerOfIssue: pointer.hasPrefix("/") ? pointer : "/\(pointer)"
        )
        if path.components.first == .key("data") {
            let second = path.components.dropFirst().first
            let isOfDocument = second == .key("attributes") || second == .key("relationships")
            path = FieldPath(Array(path.components.dropFirst(isOfDocument ? 2 : 1)))
        }
        guard let path = path.ofField else { return nil }
        self = path
    }
}

extension FieldPath? {
    /// The path of what is below it; nil where it is too long for that of a field, as is then all below.
    func appending(_ inner: FieldPath?) -> FieldPath? {
        guard let self, let inner else { return nil }
        return self.appending(inner).ofField
    }
}

extension FieldPath.Component {
    /// That of JSON; of servers that write all of them as texts, a number is an index as well.
    init?(json: AttributeValue, readsNumbers: Bool = false) {
        switch json {
        case .string(let name):
            let index = readsNumbers ? Int(strictly: name) : nil
            self = index.map { .index($0) } ?? .key(name)
        case .int(let index): self = .index(Int(truncatingIfNeeded: index))
        default: return nil
        }
    }
}
