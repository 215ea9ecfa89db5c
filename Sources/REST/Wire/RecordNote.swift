import ModelKitModels
package import ModelKitStores

/// What a representation says of its record beside the fields, as its member `_meta`.
///
/// ```json
/// {"id": "p1", "name": "Ada", "_meta": {"revision": 3, "place": 17}}
/// ```
package struct RecordNote: Hashable, Sendable {
    /// The member that has it.
    package static let member = "_meta"

    package var revision: Int64?
    /// The place in the order of creation; nil where it is not known.
    package var place: Int64?
    /// The name of its class, where that is another one than was asked for.
    package var type: String?

    package init(revision: Int64?, place: Int64? = nil, type: String? = nil) {
        self.revision = revision
        self.place = place
        self.type = type
    }

    package init(of record: Record, type: String? = nil) {
        let place = record.place == 0 ? nil : record.place
        self.init(revision: record.revision, place: place, type: type)
    }

    /// Takes it away from an object; nil where there is none.
    package static func take(from object: inout AttributeDictionary) -> RecordNote? {
        guard case .dictionary(let members)? = object.removeValue(forKey: member) else {
            return nil
        }
        var note = RecordNote(revision: nil)
        if case .int(let revision)? = members["revision"] { note.revision = revision }
        if case .int(let place)? = members["place"] { note.place = place }
        if case .string(let type)? = members["type"] { note.type = type }
        return note
    }

    package var object: AttributeDictionary {
        var members: AttributeDictionary = [:]
        if let revision { members["revision"] = .int(revision) }
        if let place { members["place"] = .int(place) }
        if let type { members["type"] = .string(type) }
        return members
    }

    /// The name of the member in JSON.
    static let name = Array("\"_meta\":".utf8)

    /// The member's value in JSON.
    var json: String {
        var members: [String] = []
        if let place { members.append("\"place\":\(place)") }
        if let revision { members.append("\"revision\":\(revision)") }
        if let type, let text = try? AttributeValue.string(type).jsonData() {
            members.append("\"type\":" + String(decoding: text, as: UTF8.self))
        }
        return "{\(members.joined(separator: ","))}"
    }
}
