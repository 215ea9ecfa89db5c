public import ModelKitFields
public import ModelKitModels

/// The values of a record by the fields of its model, of which there is none.
///
/// ```swift
/// if theirs[\.name] == nil { result[\.name] = mine[\.name] }
/// ```
public struct ModelValues<M: Model>: Sendable {
    /// The values as they are stored.
    public var values: [FieldKey: AttributeValue]

    /// The value of a field; nil where it has none, or one that the field does not take.
    public subscript<Value>(field: KeyPath<M, Field<Value>>) -> Value? {
        get { read(field) { $0.value } }
        set { set(field, newValue.flatMap { prototype(field).attributeValue(of: $0) }) }
    }

    /// The elements of an array; nil where it has no value, or one that the field does not take.
    public subscript<Element>(field: KeyPath<M, ArrayField<Element>>) -> [Element]? {
        get { read(field) { $0.value } }
        set { set(field, newValue.flatMap { prototype(field).attributeValue(of: $0) }) }
    }

    private func read<F: AnyField, Value>(
        _ path: KeyPath<M, F>,
        _ value: (F) -> Value?
    ) -> Value? {
        guard let entry = entry(of: path), let stored = values[entry.key], !stored.isNull else {
            return nil
        }
        let field = Linking.alone(M.self)[keyPath: path]
        var scope = ImportScope()
        _ = field.read(stored, at: entry.path, revision: nil, in: &scope)
        return scope.issues.isEmpty ? value(field) : nil
    }

    private mutating func set<F: AnyField>(_ path: KeyPath<M, F>, _ value: AttributeValue?) {
        if let entry = entry(of: path) { values[entry.key] = value ?? .null }
    }
}
