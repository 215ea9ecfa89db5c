import Foundation
import ModelKit

/// What this database and a server had in common of a record when they last met.
///
/// What differs from it on one side was changed there, and what is missing there was deleted.
final class SyncedRecord: Model {
    /// The server, the type and the identifier.
    let id = Field<String>()
    /// The record as JSON.
    let content = Field<String>()

    /// What the identifiers of the records of a type have in front.
    static func prefix<M: Model>(_ server: String, _ type: M.Type) -> String {
        "\(server) \(M.modelName) "
    }
}

extension Model {
    /// The values of the fields as JSON has them, without those that are nil.
    func content() throws -> AttributeDictionary {
        try AttributeDictionary(content: String(decoding: jsonData(), as: UTF8.self))
    }
}

extension AttributeDictionary {
    init(content: String) throws {
        let value = try AttributeValue(json: Data(content.utf8)).withoutNulls
        guard case .dictionary(let members) = value else { throw Failure.unreadable("no object") }
        self = members
    }

    func contentText() throws -> String {
        String(decoding: try AttributeValue.dictionary(self).jsonData(), as: UTF8.self)
    }

    /// What is at a key; nil if nothing is.
    subscript(key: FieldKey) -> AttributeValue? {
        key.names.reduce(AttributeValue?.some(.dictionary(self))) { value, name in
            guard case .dictionary(let inner)? = value else { return nil }
            return inner[name]
        }
    }
}
