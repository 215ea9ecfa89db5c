extension SchemaCompiler {
    /// Reads the keywords of the core vocabulary.
    mutating func readCore() {
        let unsupported = [
            "$dynamicRef", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties",
        ]
        for keyword in unsupported where members[keyword] != nil {
            refuse("unsupported", "is not supported", at: place(keyword))
        }
        if let draft = text("$schema"), draft != Self.draft, draft != Self.draft + "#" {
            refuse("unsupported", "is not draft 2020-12", at: place("$schema"))
        }
        if members["$id"] != nil, !self.path.isEmpty {
            let message = "is not supported but for the whole document"
            refuse("unsupported", message, at: place("$id"))
        }
        guard let reference = text("$ref") else { return }
        guard let fragment = fragment(of: reference) else {
            let message = "refers to another document: \(reference)"
            return refuse("unsupported", message, at: place("$ref"))
        }
        guard let (value, path) = target(of: fragment) else {
            return refuse("reference", "leads nowhere: \(reference)", at: place("$ref"))
        }
        keywords.append(.all([schema(value, at: path, isOfSameValue: true)]))
    }

    private static let draft = "https://json-schema.org/draft/2020-12/schema"

    /// What stands behind the `#` of a reference into this document.
    private func fragment(of reference: String) -> String? {
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let fragment = parts.count == 2 ? String(parts[1]) : ""
        if parts[0].isEmpty { return fragment.percentDecoded }
        guard case .dictionary(let members) = document, case .string(let own)? = members["$id"],
            own.prefix(while: { $0 != "#" }) == parts[0]
        else { return nil }
        return fragment.percentDecoded
    }

    /// The value that a fragment leads to: a JSON Pointer, or the name of an anchor.
    private func target(of fragment: String) -> (AttributeValue, FieldPath)? {
        if !fragment.isEmpty, !fragment.hasPrefix("/") { return anchor(fragment, in: document, []) }
        guard let pointer = try? FieldPath(jsonPointer: fragment) else { return nil }
        var value = document
        var path: FieldPath = []
        for step in pointer.components {
            switch (value, step) {
            case (.array(let elements), .index(let index)) where elements.indices.contains(index):
                value = elements[index]
                path = path.appending(index: index)
            case (.dictionary(let members), _):
                // A number is a name there, too.
                let name =
                    switch step {
                    case .key(let key): key
                    case .index(let index): "\(index)"
                    }
                guard let member = members[name] else { return nil }
                value = member
                path = path.appending(key: name)
            default: return nil
            }
        }
        return (value, path)
    }

    private func anchor(
        _ name: String,
        in value: AttributeValue,
        _ path: FieldPath
    ) -> (AttributeValue, FieldPath)? {
        guard case .dictionary(let members) = value else { return nil }
        if members["$anchor"] == .string(name) || members["$dynamicAnchor"] == .string(name) {
            return (value, path)
        }
        for (key, member) in members.sorted(by: { $0.key < $1.key }) {
            for (schema, path) in schemas(in: member, of: key, path.appending(key: key)) {
                if let found = anchor(name, in: schema, path) { return found }
            }
        }
        return nil
    }

    /// The schemas that a keyword has: what looks like one in a constant or a default value is none.
    private func schemas(
        in value: AttributeValue,
        of keyword: String,
        _ path: FieldPath
    ) -> [(AttributeValue, FieldPath)] {
        switch (keyword, value) {
        case ("properties", .dictionary(let schemas)),
            ("patternProperties", .dictionary(let schemas)),
            ("dependentSchemas", .dictionary(let schemas)), ("$defs", .dictionary(let schemas)),
            ("definitions", .dictionary(let schemas)):
            schemas.sorted { $0.key < $1.key }.map { ($1, path.appending(key: $0)) }
        case ("allOf", .array(let schemas)), ("anyOf", .array(let schemas)),
            ("oneOf", .array(let schemas)), ("prefixItems", .array(let schemas)):
            schemas.enumerated().map { ($1, path.appending(index: $0)) }
        case ("items", _), ("additionalProperties", _), ("contains", _), ("propertyNames", _),
            ("not", _), ("if", _), ("then", _), ("else", _):
            [(value, path)]
        default: []
        }
    }
}

extension String {
    /// The text that a part of a URI stands for; nil if it is none.
    fileprivate var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, !digits.contains(where: { $0 < UInt8(ascii: "0") }),
                let byte = UInt8(Substring(digits), radix: 16)
            else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
