/// A type whose values have an attribute form, so that a model can hold fields of it.
///
/// Numbers, strings, booleans, dates, data, URLs, UUIDs and arrays of such are. An enum with a raw
/// value becomes one by saying so:
///
/// ```swift
/// enum Color: String, AttributeConvertible { case red, blue }
/// let color = Field<Color>()
/// ```
public protocol AttributeConvertible: Sendable {
    /// The value of an attribute; throws an issue that says why there is none.
    ///
    /// It is never given `.null`.
    init(attributeValue: AttributeValue) throws(Issue)

    /// The attribute form.
    var attributeValue: AttributeValue { get }

    /// What kind the attribute form of every value is.
    ///
    /// A store makes a column of it.
    static var attributeKind: AttributeKind { get }

    /// What is done most with fields of the type, compiled where the type is known; no type implements it itself.
    static var _fieldCode: (any AnyObject & Sendable)? { get }
}

extension AttributeConvertible {
    public static var _fieldCode: (any AnyObject & Sendable)? { nil }
}

extension AttributeConvertible where Self: RawRepresentable, RawValue: AttributeConvertible {
    @inlinable
    public init(attributeValue: AttributeValue) throws(Issue) {
        let raw = try RawValue(attributeValue: attributeValue)
        guard let value = Self(rawValue: raw) else { throw .notAllowed(attributeValue) }
        self = value
    }

    @inlinable public var attributeValue: AttributeValue { rawValue.attributeValue }
    public static var attributeKind: AttributeKind { RawValue.attributeKind }
}

extension Issue {
    /// A value that is none of those there are.
    @usableFromInline
    static func notAllowed(_ value: AttributeValue) -> Issue {
        Issue(
            code: "oneOf",
            message: "\(value.excerpt) is not an allowed value",
            parameters: ["value": value.excerptValue]
        )
    }
}

extension AttributeConvertible {
    /// The value of an element of an array or a dictionary, of which only an `AttributeValue` is null.
    @inlinable
    init(inside value: AttributeValue) throws(Issue) {
        if value.isNull, Self.self != AttributeValue.self {
            throw .wrongType(value, expected: nil)
        }
        try self.init(attributeValue: value)
    }
}

extension AttributeValue: AttributeConvertible {
    public init(attributeValue: AttributeValue) { self = attributeValue }
    public var attributeValue: AttributeValue { self }
    public static var attributeKind: AttributeKind { .any }
}

extension Bool: AttributeConvertible {
    public init(attributeValue: AttributeValue) throws(Issue) {
        guard case .bool(let value) = attributeValue else {
            throw .wrongType(attributeValue, expected: "a boolean")
        }
        self = value
    }

    public var attributeValue: AttributeValue { .bool(self) }
    public static var attributeKind: AttributeKind { .bool }
}

extension String: AttributeConvertible {
    public init(attributeValue: AttributeValue) throws(Issue) {
        guard case .string(let value) = attributeValue else {
            throw .wrongType(attributeValue, expected: "a string")
        }
        self = value
    }

    public var attributeValue: AttributeValue { .string(self) }
    public static var attributeKind: AttributeKind { .string }
}

extension Dictionary: AttributeConvertible where Key == String, Value: AttributeConvertible {
    @inlinable
    public init(attributeValue: AttributeValue) throws(Issue) {
        guard case .dictionary(let values) = attributeValue else {
            throw .wrongType(attributeValue, expected: "a dictionary")
        }
        self = Dictionary(minimumCapacity: values.count)
        for (key, value) in values {
            do throws(Issue) {
                self[key] = try Value(inside: value)
            } catch {
                throw error.prefixed(by: FieldPath(key: key))
            }
        }
    }

    @inlinable
    public var attributeValue: AttributeValue { .dictionary(mapValues { $0.attributeValue }) }
    public static var attributeKind: AttributeKind { .dictionary }
}

extension Array: AttributeConvertible where Element: AttributeConvertible {
    @inlinable
    public init(attributeValue: AttributeValue) throws(Issue) {
        guard case .array(let values) = attributeValue else {
            throw .wrongType(attributeValue, expected: "an array")
        }
        self = []
        reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            do throws(Issue) {
                append(try Element(inside: value))
            } catch {
                throw error.prefixed(by: [.index(index)])
            }
        }
    }

    @inlinable
    public var attributeValue: AttributeValue { .array(map { $0.attributeValue }) }
    public static var attributeKind: AttributeKind { .array }
}
