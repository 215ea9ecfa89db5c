public import ModelKitModels

/// A foreign key of a record that was imported, which leads to no record.
///
/// ```swift
/// for key in summary.danglingKeys ?? [] { print(key) }   // Pet tom: owner leads to gil, which is not stored
/// ```
public struct DanglingKey: Sendable, Hashable, CustomStringConvertible {
    /// The name of the record's type.
    public let type: String
    /// The record's identifier.
    public let identifier: Identifier
    /// The field, and the index in it where it has several keys.
    public let path: FieldPath
    /// The identifier that no record has.
    public let target: Identifier

    public var description: String {
        "\(type) \(identifier): \(path) leads to \(target), which is not stored"
    }
}
