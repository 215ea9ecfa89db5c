extension Partial {
    /// The value of a property, or nil if none is set; setting nil removes it.
    public subscript<Value: Sendable>(
        keyPath: any KeyPath<Root, Value> & Sendable
    ) -> Value? {
        get { storedValue(for: keyPath) }
        set { update(keyPath, to: newValue) }
    }

    /// The value of an optional property, or nil if none is set; setting nil stores nil.
    public subscript<Value: Sendable>(
        keyPath: any KeyPath<Root, Value?> & Sendable
    ) -> Value? {
        get { storedValue(for: keyPath) ?? nil }
        set { update(keyPath, to: newValue) }
    }

    /// The value of a property, or nil if none is set; setting nil removes it.
    public subscript<Value: Sendable>(
        dynamicMember keyPath: any KeyPath<Root, Value> & Sendable
    ) -> Value? {
        get { self[keyPath] }
        set { self[keyPath] = newValue }
    }

    /// The value of an optional property, or nil if none is set; setting nil stores nil.
    public subscript<Value: Sendable>(
        dynamicMember keyPath: any KeyPath<Root, Value?> & Sendable
    ) -> Value? {
        get { self[keyPath] }
        set { self[keyPath] = newValue }
    }
}
