import ModelKitFields

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which form coders are given.
enum CodedForms {
    /// That of a field's values.
    static func form(
        of field: AnyField,
        in registry: TransformerRegistry?
    ) -> any CodedForm.Type {
        let (kind, showsValue) = field.form(in: registry)
        guard showsValue else { return form(of: kind) }
        if let element = field.elementField { return array(of: form(of: element, in: registry)) }
        if let relation = field as? any RelationField {
            if kind == .dictionary { return model(relation.partner) }
            let schema = relation.partner.schema
            let identifier = schema.identifier?.field(in: schema.prototype)
            return identifier.map { form(of: $0, in: registry) } ?? AttributeValue.self
        }
        // What the context gives the values inside is not known.
        if registry?.transformsTypes == true { return form(of: kind) }
        return form(of: field.valueType)
    }

    /// That of the values of a type without any context.
    static func form(of type: Any.Type) -> any CodedForm.Type {
        switch type {
        case is UInt64.Type, is UInt.Type: CodedValue<UInt64>.self
        case is Decimal.Type: CodedValue<Decimal>.self
        case let type as any CodedContainer.Type: type.form
        case let type as any AttributeConvertible.Type: form(of: type.attributeKind)
        default: AttributeValue.self
        }
    }

    private static func form(of kind: AttributeKind) -> any CodedForm.Type {
        switch kind {
        case .bool: CodedValue<Bool>.self
        case .int: CodedValue<Int64>.self
        case .double: CodedValue<Double>.self
        case .string: CodedValue<String>.self
        case .data: CodedValue<Data>.self
        case .date: CodedValue<Date>.self
        case .array, .dictionary, .any: AttributeValue.self
        }
    }

    private static func model<M: Model>(_ type: M.Type) -> any CodedForm.Type {
        CodedModel<M>.self
    }

    fileprivate static func array<Form: CodedForm>(of form: Form.Type) -> any CodedForm.Type {
        CodedArray<Form>.self
    }

    fileprivate static func dictionary<Form: CodedForm>(of form: Form.Type) -> any CodedForm.Type {
        CodedDictionary<Form>.self
    }
}

/// A type of values that are made of others.
private protocol CodedContainer {
    static var form: any CodedForm.Type { get }
}

extension Array: CodedContainer where Element: AttributeConvertible {
    fileprivate static var form: any CodedForm.Type {
        CodedForms.array(of: CodedForms.form(of: Element.self))
    }
}

extension Dictionary: CodedContainer where Key == String, Value: AttributeConvertible {
    fileprivate static var form: any CodedForm.Type {
        CodedForms.dictionary(of: CodedForms.form(of: Value.self))
    }
}
