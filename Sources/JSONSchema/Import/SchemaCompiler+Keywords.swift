extension SchemaCompiler {
    /// Reads the keywords of a schema, in the order in which they report.
    mutating func readKeywords() {
        readCore()
        readTypes()
        readNumbers()
        readCounts()
        readText()
        readArrays()
        readObjects()
        readChoices()
    }

    private mutating func readTypes() {
        if let value = members["type"] {
            let names: [AttributeValue] =
                if case .array(let names) = value { names } else { [value] }
            let types = names.compactMap { name in
                if case .string(let name) = name { SchemaType(rawValue: name) } else { nil }
            }
            if types.isEmpty || types.count != names.count {
                let message = "must be the name of a type or a list of them"
                refuse("schema", message, at: place("type"))
            }
            keywords.append(.types(types))
        }
        if let values = list(of: "enum") {
            keywords.append(.values(values, isConstant: false))
        }
        if let value = members["const"] {
            keywords.append(.values([value], isConstant: true))
        }
    }

    private mutating func readNumbers() {
        for side in BoundSide.allCases {
            guard let bound = number(side.rawValue) else { continue }
            keywords.append(.bound(bound, side))
        }
        if let divisor = number("multipleOf") {
            if divisor.order(to: .int(0)) == 1 {
                keywords.append(.multiple(divisor))
            } else {
                refuse("schema", "must be greater than 0", at: place("multipleOf"))
            }
        }
    }

    private mutating func readCounts() {
        for (keyword, rule) in Self.counts {
            if let count = count(keyword) { keywords.append(rule(count)) }
        }
    }

    private mutating func readText() {
        if let source = text("pattern"), let pattern = pattern(source, at: place("pattern")) {
            keywords.append(.text(.pattern(pattern)))
        }
        if let name = text("format"), formats == .assertions,
            let rule = Self.formats[name],
            // HTML takes more than RFC 5321, `.a@b`: with its pattern the format is only a name.
            name != "email" || members["pattern"] != .string(Constraint.emailPattern)
        {
            keywords.append(.text(rule))
        }
    }

    private mutating func readArrays() {
        if case .bool(let isUnique)? = members["uniqueItems"] {
            if isUnique { keywords.append(.unique) }
        } else if members["uniqueItems"] != nil {
            refuse("schema", "must be true or false", at: place("uniqueItems"))
        }
        let first = schemas("prefixItems")
        let rest = child("items")
        if first != nil || rest != nil {
            keywords.append(.elements(first: first ?? [], rest: rest))
        }
        let (min, max) = (count("minContains"), count("maxContains"))
        if let schema = child("contains") {
            keywords.append(.contains(schema, min: min ?? 1, max: max))
        }
    }

    private mutating func readObjects() {
        if let value = members["required"] {
            keywords.append(.required(names(value, place("required"))))
        }
        if let members = object("dependentRequired") {
            let place = place("dependentRequired")
            keywords.append(
                .dependent(
                    members.sorted { $0.key < $1.key }.map { name, value in
                        (name, names(value, place.appending(key: name)))
                    }
                )
            )
        }
        if let names = child("propertyNames") { keywords.append(.names(names)) }
        var rules = SchemaMembers()
        rules.named = children("properties")
        for (source, schema) in children("patternProperties") {
            let place = place("patternProperties").appending(key: source)
            guard let pattern = pattern(source, at: place) else { continue }
            rules.matching.append((pattern, schema))
        }
        rules.others = child("additionalProperties")
        if !rules.named.isEmpty || !rules.matching.isEmpty || rules.others != nil {
            keywords.append(.members(rules))
        }
        let dependents = children("dependentSchemas")
        if !dependents.isEmpty { keywords.append(.dependentSchemas(dependents)) }
    }

    private mutating func readChoices() {
        if let schemas = schemas("allOf") { keywords.append(.all(schemas)) }
        if let schemas = schemas("anyOf") { keywords.append(.any(schemas)) }
        if let schemas = schemas("oneOf") { keywords.append(.one(schemas)) }
        if let schema = child("not") { keywords.append(.not(schema)) }
        let (then, otherwise) = (child("then"), child("else"))
        if let condition = child("if") {
            keywords.append(.condition(condition, then: then, otherwise: otherwise))
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
