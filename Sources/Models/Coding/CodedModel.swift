import ModelKitFields

/// The dictionary of a model, whose keys are names of properties, with what the schema says of each.
struct CodedModel<M: Model>: CodedForm {
    let attributeValue: AttributeValue

    init(attributeValue: AttributeValue) { self.attributeValue = attributeValue }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: CodedKey.self) {
            let registry = decoder.userInfo.context.registry
            let depth = decoder.codingPath.count
            let dictionary = try DeepStack.result(atDepth: depth) {
                try Self.decode(container, in: registry)
            }
            attributeValue = .dictionary(dictionary)
        } else {
            attributeValue = try AttributeValue(from: decoder)
        }
    }

    func encode(to encoder: any Encoder) throws {
        guard case .dictionary(let dictionary) = attributeValue else {
            return try attributeValue.encode(to: encoder)
        }
        let registry = encoder.userInfo.context.registry
        let schema = Self.schema(of: dictionary, in: registry)
        try DeepStack.result(atDepth: encoder.codingPath.count) {
            try schema.encode(dictionary, to: encoder, in: registry)
        }
    }

    /// Reads what the class that the dictionary is of says that there is.
    static func decode(
        _ container: KeyedDecodingContainer<CodedKey>,
        in registry: TransformerRegistry?
    ) throws -> AttributeDictionary {
        let members = M.schema.codedMembers(in: registry)
        let dictionary = try members.decode(container, isOpen: isOpen)
        let schema = isOpen ? schema(of: dictionary, in: registry) : M.schema
        if schema === M.schema { return dictionary }
        return try schema.codedMembers(in: registry)
            .decode(container, isOpen: true, known: (members, dictionary))
    }

    /// Of an object that may be of another class everything is of interest.
    private static var isOpen: Bool { M.self is ModelObject.Type }

    private static func schema(
        of dictionary: AttributeDictionary,
        in registry: TransformerRegistry?
    ) -> ModelSchema {
        var scope = ImportScope(in: registry)
        let type: any Model.Type = M.instanceType(for: dictionary, at: [], in: &scope) ?? M.self
        return type.schema
    }

    static var takesWideNumbers: Bool { true }

    static func use(of number: WideNumber) -> WideNumber.Use? {
        var schema = M.schema
        if isOpen, case .dictionary(let known)? = number.known {
            schema = number.schema { self.schema(of: known, in: number.registry) }
        }
        let members = schema.codedMembers(in: number.registry)
        if let (form, inner) = members.value(at: number) { return form.use(of: inner) }
        // A subclass may have the key; otherwise nobody reads it, so that it may be any number.
        return isOpen && number.known == nil ? nil : number.unread
    }
}

extension ModelSchema {
    /// Writes a dictionary of a model of the type.
    func encode(
        _ dictionary: AttributeDictionary,
        to encoder: any Encoder,
        in registry: TransformerRegistry?
    ) throws {
        var container = encoder.container(keyedBy: CodedKey.self)
        try codedMembers(in: registry).encode(dictionary, to: &container)
    }

    /// What stands at the keys of a model of the type.
    fileprivate func codedMembers(in registry: TransformerRegistry?) -> CodedMembers {
        let plan = plan(in: registry)
        func make() -> CodedMembers {
            // With those that the class adds to each of its objects.
            let all =
                zip(
                    plan.keys + plan.derivedKeys,
                    (fields + derivedFields).map { $0.field(in: prototype) }
                )
                + prototype.dynamicFields(in: registry, plan)
            return CodedMembers(
                all.map { key, field in (key.names[...], CodedForms.form(of: field, in: registry)) }
            )
        }
        if isProvisional { return make() }
        let key = ObjectIdentifier(plan)
        if let registry { return registry.plan(for: key, make: make) }
        return Self.members[key] ?? Self.members.keep(make(), for: key)
    }

    private static let members = TypeTable<CodedMembers>()
}

/// What stands at the keys of a model, or of a dictionary in it to which nested keys lead.
private final class CodedMembers: Sendable {
    private enum Content: Sendable {
        case value(any CodedForm.Type)
        case members(CodedMembers)
    }

    /// In the order of the schema.
    private let all: [(key: CodedKey, content: Content)]
    private let places: [String: Int]

    init(_ fields: [(names: ArraySlice<String>, form: any CodedForm.Type)]) {
        var all: [(key: CodedKey, content: Content)] = []
        var places: [String: Int] = [:]
        for (names, form) in fields {
            guard let name = names.first, places[name] == nil else { continue }
            places[name] = all.count
            let inner = names.count == 1 ? [] : fields.filter { $0.names.first == name }
            let content: Content =
                inner.isEmpty
                ? .value(form) : .members(CodedMembers(inner.map { ($0.dropFirst(), $1) }))
            all.append((CodedKey(stringValue: name), content))
        }
        self.all = all
        self.places = places
    }

    func encode(
        _ dictionary: AttributeDictionary,
        to container: inout KeyedEncodingContainer<CodedKey>
    ) throws {
        for (key, content) in all {
            guard let value = dictionary[key.stringValue] else { continue }
            switch (content, value) {
            case (.members(let members), .dictionary(let inner)):
                var nested = container.nestedContainer(keyedBy: CodedKey.self, forKey: key)
                try members.encode(inner, to: &nested)
            case (.members, _): try container.encode(value, forKey: key)
            case (.value(let form), _): try Self.encode(value, as: form, to: &container, key)
            }
        }
        // Fields that one object alone was given later, or of a subclass that the dictionary does not name.
        for name in dictionary.keys.filter({ places[$0] == nil }).sorted() {
            try container.encode(dictionary[name], forKey: CodedKey(stringValue: name))
        }
    }

    private static func encode<Form: CodedForm>(
        _ value: AttributeValue,
        as form: Form.Type,
        to container: inout KeyedEncodingContainer<CodedKey>,
        _ key: CodedKey
    ) throws { try container.encode(form.init(attributeValue: value), forKey: key) }

    /// Reads what stands at the keys, and where it is open at others, too.
    ///
    /// What was read by the members of another class is not read again where these are the same.
    func decode(
        _ container: KeyedDecodingContainer<CodedKey>,
        isOpen: Bool,
        known: (members: CodedMembers, values: AttributeDictionary)? = nil
    ) throws -> AttributeDictionary {
        var dictionary = known?.values ?? AttributeDictionary(minimumCapacity: all.count)
        for (key, content) in all where container.contains(key) {
            let name = key.stringValue
            let other = known?.members.content(at: name)
            switch content {
            case .value(let form):
                if case .value(let other)? = other, other == form { continue }
                dictionary[name] = try Self.decode(form, container, key)
            case .members(let members):
                guard
                    let nested = try? container.nestedContainer(
                        keyedBy: CodedKey.self,
                        forKey: key
                    )
                else {
                    dictionary[name] = try container.decode(AttributeValue.self, forKey: key)
                    continue
                }
                var before: (CodedMembers, AttributeDictionary)?
                if case (.members(let other)?, .dictionary(let values)?) = (other, dictionary[name])
                {
                    before = (other, values)
                }
                let inner = try members.decode(nested, isOpen: isOpen, known: before)
                dictionary[name] = .dictionary(inner)
            }
        }
        if !isOpen, dictionary.count == 1,
            let other = container.allKeys.first(where: { places[$0.stringValue] == nil })
        {
            // With nothing but the identifier it would be a reference.
            dictionary[other.stringValue] = .null
        }
        guard isOpen, known == nil else { return dictionary }
        for key in container.allKeys where places[key.stringValue] == nil {
            // What cannot be read without its type, a subclass may read that has the key.
            dictionary[key.stringValue] = try? container.decode(AttributeValue.self, forKey: key)
        }
        return dictionary
    }

    private func content(at name: String) -> Content? { places[name].map { all[$0].content } }

    private static func decode<Form: CodedForm>(
        _ form: Form.Type,
        _ container: KeyedDecodingContainer<CodedKey>,
        _ key: CodedKey
    ) throws -> AttributeValue { try container.decode(form, forKey: key).attributeValue }

    /// What stands where a number does, or around it, and the number as it is seen from there; nil at a
    /// key that no field has.
    func value(at number: WideNumber) -> (form: any CodedForm.Type, WideNumber)? {
        guard let (step, inner) = number.next else { return (AttributeValue.self, number) }
        guard case .key(let name) = step, let content = content(at: name) else { return nil }
        switch content {
        case .value(let form): return (form, inner)
        case .members(let members): return members.value(at: inner)
        }
    }
}
