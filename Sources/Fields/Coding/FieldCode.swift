public import ModelKitValues

/// What is done most with fields of one type of values, compiled in the module of that type: in code of any type each
/// step fetches metadata, which takes many times as long as all the rest.
@usableFromInline
final class FieldCode: Sendable {
    /// Sets a value that was read, as `AnyField.read`; nil where the field has to say what it makes of it.
    let take: @Sendable (AnyField, AttributeValue, UInt64?, TransformerRegistry?) -> UInt64?
    let export: @Sendable (AnyField, TransformerRegistry?) -> StandardValue<AttributeValue>
    /// What the rules and others say against the value, which the field keeps; nil where there is no code.
    let validate: @Sendable (AnyField, _ known: [Issue]) -> Findings?

    @usableFromInline
    init(
        take:
            @escaping @Sendable (AnyField, AttributeValue, UInt64?, TransformerRegistry?) ->
            UInt64?,
        export:
            @escaping @Sendable (AnyField, TransformerRegistry?) -> StandardValue<
                AttributeValue
            >,
        validate: @escaping @Sendable (AnyField, _ known: [Issue]) -> Findings?
    ) {
        (self.take, self.export, self.validate) = (take, export, validate)
    }

    private static let known = TypeTable<FieldCode>()
    private static let none = FieldCode(
        take: { _, _, _, _ in nil },
        export: { _, _ in .other },
        validate: { _, _ in nil }
    )

    /// The code of a type, which is looked for once.
    static func of(_ type: Any.Type) -> FieldCode {
        if let code = known[ObjectIdentifier(type)] { return code }
        let made = (type as? any AttributeConvertible.Type)?._fieldCode as? FieldCode
        return known.keep(made ?? none, for: ObjectIdentifier(type))
    }
}

extension AttributeConvertible where Self: Equatable {
    // The compiler makes the witness of a type where that conforms, and of this what the type needs.
    @inlinable
    public static var _fieldCode: (any AnyObject & Sendable)? {
        FieldCode(
            take: { field, value, revision, registry in
                let field = unsafeDowncast(field, to: FieldCore<Self>.self)
                guard field.hasStandardForm(in: registry, withoutDomain: true),
                    let value = try? Self(attributeValue: value)
                else { return nil }
                return field.commit(value, at: revision)
            },
            export: { field, registry in
                switch unsafeDowncast(field, to: FieldCore<Self>.self).standard(in: registry) {
                case .other: .other
                case .absent: .absent
                case .null: .null
                case .value(let value): .value(value.attributeValue)
                }
            },
            validate: { field, known in
                unsafeDowncast(field, to: FieldCore<Self>.self).validateValue(adding: known)
            }
        )
    }
}
