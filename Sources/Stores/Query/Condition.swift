public import ModelKitFields
public import ModelKitModels

/// A condition on models of a type, written with key paths of its fields.
///
/// ```swift
/// let adults: Condition<Person> = \.age >= 18 && !(\.name == nil)
/// let some: Condition<Person> = .hasPrefix(\.name, "A") || .isIn(\.city, ["Rome", "Oslo"])
/// ```
///
/// It holds no key path and no model, only the keys of the fields and values, so it can go anywhere.
/// What unknown values do is told at `RecordFilter`.
public struct Condition<M: Model>: Sendable, Hashable {
    public let filter: RecordFilter

    public init(_ filter: RecordFilter) {
        self.filter = filter
    }

    /// Whether a text starts with another.
    public static func hasPrefix(_ field: KeyPath<M, Field<String>>, _ prefix: String) -> Condition
    {
        Condition(.hasPrefix(key(of: field), prefix))
    }

    /// Whether an array has an element.
    public static func contains<Element: AttributeConvertible>(
        _ field: KeyPath<M, ArrayField<Element>>,
        _ element: Element
    ) -> Condition {
        Condition(.contains(key(of: field), element.attributeValue))
    }

    /// Whether the value is one of a list.
    public static func isIn<Value: AttributeConvertible>(
        _ field: KeyPath<M, Field<Value>>,
        _ values: [Value]
    ) -> Condition {
        Condition(.isIn(key(of: field), values.map(\.attributeValue)))
    }
}

/// The key that a field has in its model.
func key<M: Model, F: AnyField>(of path: KeyPath<M, F>) -> FieldKey {
    // The schema of a type keeps a model of that type.
    let field = unsafeDowncast(M.schema.prototype as AnyObject, to: M.self)[keyPath: path]
    let schema = M.schema
    // A field that was left out of the schema is found in no record.
    return schema.fields.first { $0.field(in: schema.prototype) === field }?.key
        ?? field.key ?? FieldKey(field.name ?? "")
}
