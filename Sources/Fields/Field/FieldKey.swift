/// The key of a field in a dictionary: one name, or the way to it through nested dictionaries.
///
/// ```swift
/// let city = Field<String>(key: "town")
/// let first = Field<String>(key: ["name", "first"])   // ["name": ["first": "Ada"]]
/// ```
///
/// A string is one name: a dot in it separates nothing.
public struct FieldKey: Hashable, Sendable {
    /// The names, outermost first; at least one.
    public let names: [String]

    public init(_ name: String) {
        names = [name]
    }

    /// A nested key.
    ///
    /// Without any name it is the key "".
    public init(_ names: [String]) {
        self.names = names.isEmpty ? [""] : names
    }

    /// The key as a path.
    public var path: FieldPath { FieldPath(names.map { .key($0) }) }
}

extension FieldKey: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    public init(stringLiteral name: String) { self.init(name) }
    public init(arrayLiteral names: String...) { self.init(names) }
}

extension FieldKey: CustomStringConvertible {
    /// The names, joined by dots.
    public var description: String { names.joined(separator: ".") }
}
