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
/// Values compare in the form that the field stores, an enum by its raw value; `RecordFilter`
/// describes what unknown ones do.
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

    /// Whether a text ends with another.
    public static func hasSuffix(_ field: KeyPath<M, Field<String>>, _ suffix: String) -> Condition
    {
        Condition(.hasSuffix(key(of: field), suffix))
    }

    /// Whether a text has another in it, byte by byte.
    public static func contains(_ field: KeyPath<M, Field<String>>, _ part: String) -> Condition {
        Condition(.hasSubstring(key(of: field), part))
    }

    /// Whether an array has an element.
    public static func contains<Element: AttributeConvertible>(
        _ field: KeyPath<M, ArrayField<Element>>,
        _ element: Element
    ) -> Condition {
        // In the form that the field's array has it.
        guard case .array(let form)? = prototype(field).attributeValue(of: [element]),
            let value = form.first
        else { return Condition(.contains(key(of: field), element.attributeValue)) }
        return Condition(.contains(key(of: field), value))
    }

    /// Whether the value is one of a list.
    public static func isIn<Value: AttributeConvertible>(
        _ field: KeyPath<M, Field<Value>>,
        _ values: [Value]
    ) -> Condition {
        let prototype = prototype(field)
        return Condition(
            .isIn(key(of: field), values.map { prototype.attributeValue(of: $0) ?? .null })
        )
    }

    /// Whether the value is in a range: `.isIn(\.age, 18...30)`.
    public static func isIn<Value: SortableValue>(
        _ field: KeyPath<M, Field<Value>>,
        _ range: ClosedRange<Value>
    ) -> Condition {
        field >= range.lowerBound && field <= range.upperBound
    }

    /// Whether the value is in a range without its end: `.isIn(\.age, 18..<30)`.
    public static func isIn<Value: SortableValue>(
        _ field: KeyPath<M, Field<Value>>,
        _ range: Range<Value>
    ) -> Condition {
        field >= range.lowerBound && field < range.upperBound
    }
}

/// The field that stands for those of all models.
func prototype<M: Model, F: AnyField>(_ path: KeyPath<M, F>) -> F {
    // The schema of a type keeps a model of that type.
    unsafeDowncast(M.schema.prototype as AnyObject, to: M.self)[keyPath: path]
}

/// The key that a field has in its model.
func key<M: Model, F: AnyField>(of path: KeyPath<M, F>) -> FieldKey {
    key(of: path, prototype(path))
}

/// The same, with the field that stands for those of all models.
func key<M: Model, F: AnyField>(of path: KeyPath<M, F>, _ field: AnyField) -> FieldKey {
    // A field that was left out of the schema has none: what a store says of it names the path.
    M.schema.entry(of: field)?.key ?? FieldKey(path.debugDescription)
}

/// What the schema says of a field; nil of one that is in no record.
func entry<M: Model, F: AnyField>(of path: KeyPath<M, F>) -> ModelSchema.Entry? {
    M.schema.entry(of: prototype(path))
}

extension ModelSchema {
    /// What it says of a field of its prototype.
    fileprivate func entry(of field: AnyField) -> Entry? {
        let prototype = prototype as AnyObject
        return fields.first { $0.field(in: prototype) === field }
    }
}
