import ModelKitValues

extension SchemaCompiler {
    /// The keywords of a schema, in the order in which they report.
    mutating func read(_ reader: inout SchemaReader) -> [SchemaKeyword] {
        switch reader.value {
        case .bool(true): return []
        case .bool(false): return [.nothing]
        case .dictionary: break
        default:
            refuse("schema", "must be an object, true or false", at: reader.path)
            return []
        }
        readCore(&reader)
        readTypes(&reader)
        readNumbers(&reader)
        readCounts(&reader)
        readText(&reader)
        readArrays(&reader)
        readObjects(&reader)
        readChoices(&reader)
        return reader.keywords
    }

    private mutating func readTypes(_ reader: inout SchemaReader) {
        if let value = reader.members["type"] {
            let names: [AttributeValue] =
                if case .array(let names) = value { names } else { [value] }
            let types = names.compactMap { name in
                if case .string(let name) = name { SchemaType(rawValue: name) } else { nil }
            }
            if types.isEmpty || types.count != names.count {
                refuse(
                    "schema",
                    "must be the name of a type or a list of them",
                    at: reader.place("type")
                )
            }
            reader.keywords.append(.types(types))
        }
        if let values = list(of: "enum", &reader) {
            reader.keywords.append(.values(values, isConstant: false))
        }
        if let value = reader.members["const"] {
            reader.keywords.append(.values([value], isConstant: true))
        }
    }

    private mutating func readNumbers(_ reader: inout SchemaReader) {
        for side in BoundSide.allCases {
            guard let bound = number(side.rawValue, &reader) else { continue }
            reader.keywords.append(.bound(bound, side))
        }
        if let divisor = number("multipleOf", &reader) {
            if divisor.order(to: .int(0)) == 1 {
                reader.keywords.append(.multiple(divisor))
            } else {
                refuse("schema", "must be greater than 0", at: reader.place("multipleOf"))
            }
        }
    }

    private mutating func readCounts(_ reader: inout SchemaReader) {
        for (keyword, rule) in Self.counts {
            if let count = count(keyword, &reader) { reader.keywords.append(rule(count)) }
        }
    }

    private mutating func readText(_ reader: inout SchemaReader) {
        if let source = text("pattern", &reader),
            let pattern = pattern(source, at: reader.place("pattern"))
        {
            reader.keywords.append(.text(.pattern(pattern)))
        }
        if let name = text("format", &reader), formats == .assertions,
            let rule = Self.formats[name],
            // HTML takes more than RFC 5321, `.a@b`: with its pattern the format is only a name.
            name != "email" || reader.members["pattern"] != .string(Constraint.emailPattern)
        {
            reader.keywords.append(.text(rule))
        }
    }

    private mutating func readArrays(_ reader: inout SchemaReader) {
        if case .bool(let isUnique)? = reader.members["uniqueItems"] {
            if isUnique { reader.keywords.append(.unique) }
        } else if reader.members["uniqueItems"] != nil {
            refuse("schema", "must be true or false", at: reader.place("uniqueItems"))
        }
        let first = schemas("prefixItems", &reader)
        let rest = child("items", &reader)
        if first != nil || rest != nil {
            reader.keywords.append(.elements(first: first ?? [], rest: rest))
        }
        let (min, max) = (count("minContains", &reader), count("maxContains", &reader))
        if let schema = child("contains", &reader) {
            reader.keywords.append(.contains(schema, min: min ?? 1, max: max))
        }
    }

    private mutating func readObjects(_ reader: inout SchemaReader) {
        if let names = reader.members["required"].map({ self.names($0, reader.place("required")) })
        {
            reader.keywords.append(.required(names))
        }
        if let members = object("dependentRequired", &reader) {
            let place = reader.place("dependentRequired")
            reader.keywords.append(
                .dependent(
                    members.sorted { $0.key < $1.key }.map { name, value in
                        (name, names(value, place.appending(key: name)))
                    }
                )
            )
        }
        if let names = child("propertyNames", &reader) { reader.keywords.append(.names(names)) }
        var members = SchemaMembers()
        members.named = children("properties", &reader)
        for (source, schema) in children("patternProperties", &reader) {
            let place = reader.place("patternProperties").appending(key: source)
            guard let pattern = pattern(source, at: place) else { continue }
            members.matching.append((pattern, schema))
        }
        members.others = child("additionalProperties", &reader)
        if !members.named.isEmpty || !members.matching.isEmpty || members.others != nil {
            reader.keywords.append(.members(members))
        }
        let dependents = children("dependentSchemas", &reader)
        if !dependents.isEmpty { reader.keywords.append(.dependentSchemas(dependents)) }
    }

    private mutating func readChoices(_ reader: inout SchemaReader) {
        if let schemas = schemas("allOf", &reader) { reader.keywords.append(.all(schemas)) }
        if let schemas = schemas("anyOf", &reader) { reader.keywords.append(.any(schemas)) }
        if let schemas = schemas("oneOf", &reader) { reader.keywords.append(.one(schemas)) }
        if let schema = child("not", &reader) { reader.keywords.append(.not(schema)) }
        let (then, otherwise) = (child("then", &reader), child("else", &reader))
        if let condition = child("if", &reader) {
            reader.keywords.append(.condition(condition, then: then, otherwise: otherwise))
        }
    }

    private static let counts: [(String, @Sendable (Int) -> SchemaKeyword)] = [
        ("minLength", { .text(.minLength($0, in: .scalars)) }),
        ("maxLength", { .text(.maxLength($0, in: .scalars)) }),
        ("minItems", { .count(.minItems($0)) }), ("maxItems", { .count(.maxItems($0)) }),
        ("minProperties", { .memberCount(.minItems($0)) }),
        ("maxProperties", { .memberCount(.maxItems($0)) }),
    ]

    private static let formats: [String: Rule<String>] = [
        "date": .date, "date-time": .dateTime, "time": .time, "duration": .duration,
        "email": .email(.rfc5321), "idn-email": .email(.international), "hostname": .hostname,
        "ipv4": .ipv4, "ipv6": .ipv6, "uri": .uri, "uri-reference": .uriReference, "uuid": .uuid,
        "json-pointer": .jsonPointer,
        "regex": Rule("must be a regular expression", code: "regex") { (try? Pattern($0)) != nil },
    ]
}
