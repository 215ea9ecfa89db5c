import ModelKitFields
import ModelKitEssentials

/// Which form coders are given.
enum CodedForms {
    /// That of the values of a type, if a context has nothing to say to the type itself.
    static func form(
        of type: Any.Type,
        in registry: TransformerRegistry? = nil
    ) -> any CodedForm.Type {
        switch type {
        case is UInt64.Type, is UInt.Type: CodedValue<UInt64>.self
        case is Decimal.Type: CodedValue<Decimal>.self
        case let type as any CodedContainer.Type: type.form(in: registry)
        case let type as any AttributeConvertible.Type: form(of: type.attributeKind)
        default: AttributeValue.self
        }
    }

    static func form(of kind: AttributeKind) -> any CodedForm.Type {
        switch kind {
        case .bool: CodedValue<Bool>.self
        case .int: CodedValue<Int64>.self
        case .double: CodedValue<Double>.self
        case .string, .decimal, .uuid: CodedValue<String>.self
        case .data: CodedValue<Data>.self
        case .date: CodedValue<Date>.self
        case .array, .dictionary, .unsigned, .any: AttributeValue.self
        }
    }

    /// That of values inside of others.
    fileprivate static func form(
        ofElements type: Any.Type,
        in registry: TransformerRegistry?
    ) -> any CodedForm.Type {
        registry?.transforms(type) == true ? AttributeValue.self : form(of: type, in: registry)
    }

    static func array<Form: CodedForm>(of form: Form.Type) -> any CodedForm.Type {
        CodedArray<Form>.self
    }

    fileprivate static func dictionary<Form: CodedForm>(of form: Form.Type) -> any CodedForm.Type {
        CodedDictionary<Form>.self
    }
}

/// A type of values that are made of others.
private protocol CodedContainer {
    static func form(in registry: TransformerRegistry?) -> any CodedForm.Type
}

extension Array: CodedContainer where Element: AttributeConvertible {
    fileprivate static func form(in registry: TransformerRegistry?) -> any CodedForm.Type {
        CodedForms.array(of: CodedForms.form(ofElements: Element.self, in: registry))
    }
}

extension Dictionary: CodedContainer where Key == String, Value: AttributeConvertible {
    fileprivate static func form(in registry: TransformerRegistry?) -> any CodedForm.Type {
        CodedForms.dictionary(of: CodedForms.form(ofElements: Value.self, in: registry))
    }
}
