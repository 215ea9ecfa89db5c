public import ModelKitValues

/// A field of an enum's cases, which are their raw values in dictionaries.
///
/// ```swift
/// enum Color: String, CaseIterable { case red, blue }
/// let color = EnumField<Color>()
/// let colors = EnumField<Color>()*
/// ```
///
/// A raw value that is none of the cases' is an issue that names them, and the field keeps its value. Where
/// a context gives the type another form, that counts.
// Safe: as for `Field`; it has no variable of its own.
public final class EnumField<Value>: Field<Value>, @unchecked Sendable
where
    Value: RawRepresentable & CaseIterable & Equatable & Sendable,
    Value.RawValue: AttributeConvertible
{
    public override init(
        value: Value? = nil,
        name: String? = nil,
        priority: Int? = nil,
        key: FieldKey? = nil
    ) {
        super.init(value: value, name: name, priority: priority, key: key)
        transform(with: .cases)
        constrain(to: Array(Value.allCases))
    }

    public override func copy() -> EnumField<Value> {
        let copy = EnumField()
        copy.adopt(self)
        return copy
    }
}

extension FieldTransformer
where Value: RawRepresentable & CaseIterable, Value.RawValue: AttributeConvertible {
    /// The cases of an enum as their raw values.
    fileprivate static var cases: FieldTransformer {
        var transformer = FieldTransformer(
            kind: Value.RawValue.attributeKind,
            export: { $0.rawValue.attributeValue },
            import: { attribute throws(Issue) in
                let raw = try Value.RawValue(attributeValue: attribute)
                if let value = Value(rawValue: raw) { return value }
                let allowed = Value.allCases.map { $0.rawValue.attributeValue }
                throw Issue("oneOf", "must be one of", .array(allowed), as: "values")
            }
        )
        transformer.showsValue = true
        transformer.isOfClass = true
        return transformer
    }
}
