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
        hash = names.hashValue
    }

    /// A nested key.
    ///
    /// Without any name it is the key "".
    public init(_ names: [String]) {
        self.names = names.isEmpty ? [""] : names
        hash = self.names.hashValue
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
