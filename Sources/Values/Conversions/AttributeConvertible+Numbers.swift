// An integer comes from any number that is whole and in range; a fraction is never cut off.
extension AttributeConvertible where Self: FixedWidthInteger {
    public init(attributeValue: AttributeValue) throws(Issue) {
        try self.init(number: attributeValue)
    }

    fileprivate init(number attributeValue: AttributeValue) throws(Issue) {
        switch attributeValue {
        case .int(let number):
            guard let value = Self(exactly: number) else {
                throw .outOfRange(attributeValue, Self.self)
            }
            self = value
        case .double(let number):
            guard number.rounded(.towardZero) == number else {
                throw Issue(
                    code: "type",
                    message: "must be an integer, not \(number)",
                    parameters: ["found": attributeValue]
                )
            }
            guard let value = Self(exactly: number) else {
                throw .outOfRange(attributeValue, Self.self)
            }
            self = value
        default:
            throw .wrongType(attributeValue, expected: "an integer")
        }
    }

    public static var attributeKind: AttributeKind { .int }
}

extension AttributeConvertible where Self: SignedInteger {
    public var attributeValue: AttributeValue { .int(Int64(self)) }
}

extension Int: AttributeConvertible {}
extension Int8: AttributeConvertible {}
extension Int16: AttributeConvertible {}
extension Int32: AttributeConvertible {}
extension Int64: AttributeConvertible {}

extension UInt8: AttributeConvertible {}

extension UInt16: AttributeConvertible {}

extension UInt32: AttributeConvertible {}

/// Beyond `Int64` it is a text.
extension UInt64: AttributeConvertible {}
extension UInt: AttributeConvertible {}

extension AttributeConvertible where Self: UnsignedInteger & FixedWidthInteger {
    public init(attributeValue: AttributeValue) throws(Issue) {
        if Self.bitWidth == 64, case .string(let text) = attributeValue, !text.isEmpty,
            text.utf8.allSatisfy({ 48...57 ~= $0 })
        {
            guard let value = Self(text) else { throw .outOfRange(attributeValue, Self.self) }
            self = value
        } else {
            try self.init(number: attributeValue)
        }
    }

    public var attributeValue: AttributeValue {
        Int64(exactly: self).map { .int($0) } ?? .string(description)
    }

    public static var attributeKind: AttributeKind { bitWidth < 64 ? .int : .unsigned }
}

/// From an integer it is the nearest double, as every reader of JSON has it (RFC 8259 §6): writers spell
/// large doubles as integers, with zeros for the digits that a double does not have.
extension Double: AttributeConvertible {
    public init(attributeValue: AttributeValue) throws(Issue) {
        switch attributeValue {
        case .double(let number): self = number
        case .int(let number): self.init(number)
        default: throw .wrongType(attributeValue, expected: "a number")
        }
    }

    public var attributeValue: AttributeValue { .double(self) }
    public static var attributeKind: AttributeKind { .double }
}

/// From any number within its range it is the nearest one.
extension Float: AttributeConvertible {
    public init(attributeValue: AttributeValue) throws(Issue) {
        switch attributeValue {
        case .double(let number):
            self.init(number)
            guard isFinite || !number.isFinite else {
                throw .outOfRange(attributeValue, Self.self)
            }
        case .int(let number): self.init(number)
        default: throw .wrongType(attributeValue, expected: "a number")
        }
    }

    /// The double of its shortest digits: of 0.1 that is 0.1.
    public var attributeValue: AttributeValue {
        guard let short = Double(description), Float(short) == self else {
            return .double(Double(self))
        }
        return .double(short)
    }

    public static var attributeKind: AttributeKind { .double }
}

extension Issue {
    package static func outOfRange(_ value: AttributeValue, _ type: Any.Type) -> Issue {
        Issue(
            code: "range",
            message: "\(value.excerpt) is out of the range of \(type)",
            parameters: ["found": value.excerptValue]
        )
    }
}
