import ModelKitEssentials

// What a value is as data depends on its type: the order and the equality of texts, numbers, truth
// values and enums of them are known from outside, those of other types only to their code.

extension Constraint {
    /// One of the values.
    @usableFromInline
    static func oneOf<Value>(describing values: [Value]) -> Constraint {
        values.allSatisfy(isPlain) ? .oneOf(values.map(AttributeValue.init(describing:))) : .opaque
    }

    /// A bound of numbers or dates.
    @usableFromInline
    static func bound<Value>(
        _ bound: Value,
        _ constraint: (AttributeValue) -> Constraint
    ) -> Constraint {
        if bound is any RawRepresentable || isRounded(bound) { return .opaque }
        guard let decimal = bound as? Decimal else {
            return constraint(AttributeValue(describing: bound))
        }
        return decimal.number.map(constraint) ?? .opaque
    }

    /// Text that says something, an array that has an element, or what only the code knows.
    @usableFromInline
    static func notBlank<Value>(_ type: Value.Type) -> Constraint {
        let isKnown = type == String.self || type is any RangeReplaceableCollection.Type
        return isKnown ? .notBlank : .all([.required, .opaque])
    }

    /// Whether the number has more digits than a double, which JSON has of it, or is an integer beyond
    /// those of JSON here.
    ///
    /// Of the Float 0.1 JSON has 0.1, as models write it.
    private static func isRounded(_ value: Any) -> Bool {
        if let number = value as? any BinaryInteger { return Int64(exactly: number) == nil }
        guard let number = value as? any BinaryFloatingPoint, !(value is Double), !(value is Float)
        else { return false }
        return Double("\(number)") != Double(number)
    }

    /// Whether a value with a raw value is something else as data.
    private static func hasOwnForm(_ value: any RawRepresentable) -> Bool {
        guard let value = value as? any AttributeConvertible else { return false }
        return value.attributeValue != AttributeValue(describing: value)
    }

    private static func isPlain(_ value: Any) -> Bool {
        if isRounded(value) { return false }
        return switch value {
        case is AttributeValue, is Bool, is any BinaryInteger, is any BinaryFloatingPoint,
            is String:
            true
        case let value as any RawRepresentable: isPlain(value.rawValue) && !hasOwnForm(value)
        default: false
        }
    }
}
