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
    /// It goes through a JSON text both ways, which takes microseconds. What the decoder refuses is an
    /// issue with the path that it names. A value that its encoder refuses is written as null, and a
    /// diagnostic says why.
    public static var codable: FieldTransformer {
        FieldTransformer(
            kind: .any,
            export: { value in
                do {
                    let json = try JSONEncoder().encode(value)
                    return try JSONDecoder().decode(AttributeValue.self, from: json)
                } catch {
                    let message = "\(Value.self) is written as null: \(error)"
                    ModelKitDiagnostics.report(.unencodedValue, message)
                    return .null
                }
            },
            import: { attribute throws(Issue) in
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
