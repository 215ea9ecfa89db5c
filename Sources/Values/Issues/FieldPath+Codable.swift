extension FieldPath: Codable {
    /// Reads an array of keys and indexes, or a text: a JSON Pointer if it begins with a slash,
    /// otherwise a path as `description` writes it.
    public init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            do {
                try self.init(either: text)
            } catch {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath,
                        debugDescription: error.description,
                        underlyingError: error
                    )
                )
            }
            return
        }
        self.init(try [Component](from: decoder))
    }

    /// Writes an array of keys and indexes, such as `["terms", 2, "start"]`.
    public func encode(to encoder: any Encoder) throws {
        try components.encode(to: encoder)
    }
}

extension FieldPath.Component: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let index = try? container.decode(Int.self) {
            self = .index(index)
        } else {
            self = .key(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .key(let key): try container.encode(key)
        case .index(let index): try container.encode(index)
        }
    }
}
