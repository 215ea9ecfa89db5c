import ModelKitFields

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type that coders know.
protocol NativeForm: Codable, Sendable {
    /// What an attribute value is; nil where it is of another kind.
    static func native(of value: AttributeValue) -> Self?

    /// Reads the value that stands there.
    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue

    static var takesWideNumbers: Bool { get }

    /// How a number is read of which a double may not keep all digits.
    static func use(of literal: String) -> WideNumber.Use
}

extension NativeForm {
    static var takesWideNumbers: Bool { false }
    static func use(of literal: String) -> WideNumber.Use { .exact }
}

extension Bool: NativeForm {
    static func native(of value: AttributeValue) -> Bool? {
        if case .bool(let value) = value { value } else { nil }
    }

    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        .bool(try container.decode(Bool.self))
    }
}

extension Int64: NativeForm {
    static func native(of value: AttributeValue) -> Int64? {
        if case .int(let value) = value { value } else { nil }
    }

    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        .int(try container.decode(Int64.self))
    }
}

extension Double: NativeForm {
    static func native(of value: AttributeValue) -> Double? {
        if case .double(let value) = value { value } else { nil }
    }

    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        .double(try container.decode(Double.self))
    }

    static func use(of literal: String) -> WideNumber.Use { .nearest }
}

extension String: NativeForm {
    static func native(of value: AttributeValue) -> String? {
        if case .string(let value) = value { value } else { nil }
    }

    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        .string(try container.decode(String.self))
    }
}

extension Date: NativeForm {
    static func native(of value: AttributeValue) -> Date? {
        // Of one that is too far away, or none, coders trap.
        if case .date(let date) = value, Timestamp.text(of: date) != nil { date } else { nil }
    }

    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        .date(try container.decode(Date.self))
    }
}

extension Data: NativeForm {
    static func native(of value: AttributeValue) -> Data? {
        if case .data(let data) = value { data } else { nil }
    }

    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        .data(try container.decode(Data.self))
    }
}

/// Beyond `Int64` the attribute value is a text, but a coder has a number.
extension UInt64: NativeForm {
    static func native(of value: AttributeValue) -> UInt64? {
        switch value {
        case .int, .string: try? UInt64(attributeValue: value)
        default: nil
        }
    }

    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        try container.decode(UInt64.self).attributeValue
    }

    static var takesWideNumbers: Bool { true }

    static func use(of literal: String) -> WideNumber.Use {
        UInt64(literal) == nil ? .exact : .text
    }
}

/// A text, which is also read from a number.
extension Decimal: NativeForm {
    static func native(of value: AttributeValue) -> Decimal? { nil }

    static func read(_ container: any SingleValueDecodingContainer) throws -> AttributeValue {
        if let text = try? container.decode(String.self) { return .string(text) }
        return try container.decode(Decimal.self).attributeValue
    }

    static var takesWideNumbers: Bool { true }

    static func use(of literal: String) -> WideNumber.Use {
        (try? Decimal(attributeValue: .string(literal))) == nil ? .exact : .text
    }
}
