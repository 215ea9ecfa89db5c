public import ModelKitEssentials

/// A decimal is a text, which keeps every digit; it is read from a text or a number.
///
/// A number that is no integer was a double on its way, which keeps 15 digits of every decimal: one
/// that shows more may have lost some, and is an issue that asks for a text. A text with more digits than
/// a `Decimal` holds, about 38, is an issue, too.
extension Decimal: AttributeConvertible {
    public init(attributeValue: AttributeValue) throws(Issue) {
        switch attributeValue {
        case .int(let number): self = Decimal(number)
        case .string(let text): self = try Self.exact(text, attributeValue)
        case .double(let number):
            guard number.isFinite else { throw .wrongType(attributeValue, expected: "a number") }
            let text = number.description
            guard DecimalText(text).map({ $0.count <= 15 }) ?? false else {
                throw Issue(
                    code: "precision",
                    message: "has more digits than a number keeps; it must be a text",
                    parameters: ["found": attributeValue]
                )
            }
            self = try Self.exact(text, attributeValue)
        default: throw .wrongType(attributeValue, expected: "a decimal number")
        }
    }

    private static func exact(_ text: String, _ value: AttributeValue) throws(Issue) -> Decimal {
        guard let wanted = DecimalText(text) else {
            throw Issue(
                code: "decimal",
                message: "must be a decimal number, not \(value.excerpt)",
                parameters: ["found": value.excerptValue]
            )
        }
        // Few digits are kept in any case, and need not be read and written again.
        if let digits = wanted.digits.flatMap(UInt64.init(exactly:)), abs(wanted.exponent) < 100 {
            return Decimal(
                sign: wanted.isNegative ? .minus : .plus,
                exponent: wanted.exponent,
                significand: Decimal(digits)
            )
        }
        // What has too many digits or too large an exponent comes out as another number.
        guard let decimal = Decimal(string: text), !decimal.isNaN,
            DecimalText(decimal.description) == wanted
        else { throw .outOfRange(value, Decimal.self) }
        return decimal
    }

    /// The shortest text: `0.1`; of what is no number, a double that is none.
    public var attributeValue: AttributeValue { isNaN ? .double(.nan) : .string(description) }
    public static var attributeKind: AttributeKind { .decimal }
}

extension Decimal {
    /// The number that keeps every digit; nil where none does.
    package var number: AttributeValue? {
        if let integer = Int64(description) { return .int(integer) }
        guard let double = Double(description), double.isFinite,
            let known = DecimalText(description), known.count <= 15
        else { return nil }
        return .double(double)
    }
}
