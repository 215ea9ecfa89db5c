public import ModelKitValues
import ModelKitEssentials

/// What is done most with fields of one type of values, compiled where that type is known: in code of any type each
/// step fetches metadata, which takes many times as long as all the rest.
@usableFromInline
final class FieldCode: Sendable {
    @usableFromInline
    typealias Take =
        @Sendable (AnyField, AttributeValue, UInt64?, TransformerRegistry?) throws(Issue) ->
        UInt64??
    @usableFromInline
    typealias Export = @Sendable (AnyField, TransformerRegistry?) -> StandardValue<AttributeValue>
    @usableFromInline
    typealias Validate = @Sendable (AnyField, _ known: [Issue]) -> Findings?

    /// Sets a value that was read, as `AnyField.read`, or throws what its type has against it; nil where the field
    /// has to convert it.
    let take: Take
    let export: Export
    /// The issues of the rules and of others, which the field keeps; nil where there is no code.
    let validate: Validate

    @usableFromInline
    init(_ take: @escaping Take, _ export: @escaping Export, _ validate: @escaping Validate) {
        (self.take, self.export, self.validate) = (take, export, validate)
    }

    @inlinable
    convenience init<Value: AttributeConvertible & Equatable>(of type: Value.Type) {
        self.init(
            { (field, value, revision, registry) throws(Issue) -> UInt64?? in
                let field = unsafeDowncast(field, to: FieldCore<Value>.self)
                guard field.hasStandardForm(in: registry, withoutDomain: true) else { return nil }
                let new = value.isNull ? nil : try Value(attributeValue: value)
                return .some(field.commit(new, at: revision))
            },
            { field, registry in
                switch unsafeDowncast(field, to: FieldCore<Value>.self).standard(in: registry) {
                case .other: .other
                case .absent: .absent
                case .null: .null
                case .value(let value): .value(value.attributeValue)
                }
            },
            { unsafeDowncast($0, to: FieldCore<Value>.self).validateValue(adding: $1) }
        )
    }

    private static let strings = FieldCode(of: String.self)
    private static let integers = FieldCode(of: Int.self)
    private static let doubles = FieldCode(of: Double.self)
    private static let booleans = FieldCode(of: Bool.self)
    private static let known: TypeTable<FieldCode> = {
        let known = TypeTable<FieldCode>()
        _ = known.keep(FieldCode(of: Date.self), for: ObjectIdentifier(Date.self))
        _ = known.keep(FieldCode(of: [String].self), for: ObjectIdentifier([String].self))
        return known
    }()
    private static let none = FieldCode({ _, _, _, _ in nil }, { _, _ in .other }, { _, _ in nil })

    /// The code of a type, which is looked for once, and is kept for ever: nobody has to count a reference.
    ///
    /// Types whose conformance is declared in the module of the values, which is below that of fields, have none but for
    /// those named here: other numbers, URLs, UUIDs, and arrays of anything but strings go the general way.
    static func of(_ type: Any.Type) -> Unmanaged<FieldCode> {
        if type == String.self { return .passUnretained(strings) }
        if type == Int.self { return .passUnretained(integers) }
        if type == Double.self { return .passUnretained(doubles) }
        if type == Bool.self { return .passUnretained(booleans) }
        if let code = known[ObjectIdentifier(type)] { return .passUnretained(code) }
        let made = (type as? any AttributeConvertible.Type)?._fieldCode as? FieldCode
        return .passUnretained(known.keep(made ?? none, for: ObjectIdentifier(type)))
    }
}

extension AttributeConvertible where Self: Equatable {
    // The compiler makes the witness of a type where that conforms, and of this what the type needs.
    @inlinable
    public static var _fieldCode: (any AnyObject & Sendable)? { FieldCode(of: Self.self) }
}
