import ModelKitEssentials

extension FieldTransformer where Value: Codable {
    /// Values as what their `Codable` conformance makes of them in JSON: dictionaries, arrays, numbers,
    /// texts.
    ///
    /// ```swift
    /// struct Money: Codable, Equatable { var amount: Int, currency: String }
    /// let price = Field<Money>().transform(with: .codable)   // ["amount": 5, "currency": "EUR"]
    /// ```
    ///
    /// It goes through a JSON text both ways, which takes microseconds. A value with a number of more digits than
    /// an `Int64` or a double keeps is that text, which has all of them: `["$json": "{\"amount\":0.1234…}"]`. What
    /// the decoder refuses is an issue with the path that it names. A value that its encoder refuses is
    /// written as null, and a diagnostic gives the reason.
    public static var codable: FieldTransformer {
        FieldTransformer(
            kind: .any,
            export: { value in
                do {
                    let encoder = JSONEncoder()
                    let json = try encoder.encode(value)
                    if !json.hasWideNumber {
                        let plain = try JSONDecoder().decode(AttributeValue.self, from: json)
                        if plain.jsonText == nil { return plain }
                    }
                    // Equal values are to have the same text.
                    encoder.outputFormatting = .sortedKeys
                    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
                    return .dictionary([jsonKey: .string(text)])
                } catch {
                    let message = "\(Value.self) is written as null: \(error)"
                    ModelKitDiagnostics.report(.unencodedValue, message)
                    return .null
                }
            },
            import: { attribute throws(Issue) in
                // The text of a value that has this form itself is in another one.
                if let json = attribute.jsonText,
                    json.hasWideNumber
                        || (try? JSONDecoder().decode(AttributeValue.self, from: json))?.jsonText
                            != nil,
                    let value = try? JSONDecoder().decode(Value.self, from: json)
                {
                    return value
                }
                do {
                    let json = try JSONEncoder().encode(attribute)
                    return try JSONDecoder().decode(Value.self, from: json)
                } catch {
                    throw Issue(decoding: error, Value.self)
                }
            }
        )
    }
}

private let jsonKey = "$json"
private let numberBytes = ByteSet("0123456789-+.eE")

extension AttributeValue {
    /// The JSON text that it stands for, if it has the form of one.
    fileprivate var jsonText: Data? {
        guard case .dictionary(let members) = self, members.count == 1,
            case .string(let text)? = members[jsonKey]
        else { return nil }
        return Data(text.utf8)
    }
}

extension Data {
    /// Whether a number in a JSON text has digits that neither an `Int64` nor a double keeps.
    fileprivate var hasWideNumber: Bool {
        withUnsafeBytes { bytes in
            var (position, isInText) = (0, false)
            while position < bytes.count {
                let start = position
                switch bytes[position] {
                case UInt8(ascii: "\\"): position += 1
                case UInt8(ascii: "\""): isInText.toggle()
                case UInt8(ascii: "-") where !isInText, 0x30...0x39 where !isInText:
                    while position + 1 < bytes.count, numberBytes.contains(bytes[position + 1]) {
                        position += 1
                    }
                    // Fewer digits are kept by any double.
                    if position - start >= 15, isWide(bytes[start...position]) { return true }
                default: break
                }
                position += 1
            }
            return false
        }
    }
}

private func isWide(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    let literal = String(decoding: bytes, as: UTF8.self)
    if Int64(literal) != nil { return false }
    return DecimalText(literal) != Double(literal).flatMap { DecimalText($0.description) }
}

extension Issue {
    /// What a decoder says against a value.
    fileprivate init(decoding error: any Error, _ type: Any.Type) {
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .typeMismatch(_, let context), .valueNotFound(_, let context),
                .dataCorrupted(let context):
                context
            case .keyNotFound(let key, let context):
                DecodingError.Context(
                    codingPath: context.codingPath + [key],
                    debugDescription: "there is no value"
                )
            default: nil
            }
        let path = (context?.codingPath ?? []).map { key in
            key.intValue.map { FieldPath.Component.index($0) } ?? .key(key.stringValue)
        }
        self.init(
            code: "type",
            path: FieldPath(path),
            message: "cannot be read as \(type): "
                + (context?.debugDescription ?? "\(error)").excerpt(500)
        )
    }
}
