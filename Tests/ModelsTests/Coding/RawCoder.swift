/// What a coder of some other format might keep: a tree whose leaves are bytes, which do not say of what
/// type they are.
final class RawNode {
    var isNil = false
    var bytes: [UInt8] = []
    var elements: [RawNode] = []
    var members: [(key: String, node: RawNode)] = []

    func add(_ key: some CodingKey) -> RawNode {
        let node = RawNode()
        members.append((key.stringValue, node))
        return node
    }

    func append() -> RawNode {
        let node = RawNode()
        elements.append(node)
        return node
    }

    func member(_ key: some CodingKey) throws -> RawNode {
        guard let found = members.first(where: { $0.key == key.stringValue }) else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(codingPath: [], debugDescription: "")
            )
        }
        return found.node
    }

    static func raw(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    func encode(_ value: some Encodable) throws {
        switch value {
        case let value as Bool: bytes = [value ? 1 : 0]
        case let value as String: bytes = Array(value.utf8)
        case let value as Double: bytes = Self.raw(value.bitPattern)
        case let value as any FixedWidthInteger: bytes = Self.raw(value)
        default: try value.encode(to: RawEncoder(node: self))
        }
    }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        guard bytes.count == Number.bitWidth / 8 else { throw mismatch(type) }
        return bytes.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    func mismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(type, DecodingError.Context(codingPath: [], debugDescription: "other bytes"))
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value: Any
        switch type {
        case is Bool.Type: value = try integer(UInt8.self) != 0
        // Any bytes are text.
        case is String.Type: value = String(decoding: bytes, as: UTF8.self)
        case is Double.Type: value = Double(bitPattern: try integer(UInt64.self))
        case let type as any FixedWidthInteger.Type: value = try integer(type)
        default: return try Value(from: RawDecoder(node: self))
        }
        guard let value = value as? Value else { throw mismatch(type) }
        return value
    }
}

struct RawEncoder: Encoder {
    let node: RawNode
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(node: node) }
    func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: node) }

    struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let node: RawNode
        var codingPath: [any CodingKey] { [] }
        func encodeNil(forKey key: Key) { node.add(key).isNil = true }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try node.add(key).encode(value)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            KeyedEncodingContainer(Keyed<Nested>(node: node.add(key)))
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            Unkeyed(node: node.add(key))
        }

        func superEncoder() -> any Encoder { RawEncoder(node: node) }
        func superEncoder(forKey key: Key) -> any Encoder { RawEncoder(node: node.add(key)) }
    }

    struct Unkeyed: UnkeyedEncodingContainer {
        let node: RawNode
        var codingPath: [any CodingKey] { [] }
        var count: Int { node.elements.count }
        func encodeNil() { node.append().isNil = true }
        func encode<Value: Encodable>(_ value: Value) throws { try node.append().encode(value) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) -> KeyedEncodingContainer<Nested> {
            KeyedEncodingContainer(Keyed<Nested>(node: node.append()))
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            Unkeyed(node: node.append())
        }

        func superEncoder() -> any Encoder { RawEncoder(node: node.append()) }
    }

    struct Single: SingleValueEncodingContainer {
        let node: RawNode
        var codingPath: [any CodingKey] { [] }
        func encodeNil() { node.isNil = true }
        func encode<Value: Encodable>(_ value: Value) throws { try node.encode(value) }
    }
}

struct RawDecoder: Decoder {
    let node: RawNode
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard node.bytes.isEmpty, node.elements.isEmpty, !node.isNil else {
            throw node.mismatch(type)
        }
        return KeyedDecodingContainer(Keyed(node: node))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard node.bytes.isEmpty, node.members.isEmpty, !node.isNil else {
            throw node.mismatch([Any].self)
        }
        return Unkeyed(node: node)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(node: node) }

    struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let node: RawNode
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { node.members.compactMap { Key(stringValue: $0.key) } }

        func contains(_ key: Key) -> Bool { node.members.contains { $0.key == key.stringValue } }
        func decodeNil(forKey key: Key) throws -> Bool { try node.member(key).isNil }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try node.member(key).decode(type)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try RawDecoder(node: try node.member(key)).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try RawDecoder(node: try node.member(key)).unkeyedContainer()
        }

        func superDecoder() -> any Decoder { RawDecoder(node: node) }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            RawDecoder(node: try node.member(key))
        }
    }

    struct Unkeyed: UnkeyedDecodingContainer {
        let node: RawNode
        var codingPath: [any CodingKey] { [] }
        var count: Int? { node.elements.count }
        var currentIndex = 0
        var isAtEnd: Bool { currentIndex == node.elements.count }

        private mutating func next() throws -> RawNode {
            guard !isAtEnd else { throw node.mismatch(RawNode.self) }
            defer { currentIndex += 1 }
            return node.elements[currentIndex]
        }

        mutating func decodeNil() -> Bool {
            guard !isAtEnd, node.elements[currentIndex].isNil else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try next().decode(type)
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> {
            try RawDecoder(node: try next()).container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try RawDecoder(node: try next()).unkeyedContainer()
        }

        mutating func superDecoder() throws -> any Decoder { RawDecoder(node: try next()) }
    }

    struct Single: SingleValueDecodingContainer {
        let node: RawNode
        var codingPath: [any CodingKey] { [] }
        func decodeNil() -> Bool { node.isNil }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try node.decode(type)
        }
    }
}
