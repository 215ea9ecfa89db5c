/// What a rule demands, as data: for a JSON Schema, for the `maxlength` of an input, for a label's
/// asterisk.
///
/// ```swift
/// Rule<String>.length(3...20).constraint   // .all([.minLength(3), .maxLength(20)])
/// ```
///
/// Of nil only `.required` and `.notBlank` say anything; the others are about a value that is there.
public indirect enum Constraint: Hashable, Sendable {
    /// Something that only the rule's code knows.
    case opaque

    case required
    case notBlank

    /// Lengths of text, in characters.
    case minLength(Int)
    case maxLength(Int)

    case minItems(Int)
    case maxItems(Int)
    case uniqueItems

    case minimum(AttributeValue)
    case maximum(AttributeValue)
    case exclusiveMinimum(AttributeValue)
    case exclusiveMaximum(AttributeValue)
    case multipleOf(AttributeValue)

    /// A regular expression that is found somewhere in the text, in the dialect of ECMA-262.
    case pattern(String)

    /// A format by its name in JSON Schema: "email", "uri", "uuid", "date".
    case format(String)

    case oneOf([AttributeValue])

    /// All of them hold; of an empty list always.
    case all([Constraint])

    /// At least one of them holds.
    case any([Constraint])

    case not(Constraint)

    /// About the property of that name.
    case property(String, Constraint)

    /// About every element.
    case items(Constraint)
}

extension Constraint {
    /// All of them, conjunctions among them taken apart; one alone is itself.
    @usableFromInline
    package init(all parts: [Constraint]) {
        let flat = parts.flatMap { part in
            if case .all(let inner) = part { inner } else { [part] }
        }
        self = flat.count == 1 ? flat[0] : .all(flat)
    }
}
