public import ModelKitEssentials

extension Date: AttributeConvertible {
    /// The date of a date, or of a text as RFC 3339 writes it: `2026-11-21T09:30:00Z`.
    ///
    /// Before the year 0000 and after 9999 it has a sign and six digits: `+010000-01-01T00:00:00Z`.
    public init(attributeValue: AttributeValue) throws(Issue) {
        switch attributeValue {
        case .date(let date): self = date
        case .string(let text):
            guard let date = Timestamp.date(from: text) else {
                throw Issue(
                    code: "date",
                    message: "is not a date and time: \(attributeValue.excerpt)"
                )
            }
            self = date
        default: throw .wrongType(attributeValue, expected: "a date")
        }
    }

    public var attributeValue: AttributeValue { .date(self) }
    public static var attributeKind: AttributeKind { .date }
}

extension Data: AttributeConvertible {
    /// The data of data, or of a text in Base64 (RFC 4648).
    public init(attributeValue: AttributeValue) throws(Issue) {
        switch attributeValue {
        case .data(let data): self = data
        case .string(let text):
            // Foundation reads "====" and "QQ=A", too.
            let padding = text.utf8.drop { $0 != UInt8(ascii: "=") }
            guard padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") }),
                let data = Data(base64Encoded: text)
            else {
                throw Issue(code: "base64", message: "is not data in Base64")
            }
            self = data
        default: throw .wrongType(attributeValue, expected: "data")
        }
    }

    public var attributeValue: AttributeValue { .data(self) }
    public static var attributeKind: AttributeKind { .data }
}

extension UUID: AttributeConvertible {
    public init(attributeValue: AttributeValue) throws(Issue) {
        // Foundation reads "+8" and " 8" for two digits, and stops at U+0000.
        guard case .string(let text) = attributeValue, isUUID(Array(text.utf8)),
            let value = UUID(uuidString: text)
        else {
            throw Issue(code: "uuid", message: "must be a UUID, not \(attributeValue.excerpt)")
        }
        self = value
    }

    public var attributeValue: AttributeValue { .string(uuidString) }
    public static var attributeKind: AttributeKind { .uuid }
}

extension URL: AttributeConvertible {
    public init(attributeValue: AttributeValue) throws(Issue) {
        guard case .string(let text) = attributeValue, let value = URL(string: text) else {
            throw Issue(code: "url", message: "must be a URL, not \(attributeValue.excerpt)")
        }
        self = value
    }

    public var attributeValue: AttributeValue { .string(absoluteString) }
    public static var attributeKind: AttributeKind { .string }
}
