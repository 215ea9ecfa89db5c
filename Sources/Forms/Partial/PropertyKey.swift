import ModelKitFields

/// A key path as a key: the existential of a Sendable one is not Hashable itself.
struct PropertyKey<Root>: Hashable, Sendable {
    let keyPath: any PartialKeyPath<Root> & Sendable

    static func == (lhs: PropertyKey, rhs: PropertyKey) -> Bool { lhs.keyPath == rhs.keyPath }
    func hash(into hasher: inout Hasher) { hasher.combine(keyPath) }
}

// A key path knows the type of its property, so it need not be known where the property is compared
// or copied.
extension PropertyKey {
    /// Whether the property differs in two values (two NaN do not); nil where that is not known,
    /// as its type is not Equatable.
    func differs(_ old: Root, _ new: Root) -> Bool? {
        func compare<Value: Equatable>(_ type: Value.Type) -> Bool? {
            guard let keyPath = keyPath as? KeyPath<Root, Value> else { return nil }
            return ModelKitFields.differs(old[keyPath: keyPath], new[keyPath: keyPath])
        }
        return (type(of: keyPath).valueType as? any Equatable.Type).flatMap { compare($0) }
    }

    /// Sets the property to what it is in another value; one that cannot be set stays, as does one of
    /// an object inside.
    func copy(from source: Root, into target: inout Root) {
        func copy<Value>(_ type: Value.Type) {
            guard let keyPath = keyPath as? WritableKeyPath<Root, Value>,
                !(keyPath is ReferenceWritableKeyPath<Root, Value>)
            else { return }
            target[keyPath: keyPath] = source[keyPath: keyPath]
        }
        _openExistential(type(of: keyPath).valueType, do: copy)
    }
}
