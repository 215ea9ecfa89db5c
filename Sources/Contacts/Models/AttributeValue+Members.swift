import ModelKit

extension AttributeValue {
    /// The value without keys that stand for nothing.
    var withoutNulls: AttributeValue {
        switch self {
        case .array(let values): .array(values.map(\.withoutNulls))
        case .dictionary(let values):
            .dictionary(values.filter { !$0.value.isNull }.mapValues(\.withoutNulls))
        default: self
        }
    }
}

extension AttributeDictionary {
    /// A dictionary with one value at a key.
    static func nesting(
        _ value: AttributeValue,
        at key: FieldKey
    ) -> AttributeDictionary {
        let inner = key.names.dropFirst().reversed().reduce(value) { .dictionary([$1: $0]) }
        return [key.names[0]: inner]
    }
}
