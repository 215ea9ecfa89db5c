import ModelKitFields

extension AttributeDictionary {
    /// The value of a field; nil where there is none.
    package func value(atKey key: FieldKey) -> AttributeValue? {
        // Nearly all keys have one name.
        guard var value = self[key.names[0]] else { return nil }
        for name in key.names.dropFirst() {
            guard case .dictionary(let inner) = value, let next = inner[name] else { return nil }
            value = next
        }
        return value
    }
}
