public import ModelKitFields
public import ModelKitEssentials

/// What identifies a model among those of its type: a number or a text.
///
/// ```swift
/// let identifier: Identifier = 7
/// let other: Identifier = "B000944"
/// ```
///
/// A UUID is its text, as `uuidString` writes it. Texts are equal byte by byte, as in every store:
/// "é" written in two ways is two identifiers.
public enum Identifier: Hashable, Sendable {
    case int(Int64)
    case string(String)

    public init(_ uuid: UUID) { self = .string(uuid.uuidString) }
}

extension Identifier: AttributeConvertible {
    /// The identifier of an attribute; throws when it is neither an integer nor a text.
    public init(attributeValue: AttributeValue) throws(Issue) {
        switch attributeValue {
        case .int(let value): self = .int(value)
        case .string(let value): self = .string(value)
        default: throw .wrongType(attributeValue, expected: "an identifier")
        }
    }

    public var attributeValue: AttributeValue {
        switch self {
        case .int(let value): .int(value)
        case .string(let value): .string(value)
        }
    }

    /// It may be of either kind.
    public static var attributeKind: AttributeKind { .any }
}

extension Identifier: Codable {
    /// A number or a text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            self = .int(number)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .int(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        }
    }
}

extension Identifier {
    public static func == (left: Identifier, right: Identifier) -> Bool {
        switch (left, right) {
        case (.int(let left), .int(let right)): return left == right
        case (.string(var left), .string(var right)):
            return left.withUTF8 { left in right.withUTF8 { left.elementsEqual($0) } }
        default: return false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .int(let number): hasher.combine(number)
        case .string(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}

extension Identifier: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Identifier: CustomStringConvertible {
    /// The number or the text itself.
    public var description: String {
        switch self {
        case .int(let value): "\(value)"
        case .string(let value): value
        }
    }
}

/// What can stand for an identifier: an identifier, a text, a number, a UUID.
///
/// ```swift
/// let bioguide: String = "C000127"
/// let person = try await store.lookup(Person.self, identifier: bioguide).value
/// ```
public protocol IdentifierConvertible: Sendable {
    var identifier: Identifier { get }
}

extension Identifier: IdentifierConvertible {
    public var identifier: Identifier { self }
}

extension String: IdentifierConvertible {
    public var identifier: Identifier { .string(self) }
}

extension Int: IdentifierConvertible {
    public var identifier: Identifier { .int(Int64(self)) }
}

extension Int64: IdentifierConvertible {
    public var identifier: Identifier { .int(self) }
}

extension UUID: IdentifierConvertible {
    public var identifier: Identifier { Identifier(self) }
}
