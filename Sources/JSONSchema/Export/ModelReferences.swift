import ModelKitModels

/// The models that a schema refers to, each once, and those of them that are still to be said: so
/// models that are in one another are no endless schema.
struct ModelReferences {
    /// A model whose schema is waited for.
    struct Waiting {
        let schema: ModelSchema
        let isValid: Bool
        let name: String
        /// Where it was met first.
        let path: FieldPath
    }

    private struct Key: Hashable {
        let type: ObjectIdentifier
        let isValid: Bool
    }

    private var places: [Key: String] = [:]
    private var names: Set<String> = []
    private var waiting: [Waiting] = []

    /// Takes a model, valid, for the schema as a whole.
    mutating func takeRoot(_ schema: ModelSchema) {
        places[Key(type: schema.type, isValid: true)] = "#"
    }

    /// A reference to the schema of a model, by its rules or by its form alone.
    mutating func reference(
        to schema: ModelSchema,
        isValid: Bool,
        at path: FieldPath
    ) -> SchemaNode {
        let key = Key(type: schema.type, isValid: isValid)
        if let place = places[key] { return SchemaNode(["$ref": .string(place)]) }
        let name = freeName((isValid ? "Valid" : "") + schema.name)
        places[key] = "#/$defs/" + name
        waiting.append(Waiting(schema: schema, isValid: isValid, name: name, path: path))
        return reference(to: schema, isValid: isValid, at: path)
    }

    /// The next one that is waited for.
    mutating func next() -> Waiting? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// A name that no other has, of what a URI and a JSON Pointer take without escapes.
    private mutating func freeName(_ text: String) -> String {
        let plain = text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }
            .joined()
        var name = plain
        var count = 1
        while !names.insert(name).inserted {
            count += 1
            name = "\(plain)\(count)"
        }
        return name
    }
}
