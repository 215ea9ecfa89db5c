import ModelKitEssentials

/// Dates are coded as texts of RFC 3339 and data as Base64, whatever the coder would do with them;
/// they are decoded as texts, from which fields of dates and data take them.
extension AttributeValue: Codable {
    public init(from decoder: any Decoder) throws {
        self = try StackRoom.result(atDepth: decoder.codingPath.count) {
            try AttributeValue(here: decoder)
        }
    }

    private init(here decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // What is most frequent first: each miss costs an error.
        if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Int64.self) {
            // A zero may have a sign, which only a double keeps.
            let isNegative = value == 0 && (try? container.decode(Double.self))?.sign == .minus
            self = isNegative ? .double(-0.0) : .int(value)
        } else if let value = try? container.decode(Double.self) {
            // What is so large was no 64-bit integer, but perhaps a wider one.
            if value.magnitude >= 0x1p63, let integer = try? container.decode(Int128.self),
                Double(wide: integer) == nil
            {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "\(integer) fits neither 64 bits nor, exactly, a double"
                )
            }
            self = .double(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if container.decodeNil() {
            self = .null
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([AttributeValue].self))
        } else {
            self = .dictionary(try container.decode(AttributeDictionary.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        try StackRoom.result(atDepth: encoder.codingPath.count) { try encodeHere(to: encoder) }
    }

    private func encodeHere(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .data(let value): try container.encode(value.base64EncodedString())
        case .date(let value):
            guard let text = Timestamp.text(of: value) else {
                // Not the date: who describes the error would trap for NaN.
                throw EncodingError.invalidValue(
                    description,
                    EncodingError.Context(
                        codingPath: encoder.codingPath,
                        debugDescription: "the date is too far away"
                    )
                )
            }
            try container.encode(text)
        case .array(let values): try container.encode(values)
        case .dictionary(let values): try container.encode(values)
        }
    }
}
