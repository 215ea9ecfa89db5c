import ModelKitFields

extension FieldPath {
    /// How long the paths of fields may be: to find the field of a longer one takes long, and it is that of none.
    private static let most = (bytes: 1_000, components: 64)

    /// Itself, or the path of the whole where it is too long for that of a field.
    var ofField: FieldPath {
        if components.count > Self.most.components { return [] }
        let bytes = components.reduce(0) { count, component in
            if case .key(let key) = component { count + key.utf8.count } else { count }
        }
        return bytes > Self.most.bytes ? [] : self
    }

    /// The path of a name as servers write it: a pointer, keys and numbers with dots between them or in brackets,
    /// or a JSONPath, in which `$` is the whole.
    ///
    /// It is that of the whole where the name is too long for that of a field.
    init(ofName name: String) {
        self = name.utf8.count > Self.most.bytes ? [] : FieldPath(readingName: name).ofField
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
    /// It is that of the whole where the pointer is too long for that of a field.
    init(ofDocument pointer: String) {
        guard pointer.utf8.count <= Self.most.bytes else {
            self.init()
            return
        }
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
    init?(location: AttributeValue) {
        switch location {
        case .string(let name): self = Int(strictly: name).map { .index($0) } ?? .key(name)
        case .int(let index): self = .index(Int(truncatingIfNeeded: index))
        default: return nil
        }
    }
}
