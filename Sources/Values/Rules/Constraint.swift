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

    /// Lengths of text.
    case minLength(Int, in: TextUnit = .characters)
    case maxLength(Int, in: TextUnit = .characters)

    /// A text begins with another, ends with it or has it somewhere, by the equality of characters.
    case prefix(String)
    case suffix(String)
    case contains(String)

    /// Numbers of elements: of arrays, sets and dictionaries.
    case minItems(Int)
    case maxItems(Int)
    case uniqueItems

    /// So many elements at least, and if there is a limit so many at most, satisfy another one.
    case containsItems(Constraint, min: Int, max: Int?)

    case minimum(AttributeValue)
    case maximum(AttributeValue)
    case exclusiveMinimum(AttributeValue)
    case exclusiveMaximum(AttributeValue)
    case multipleOf(AttributeValue)

    /// So many decimal digits before the point and after it, at most.
    case digits(integer: Int, fraction: Int)

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

    /// About every key of a dictionary.
    case keys(Constraint)

    /// About every value of a dictionary.
    case values(Constraint)

    /// What the fields of a model demand themselves.
    case valid
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

    /// What HTML takes as an email address, which the format of that name of JSON Schema does not all.
    package static let emailPattern =
        "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@"
        + #"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"#
        + #"(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$"#

    /// Unicode's White_Space, for the inside of a class of a regular expression.
    ///
    /// `\s` has U+FEFF, which is none, and not U+0085.
    package static let whiteSpace =
        #"\t-\r \x85\xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000"#

    /// Whether it is known to refuse nil.
    package var refusesNil: Bool {
        switch self {
        case .required, .notBlank: true
        case .all(let parts): parts.contains(where: \.refusesNil)
        case .any(let parts): !parts.isEmpty && parts.allSatisfy(\.refusesNil)
        default: false
        }
    }
}
