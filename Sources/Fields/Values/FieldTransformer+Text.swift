public import ModelKitValues

extension FieldTransformer where Value: LosslessStringConvertible & AttributeConvertible {
    /// Values as texts, where others write numbers or booleans in quotes; they are also read without.
    ///
    /// ```swift
    /// let count = Field<Int>().transform(with: .text)   // "42"
    /// ```
    ///
    /// A number that is not finite is an issue, as is a text that is no value of the type.
    public static var text: FieldTransformer {
        FieldTransformer(
            kind: .string,
            export: { .string($0.description) },
            import: { attribute throws(Issue) in
                guard case .string(let text) = attribute else {
                    return try Value(attributeValue: attribute)
                }
                guard let value = Value(text), (value as? Double)?.isFinite ?? true,
                    (value as? Float)?.isFinite ?? true
                else {
                    throw Issue(
                        code: "type",
                        message: "must be a text of \(Value.self), not \(attribute.excerpt)",
                        parameters: ["found": attribute.excerptValue]
                    )
                }
                return value
            }
        )
    }
}
