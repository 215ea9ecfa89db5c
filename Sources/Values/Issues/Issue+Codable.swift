/// As servers send it; all but the message may be absent:
///
/// ```json
/// {"code": "minLength", "path": ["name"], "message": "must have at least 2 characters",
///  "parameters": {"min": 2}, "severity": "error"}
/// ```
extension Issue: Codable {
    private enum CodingKeys: String, CodingKey {
        case code, path, message, parameters, severity
    }

    /// Reads an issue; a catalogue may have other words for its code.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            code: try container.decodeIfPresent(String.self, forKey: .code) ?? "custom",
            path: try container.decodeIfPresent(FieldPath.self, forKey: .path) ?? [],
            message: try container.decode(String.self, forKey: .message),
            parameters: try container.decodeIfPresent(
                [String: AttributeValue].self,
                forKey: .parameters
            ) ?? [:],
            severity: try container.decodeIfPresent(Severity.self, forKey: .severity) ?? .error
        )
    }

    /// Writes the issue with its message as the catalogue of now has it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code, forKey: .code)
        if !path.isEmpty { try container.encode(path, forKey: .path) }
        try container.encode(message, forKey: .message)
        if !parameters.isEmpty { try container.encode(parameters, forKey: .parameters) }
        try container.encode(severity, forKey: .severity)
    }
}

extension Issue.Severity: Codable {
    /// Reads "info", "warning" or "error".
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let severity = Self.names.first(where: { $0.value == name })?.key else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "a severity must be info, warning or error, not \"\(name)\""
            )
        }
        self = severity
    }

    /// Writes "info", "warning" or "error".
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Self.names[self])
    }

    private static let names: [Self: String] = [
        .info: "info", .warning: "warning", .error: "error",
    ]
}
