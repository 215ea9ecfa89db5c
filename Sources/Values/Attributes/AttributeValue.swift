public import ModelKitEssentials

/// A value in the form that models, transformers and stores exchange.
///
/// It is what a field becomes in a dictionary, in JSON or in a column. Literals make one:
///
/// ```swift
/// let person: AttributeDictionary = ["name": "Ada", "age": 36, "tags": ["red", "blue"]]
/// ```
///
/// `.null` is a value that is known to be none; a key that is missing says nothing.
public enum AttributeValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case array([AttributeValue])
    case dictionary(AttributeDictionary)
}

/// The dictionary form of a model.
public typealias AttributeDictionary = [String: AttributeValue]

/// What kind of attribute values the values of a type become: what a store makes a column of.
///
/// ```swift
/// let isText = Person.schema.entry(named: "name")?.kind == .string
/// ```
public enum AttributeKind: Sendable, Hashable {
    case bool, int, double, string, data, date, array, dictionary
    /// A number as the shortest text of its digits, as a `Decimal` writes it: stores compare it as a number.
    case decimal
    /// An integer that is not negative: beyond `Int64.max` the text of its digits, which stores compare as a
    /// number, too.
    case unsigned
    /// A UUID as the text that `uuidString` writes: stores compare it as a text, and may keep its 16 bytes.
    case uuid
    /// It differs from value to value.
    case any
}

extension AttributeKind {
    /// The same where a UUID is a text like any other.
    package var withoutUUIDs: AttributeKind { self == .uuid ? .string : self }
}

extension AttributeValue {
    /// Whether it is `.null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// What kind of value it is, as error messages call it.
    public var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int: "an integer"
        case .double: "a number"
        case .string: "a string"
        case .data: "data"
        case .date: "a date"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

extension AttributeValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: AttributeValue...) { self = .array(elements) }

    /// Of a key that is written twice the last value counts, as in JSON.
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        self = .dictionary(AttributeDictionary(elements, uniquingKeysWith: { $1 }))
    }
}

extension AttributeValue: CustomStringConvertible {
    /// A short text for people: strings in quotes, dictionaries with sorted keys.
    public var description: String { text(atDepth: 0) }

    private func text(atDepth depth: Int) -> String {
        switch self {
        case .null: return "null"
        case .bool(let value): return "\(value)"
        case .int(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .string(let value): return value.debugDescription
        case .data(let value): return "\(value.count) bytes"
        // Foundation's own traps for NaN.
        case .date(let value): return Timestamp.text(of: value) ?? "a date that is too far away"
        case .array, .dictionary:
            var parts: [String] = []
            StackRoom.run(atDepth: depth) { parts = elementTexts(atDepth: depth + 1) }
            return "[" + parts.joined(separator: ", ") + "]"
        }
    }

    private func elementTexts(atDepth depth: Int) -> [String] {
        switch self {
        case .array(let values): values.map { $0.text(atDepth: depth) }
        case .dictionary(let values):
            values.sorted { $0.key < $1.key }
                .map { "\($0.key.debugDescription): \($0.value.text(atDepth: depth))" }
        default: []
        }
    }
}
