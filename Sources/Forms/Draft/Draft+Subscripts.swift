extension Draft {
    /// A property as it is in the draft; setting it is `update`.
    public subscript<Value: Sendable>(
        keyPath: any WritableKeyPath<Root, Value> & Sendable
    ) -> Value {
        get { value[keyPath: keyPath] }
        set { update(keyPath, to: newValue) }
    }

    /// A property as it is in the draft.
    public subscript<Value>(dynamicMember keyPath: any KeyPath<Root, Value> & Sendable) -> Value {
        value[keyPath: keyPath]
    }

    /// A property as it is in the draft; setting it is `update`.
    public subscript<Value: Sendable>(
        dynamicMember keyPath: any WritableKeyPath<Root, Value> & Sendable
    ) -> Value {
        get { value[keyPath: keyPath] }
        set { update(keyPath, to: newValue) }
    }
}
