/// A schema inside of a schema: its keywords.
struct SchemaNode: Hashable, Sendable {
    var keywords: AttributeDictionary

    init(_ keywords: AttributeDictionary = [:]) {
        self.keywords = keywords
    }

    static let anything = SchemaNode()
    static let nothing = SchemaNode(["not": [:]])
    static let null = SchemaNode(["type": "null"])
    static let notNull = SchemaNode(["not": ["type": "null"]])

    var value: AttributeValue { .dictionary(keywords) }

    /// One of several.
    static func any(_ schemas: [SchemaNode]) -> SchemaNode {
        if schemas.contains(anything) { return anything }
        var choices: [SchemaNode] = []
        for schema in schemas where schema != nothing && !choices.contains(schema) {
            choices.append(schema)
        }
        switch choices.count {
        case 0: return nothing
        case 1: return choices[0]
        default: return SchemaNode(["anyOf": .array(choices.map(\.value))])
        }
    }

    /// Demands another schema, too.
    mutating func formIntersection(_ other: SchemaNode) {
        if other == .anything || other == self { return }
        if self == .nothing || other == .nothing {
            self = .nothing
            return
        }
        if other.keywords.keys.contains(where: isEntangled) { return append(other.keywords) }
        var rest: AttributeDictionary = [:]
        for (key, value) in other.keywords {
            guard let mine = keywords[key] else {
                keywords[key] = value
                continue
            }
            if mine == value { continue }
            if let joined = Self.join(key, mine, value) {
                keywords[key] = joined
            } else {
                rest[key] = value
            }
        }
        if !rest.isEmpty { append(rest) }
    }

    func intersection(_ other: SchemaNode) -> SchemaNode {
        var result = self
        result.formIntersection(other)
        return result
    }

    /// Lets null through, which no other keyword than these keeps out.
    mutating func acceptNull() {
        if keywords["$ref"] != nil {
            self = SchemaNode(["anyOf": [["type": "null"], value]])
            return
        }
        switch keywords["type"] {
        case .array(let types)? where !types.contains("null"):
            keywords["type"] = .array(types + ["null"])
        case .string(let type)? where type != "null": keywords["type"] = [.string(type), "null"]
        default: break
        }
        if case .array(let values)? = keywords["enum"], !values.contains(.null) {
            keywords["enum"] = .array(values + [.null])
        }
    }

    private mutating func append(_ more: AttributeDictionary) {
        var all: [AttributeValue] = []
        if case .array(let known)? = keywords["allOf"] { all = known }
        keywords["allOf"] = .array(all + [.dictionary(more)])
    }

    /// Whether a keyword means something else beside one that is here.
    private func isEntangled(_ key: String) -> Bool {
        switch key {
        case "contains": keywords["contains"] != nil
        case "additionalProperties": keywords["properties"] != nil
        case "properties": keywords["additionalProperties"] != nil
        default: false
        }
    }
}

extension SchemaNode {
    private static let leasts: Set = [
        "minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum",
    ]
    private static let mosts: Set = [
        "maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum",
    ]

    /// What a keyword that is there twice says as one; nil if it cannot.
    private static func join(
        _ key: String,
        _ one: AttributeValue,
        _ other: AttributeValue
    ) -> AttributeValue? {
        switch (key, one, other) {
        case (_, .int(let one), .int(let other)) where leasts.contains(key):
            return .int(max(one, other))
        case (_, .int(let one), .int(let other)) where mosts.contains(key):
            return .int(min(one, other))
        case ("properties", .dictionary(let one), .dictionary(let other)):
            return .dictionary(one.merging(other, uniquingKeysWith: both))
        case ("items", _, _), ("additionalProperties", _, _), ("propertyNames", _, _):
            return both(one, other)
        case ("required", .array(let one), .array(let other)):
            return .array(one + other.filter { !one.contains($0) })
        case ("type", .string, .array(let types)): return types.contains(one) ? one : nil
        case ("type", .array(let types), .string): return types.contains(other) ? other : nil
        case ("allOf", .array(let one), .array(let other)): return .array(one + other)
        case ("enum", .array(let one), .array(let other)):
            if one.allSatisfy({ $0.isNull || other.contains($0) }) {
                return .array(one.filter(other.contains))
            }
            if other.allSatisfy({ $0.isNull || one.contains($0) }) {
                return .array(other.filter(one.contains))
            }
            return nil
        default: return nil
        }
    }

    private static func both(_ one: AttributeValue, _ other: AttributeValue) -> AttributeValue {
        guard case .dictionary(let one) = one, case .dictionary(let other) = other else {
            return ["allOf": [one, other]]
        }
        return SchemaNode(one).intersection(SchemaNode(other)).value
    }
}
