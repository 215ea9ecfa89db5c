import ModelKitEssentials

extension FieldTransformer {
    /// The transformer of a type that brings its own form; nil for other types.
    ///
    /// The types that most fields have are found by a comparison. For the others the conformance is
    /// looked for once: that takes microseconds.
    static func standard() -> FieldTransformer? {
        // The comparison proves that the types are one.
        if Value.self == String.self { return unsafeBitCast(Known.string, to: Self.self) }
        if Value.self == Int.self { return unsafeBitCast(Known.int, to: Self.self) }
        if Value.self == Double.self { return unsafeBitCast(Known.double, to: Self.self) }
        if Value.self == Bool.self { return unsafeBitCast(Known.bool, to: Self.self) }
        if Value.self == Date.self { return unsafeBitCast(Known.date, to: Self.self) }
        if Value.self == [String].self { return unsafeBitCast(Known.strings, to: Self.self) }
        return TransformerCache.transformer(of: Value.self)
    }
}

private enum Known {
    static let string = FieldTransformer<String>.convertible
    static let int = FieldTransformer<Int>.convertible
    static let double = FieldTransformer<Double>.convertible
    static let bool = FieldTransformer<Bool>.convertible
    static let date = FieldTransformer<Date>.convertible
    static let strings = FieldTransformer<[String]>.array(of: string)
}

/// The transformers of types that were asked for.
enum TransformerCache {
    private final class Box<Value: Sendable>: Sendable {
        let transformer: FieldTransformer<Value>?
        init(_ transformer: FieldTransformer<Value>?) { self.transformer = transformer }
    }

    private static let known = TypeTable<any AnyObject & Sendable>()

    static func transformer<Value>(of type: Value.Type) -> FieldTransformer<Value>? {
        transformer(for: ObjectIdentifier(type)) {
            (type as? any AttributeConvertible.Type).flatMap { make($0, for: type) }
        }
    }

    /// The transformer of a type of values, or of a class of fields.
    static func transformer<Value>(
        for key: ObjectIdentifier,
        make: () -> FieldTransformer<Value>?
    ) -> FieldTransformer<Value>? {
        let kept = known[key] ?? known.keep(Box(make()), for: key)
        // Of one key there is one type of values.
        return unsafeDowncast(kept, to: Box<Value>.self).transformer
    }

    private static func make<Known: AttributeConvertible, Value>(
        _ known: Known.Type,
        for type: Value.Type
    ) -> FieldTransformer<Value>? {
        if let container = type as? any ConvertibleContainer.Type {
            return container.transformer as? FieldTransformer<Value>
        }
        return FieldTransformer<Known>.convertible as? FieldTransformer<Value>
    }
}

/// An array or dictionary of a type that brings its own form: each element is read on its own, so that all
/// that is wrong is reported.
private protocol ConvertibleContainer {
    static var transformer: any Sendable { get }
}

extension Dictionary: ConvertibleContainer where Key == String, Value: AttributeConvertible {
    fileprivate static var transformer: any Sendable {
        FieldTransformer<[String: Value]>.dictionary(
            of: FieldTransformer<Value>.standard() ?? .convertible
        )
    }
}

extension Array: ConvertibleContainer where Element: AttributeConvertible {
    fileprivate static var transformer: any Sendable {
        FieldTransformer<[Element]>.array(of: FieldTransformer<Element>.standard() ?? .convertible)
    }
}

extension FieldTransformer where Value: AttributeConvertible {
    /// The transformer of a convertible type.
    static var convertible: FieldTransformer {
        var transformer = FieldTransformer(
            kind: Value.attributeKind,
            export: { $0.attributeValue },
            import: { value throws(Issue) in try Value(attributeValue: value) }
        )
        transformer.showsValue = true
        return transformer
    }
}
