// An integer comes from any number that is whole and in range; a fraction is never cut off.
extension AttributeConvertible where Self: FixedWidthInteger {
    public init(attributeValue: AttributeValue) throws(Issue) {
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

extension UInt8: AttributeConvertible {
    public var attributeValue: AttributeValue { .int(Int64(self)) }
}

extension UInt16: AttributeConvertible {
    public var attributeValue: AttributeValue { .int(Int64(self)) }
}

extension UInt32: AttributeConvertible {
    public var attributeValue: AttributeValue { .int(Int64(self)) }
}

extension Double: AttributeConvertible {
    public init(attributeValue: AttributeValue) throws(Issue) {
        switch attributeValue {
        case .double(let number): self = number
        case .int(let number):
            guard let value = Double(exactly: number) else {
                throw .outOfRange(attributeValue, Self.self)
            }
            self = value
        default: throw .wrongType(attributeValue, expected: "a number")
        }
    }

    public var attributeValue: AttributeValue { .double(self) }
    public static var attributeKind: AttributeKind { .double }
}

extension Float: AttributeConvertible {
    public init(attributeValue: AttributeValue) throws(Issue) {
        switch attributeValue {
        case .double(let number):
            self.init(number)
            guard isFinite || !number.isFinite else {
                throw .outOfRange(attributeValue, Self.self)
            }
        case .int(let number):
            guard let value = Float(exactly: number) else {
                throw .outOfRange(attributeValue, Self.self)
            }
            self = value
        default: throw .wrongType(attributeValue, expected: "a number")
        }
    }

    public var attributeValue: AttributeValue { .double(Double(self)) }
    public static var attributeKind: AttributeKind { .double }
}

extension Issue {
    fileprivate static func outOfRange(_ value: AttributeValue, _ type: Any.Type) -> Issue {
        Issue(
            code: "range",
            message: "\(value) is out of the range of \(type)",
            parameters: ["found": value]
        )
    }
}
