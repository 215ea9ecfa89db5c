#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import ModelKitValues

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

extension FieldTransformer<Decimal> {
    /// Decimals as numbers where those keep every digit, otherwise as texts.
    ///
    /// ```swift
    /// let price = Field<Decimal>().transform(with: .number)   // 12.5, but "0.1234567890123456789"
    /// ```
    public static var number: FieldTransformer {
        FieldTransformer(
            kind: .any,
            export: { $0.number ?? $0.attributeValue },
            import: { value throws(Issue) in try Decimal(attributeValue: value) }
        )
    }
}
