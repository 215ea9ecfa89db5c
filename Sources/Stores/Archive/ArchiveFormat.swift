import ModelKitModels
import ModelKitEssentials

// # The format of an archive file, version 2
//
// The file holds one group: the records of all types in it. It is written as a whole.
//
//     ModelKit archive 2⏎
//     crc32c 5a1f03c7 length 1234⏎
//     {"types":[…]}
//
// Two lines of ASCII, each ended by one byte 0A, then `length` bytes of UTF-8, with which the file
// ends. The checksum is that of these bytes, in eight lower-case hexadecimal digits.
//
// The bytes are a JSON object (RFC 8259). Its member `types` is an array of objects, one for each type,
// in the order of their names:
//
//     {"name": "Person",          the name of the model type
//      "last": 41,                the last number of the sequence of identifiers, or 0
//      "place": 12,               the place of the record that was created last, or 0
//      "revision": 7,             the greatest revision that a deleted record had; absent for 0
//      "keys": [["id"], ["name", "first"], ["age"]],
//      "records": [["p1", 3, 12, ["p1", "Ada", 36]], …]}
//
// `keys` are the keys of the fields, each as the list of its names. A record is an array of its
// identifier (a string or an integer), its revision from 1 on, its place in the order of creation, and the
// values in the order of `keys`, as `StoredJSON` writes them. Records come in the order of their places,
// which may have gaps.
//
// `settled`, absent where it is empty, has the keys of relations that are derived from the keys of other types
// by now, and whose models in these records all have records of their own.
//
// Of a type whose records were read from version 1 and not used since there is a member `dictionaries`,
// too, which is their array.
//
// The object may have a member `identity`, a text that distinguishes the group from all others.
//
// Members of other names are ignored by a reader. A reader refuses a file of a greater version than it
// knows, and leaves it alone. The second line of a greater version must be another one than this for the
// same bytes, by which a reader distinguishes it from this version with a damaged number.
//
// Version 1 had no header and no checksum: a JSON object with a member for each type, which is an array
// of dictionaries, as models write themselves. It is read, and becomes version 2 with the next write.

/// Why the bytes of a file are no archive.
enum ArchiveFormatError: Error, Equatable {
    case damaged(String)
    case newer(version: Int)
}

enum ArchiveFormat {
    static let version = 2
    private static let title = "ModelKit archive "

    static func encode(_ tables: RecordTables) throws -> Data {
        let contents = tables.closed.merging(tables.tables.mapValues(\.contents)) { $1 }
        let types = contents.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        var members: AttributeDictionary = [
            "types": .array(types.map { encode($0.value, name: $0.key) })
        ]
        if let identity = tables.identity { members["identity"] = .string(identity) }
        let body = try AttributeValue.dictionary(members).jsonData()
        return Data("\(title)\(version)\n\(proof(of: body))\n".utf8) + body
    }

    /// The second line of a file.
    private static func proof(of body: Data) -> String {
        let checksum = String(CRC32C.checksum(of: body), radix: 16)
        let zeros = String(repeating: "0", count: 8 - checksum.count)
        return "crc32c \(zeros)\(checksum) length \(body.count)"
    }

    private static func encode(_ table: TableContents, name: String) -> AttributeValue {
        var members: AttributeDictionary = [
            "name": .string(name), "last": .int(table.lastNumber), "place": .int(table.lastPlace),
            "keys": .array(table.keys.map(\.value)),
            "records": .array(
                table.rows.map { row in
                    [
                        row.identifier.attributeValue, .int(row.revision), .int(row.place),
                        .array(table.values(of: row).map(StoredJSON.tagged)),
                    ]
                }
            ),
        ]
        if table.lastRevision > 0 { members["revision"] = .int(table.lastRevision) }
        if !table.settled.isEmpty {
            members["settled"] = .array(table.settled.map(\.value))
        }
        if !table.dictionaries.isEmpty {
            members["dictionaries"] = .array(table.dictionaries.map { .dictionary($0) })
        }
        return .dictionary(members)
    }

    private static func decode(key: AttributeValue, of name: String) throws -> FieldKey {
        guard case .array(let names) = key else {
            throw ArchiveFormatError.damaged("a key of \(name) is no list of names")
        }
        return FieldKey(names.compactMap { if case .string(let name) = $0 { name } else { nil } })
    }

    /// The contents of a file.
    ///
    /// - Throws: `ArchiveFormatError`.
    static func decode(_ data: Data) throws -> RecordTables {
        guard data.starts(with: title.utf8) else { return try decodeFirstVersion(data) }
        let lines = data.split(separator: 0x0a, maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3 else { throw ArchiveFormatError.damaged("the header is cut off") }
        let number = String(decoding: lines[0].dropFirst(title.utf8.count), as: UTF8.self)
        guard let found = Int(number), found > 1 else {
            throw ArchiveFormatError.damaged("the version \(number) is none")
        }
        let body = Data(lines[2])
        let (written, proof) = (String(decoding: lines[1], as: UTF8.self), proof(of: body))
        if found > version {
            if written != proof { throw ArchiveFormatError.newer(version: found) }
            throw ArchiveFormatError.damaged("it has version \(version), but says \(number)")
        }
        if written != proof {
            throw ArchiveFormatError.damaged("it has \(proof), but should have \(written)")
        }
        return try decodeBody(body)
    }

    /// What places and revisions may be, so that there is room for those that follow.
    private static let numbers = 0..<Int64(1) << 62

    private static func decodeBody(_ body: Data) throws -> RecordTables {
        guard case .dictionary(let members) = try json(body),
            case .array(let types)? = members["types"]
        else { throw ArchiveFormatError.damaged("it has no types") }
        var identity: String?
        if case .string(let text)? = members["identity"] { identity = text }
        var contents: [String: TableContents] = [:]
        for type in types {
            guard case .dictionary(let members) = type, case .string(let name)? = members["name"],
                case .int(let last)? = members["last"], case .int(let place)? = members["place"],
                case .array(let keys)? = members["keys"],
                case .array(let records)? = members["records"]
            else { throw ArchiveFormatError.damaged("a type lacks a member") }
            guard numbers ~= place else {
                throw ArchiveFormatError.damaged("the place \(place) of \(name) is out of range")
            }
            var table = TableContents(lastNumber: last, lastPlace: place)
            if case .int(let revision)? = members["revision"] { table.lastRevision = revision }
            table.keys = try keys.map { try decode(key: $0, of: name) }
            if case .array(let keys)? = members["settled"] {
                table.settled = try keys.map { try decode(key: $0, of: name) }
            }
            table.rows = try records.enumerated().map { index, record in
                guard let row = decode(record, table.keys.count) else {
                    throw ArchiveFormatError.damaged("record \(index) of \(name) is no record")
                }
                return row
            }
            if case .array(let elements)? = members["dictionaries"] {
                table.dictionaries = try dictionaries(elements, of: name)
            }
            contents[name] = table
        }
        return RecordTables(contents, identity: identity)
    }

    private static func dictionaries(
        _ elements: [AttributeValue],
        of name: String
    ) throws -> [AttributeDictionary] {
        try elements.enumerated().map { index, element in
            guard case .dictionary(let dictionary) = element else {
                throw ArchiveFormatError.damaged("element \(index) of \(name) is no dictionary")
            }
            return dictionary
        }
    }

    private static func decode(_ value: AttributeValue, _ count: Int) -> MemoryRow? {
        guard case .array(let parts) = value, parts.count == 4,
            let identifier = try? Identifier(attributeValue: parts[0]),
            case .int(let revision) = parts[1], case .int(let place) = parts[2],
            numbers ~= place, numbers ~= revision,
            case .array(let values) = parts[3], values.count == count
        else { return nil }
        return MemoryRow(
            identifier: identifier,
            revision: revision,
            values: ContiguousArray(values.lazy.map(StoredJSON.untagged)),
            place: place,
            others: nil
        )
    }

    private static func decodeFirstVersion(_ data: Data) throws -> RecordTables {
        guard data.first == UInt8(ascii: "{"), case .dictionary(let types) = try json(data) else {
            throw ArchiveFormatError.damaged("it begins with neither a header nor an object")
        }
        let contents = try types.map { name, value in
            guard case .array(let elements) = value else {
                throw ArchiveFormatError.damaged("\(name) is no array")
            }
            return (name, TableContents(dictionaries: try dictionaries(elements, of: name)))
        }
        return RecordTables(Dictionary(contents) { $1 }, identity: nil)
    }

    private static func json(_ data: Data) throws -> AttributeValue {
        do {
            return try AttributeValue(json: data)
        } catch {
            throw ArchiveFormatError.damaged("\(error)")
        }
    }
}
