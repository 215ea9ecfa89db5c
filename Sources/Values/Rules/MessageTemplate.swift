/// A message of an author's, with places for what an issue or its rule has as parameters.
struct MessageTemplate: Sendable {
    private let text: String
    /// What the rule demands, whose bounds have places, too: of `3...20` an issue has only the one that was passed.
    private let constraint: (@Sendable () -> Constraint)?

    init(_ text: String, bounds constraint: (@Sendable () -> Constraint)? = nil) {
        (self.text, self.constraint) = (text, constraint)
    }

    /// The text for the parameters of an issue.
    func filled(with parameters: [String: AttributeValue]) -> String {
        guard text.utf8.contains(UInt8(ascii: "{")) else { return text }
        var result = ""
        var rest = text[...]
        while let brace = rest.firstIndex(of: "{") {
            result += rest[..<brace]
            rest = rest[rest.index(after: brace)...]
            if rest.first == "{" {
                result += "{"
                rest.removeFirst()
            } else if let end = rest.firstIndex(of: "}"),
                let value = value(of: String(rest[..<end]), parameters)
            {
                result += value.phrase
                rest = rest[rest.index(after: end)...]
            } else {
                result += "{"
            }
        }
        return result + rest
    }

    private func value(
        of name: String,
        _ parameters: [String: AttributeValue]
    ) -> AttributeValue? {
        parameters[name] ?? constraint?().bounds[name]
    }
}

extension Issue {
    /// Has a message of an author's, for its parameters.
    mutating func say(_ template: MessageTemplate) {
        message = template.filled(with: parameters)
    }
}

extension Constraint {
    /// The bounds of the value itself, by the names that they have as parameters; none where there are
    /// two of a name.
    fileprivate var bounds: [String: AttributeValue] {
        let parts = if case .all(let parts) = self { parts } else { [self] }
        let all = parts.compactMap { part -> (String, AttributeValue)? in
            switch part {
            case .minLength(let count, _), .minItems(let count): ("min", .int(Int64(count)))
            case .maxLength(let count, _), .maxItems(let count): ("max", .int(Int64(count)))
            case .minimum(let bound), .exclusiveMinimum(let bound): ("min", bound)
            case .maximum(let bound), .exclusiveMaximum(let bound): ("max", bound)
            default: nil
            }
        }
        return Dictionary(grouping: all, by: \.0).filter { $1.count == 1 }.mapValues { $0[0].1 }
    }
}
