/// The key of a field in a dictionary: one name, or the way to it through nested dictionaries.
///
/// ```swift
/// let city = Field<String>(key: "town")
/// let first = Field<String>(key: ["name", "first"])   // ["name": ["first": "Ada"]]
/// ```
///
/// A string is one name: a dot in it separates nothing.
public struct FieldKey: Sendable {
    /// The names, outermost first; at least one.
    public let names: [String]
    /// Of the names, which are hashed once: keys stay, and are looked for with every record.
    private let hash: Int

    public init(_ name: String) {
        names = [name]
        hash = Self.hash(of: names)
    }

    /// A nested key.
    ///
    /// Without any name it is the key "".
    public init(_ names: [String]) {
        self.names = names.isEmpty ? [""] : names
        hash = Self.hash(of: self.names)
    }

    /// Each instance of a model makes its keys anew, mostly of ASCII, of whose bytes a hash is made in a fraction of
    /// the time.
    private static func hash(of names: [String]) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for var name in names {
            let isPlain = name.withUTF8 { bytes in
                for byte in bytes {
                    // The signs of Kelvin, of the Greek question and of varia are the same as these for a `String`.
                    if byte >= 0x80 || byte == 0x4B || byte == 0x3B || byte == 0x60 { return false }
                    hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
                }
                return true
            }
            if !isPlain { return names.hashValue }
            hash = (hash ^ 0xFF) &* 0x0000_0100_0000_01B3
        }
        return Int(truncatingIfNeeded: hash)
    }

    /// The key as a path.
    public var path: FieldPath { FieldPath(names.map { .key($0) }) }
}

extension FieldKey: Hashable {
    public static func == (left: FieldKey, right: FieldKey) -> Bool {
        left.hash == right.hash && left.names == right.names
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension FieldKey: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    public init(stringLiteral name: String) { self.init(name) }
    public init(arrayLiteral names: String...) { self.init(names) }
}

extension FieldKey: CustomStringConvertible {
    /// The names, joined by dots.
    public var description: String { names.joined(separator: ".") }
}
