extension FieldTransformer {
    /// The transformer of a type that brings its own form; nil for other types.
    ///
    /// The types that most fields have are told by a comparison, the others by a search for the
    /// conformance, which is slow: the caller keeps the result.
    static func standard() -> FieldTransformer? {
        func known<Known: AttributeConvertible>(_ type: Known.Type) -> FieldTransformer? {
            FieldTransformer<Known>.convertible as? FieldTransformer
        }
        guard let type = Value.self as? any AttributeConvertible.Type else { return nil }
        return known(type)
    }
}
