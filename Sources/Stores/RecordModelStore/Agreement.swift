public import ModelKitModels

/// What a model and a store agreed on: to be kept where the model is kept, and handed back after a restart.
///
/// ```swift
/// let kept = try JSONEncoder().encode(await store.agreement(of: note).value)
/// // After the restart, with the note as it was kept, edits included:
/// let agreement = try JSONDecoder().decode(Agreement.self, from: kept)
/// _ = try await store.resume(note, from: agreement).value
/// _ = try await store.update(note).value  // writes the edits, or is a conflict
/// ```
public struct Agreement: Sendable, Hashable {
    /// The version of the form, 1.
    public let version: Int
    /// The name of the model type.
    public let type: String
    public let identifier: Identifier
    /// The store: a UUID that its file has, or where the server is and whose account it is.
    public let store: String
    /// The revision of the record; nil where the server sends none.
    public let revision: Int64?
    /// What a server calls the version of the record, as in its `ETag`; nil where it has no name.
    public let entityTag: String?
    /// The values of the record.
    public let baseValues: [FieldKey: AttributeValue]

    static let currentVersion = 1
}

extension Agreement: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, type, identifier, store, revision, entityTag, baseValues
    }

    /// - Throws: A `DecodingError` for another version than this library knows, too.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        version = try container.decode(Int.self, forKey: .version)
        func refusal(_ key: CodingKeys, _ reason: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: container, debugDescription: reason)
        }
        guard version == Self.currentVersion else {
            throw refusal(.version, "the agreement has the unknown version \(version)")
        }
        type = try container.decode(String.self, forKey: .type)
        identifier = try container.decode(Identifier.self, forKey: .identifier)
        store = try container.decode(String.self, forKey: .store)
        revision = try container.decodeIfPresent(Int64.self, forKey: .revision)
        entityTag = try container.decodeIfPresent(String.self, forKey: .entityTag)
        // As a text, in which an integer and a double stay what they are.
        let text = try container.decode(String.self, forKey: .baseValues)
        guard case .array(let pairs) = try StoredJSON.value(of: text) else {
            throw refusal(.baseValues, "the values are no list")
        }
        var values: [FieldKey: AttributeValue] = [:]
        for (index, pair) in pairs.enumerated() {
            guard case .array(let parts) = pair, parts.count == 2,
                case .array(let names) = parts[0]
            else { throw refusal(.baseValues, "value \(index) has no key") }
            let key = FieldKey(
                names.compactMap { if case .string(let name) = $0 { name } else { nil } }
            )
            values[key] = parts[1]
        }
        baseValues = values
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(type, forKey: .type)
        try container.encode(identifier, forKey: .identifier)
        try container.encode(store, forKey: .store)
        try container.encodeIfPresent(revision, forKey: .revision)
        try container.encodeIfPresent(entityTag, forKey: .entityTag)
        let pairs = baseValues.sorted { $0.key.description < $1.key.description }
            .map { AttributeValue.array([.array($0.key.names.map { .string($0) }), $0.value]) }
        try container.encode(StoredJSON.text(of: .array(pairs)), forKey: .baseValues)
    }
}
