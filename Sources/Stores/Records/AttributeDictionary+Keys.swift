import ModelKitFields

extension AttributeDictionary {
    /// The value of a field; nil where there is none.
    package func value(atKey key: FieldKey) -> AttributeValue? {
        var value = AttributeValue.dictionary(self)
        for name in key.names {
            guard case .dictionary(let inner) = value, let next = inner[name] else { return nil }
            value = next
        }
        return value
    }
}
