import ModelKitFields
import ModelKitEssentials

/// A type that coders know.
protocol NativeForm: AttributeConvertible, Codable {
    /// What an attribute value is; nil where it is of another kind.
    static func native(of value: AttributeValue) -> Self?

    /// Reads the value that stands there.
    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue

    static var takesWideNumbers: Bool { get }

    /// How a number is read of which a double may not keep all digits.
    static func use(of literal: String) -> WideNumber.Use
}

extension NativeForm {
    static func native(of value: AttributeValue) -> Self? {
        value.isOfKind(attributeKind) ? try? Self(attributeValue: value) : nil
    }

    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        try container.decode(Self.self).attributeValue
    }

    static var takesWideNumbers: Bool { false }
    static func use(of literal: String) -> WideNumber.Use { .exact }
}

// Coders know these types by themselves, which is quicker than as any type.

extension Bool: NativeForm {
    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        .bool(try container.decode(Bool.self))
    }
}

extension Int64: NativeForm {
    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        .int(try container.decode(Int64.self))
    }
}

extension String: NativeForm {
    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        .string(try container.decode(String.self))
    }
}

extension Data: NativeForm {}

extension Double: NativeForm {
    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        .double(try container.decode(Double.self))
    }

    static func use(of literal: String) -> WideNumber.Use { .nearest }
}

extension Date: NativeForm {
    static func native(of value: AttributeValue) -> Date? {
        // Of one that is too far away, or none, coders trap.
        if case .date(let date) = value, Timestamp.text(of: date) != nil { date } else { nil }
    }
}

extension UInt64: NativeForm {
    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        try container.decode(UInt64.self).attributeValue
    }

    static var takesWideNumbers: Bool { true }
    static func use(of literal: String) -> WideNumber.Use {
        UInt64(literal) == nil ? .exact : .text
    }
}

extension Decimal: NativeForm {
    static func native(of value: AttributeValue) -> Decimal? { nil }

    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        if let text = try? container.decode(String.self) { return .string(text) }
        return try container.decode(Decimal.self).attributeValue
    }

    static var takesWideNumbers: Bool { true }

    // One with too many digits is refused as a text; as a double it might be another number.
    static func use(of literal: String) -> WideNumber.Use {
        DecimalText(literal) == nil ? .exact : .text
    }
}
