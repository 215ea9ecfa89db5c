extension PartialBuilder {
    /// The value of a property.
    ///
    /// - Throws: `keyPathNotSet` if none is set, of an optional property too.
    public func value<Value: Sendable>(
        for keyPath: any KeyPath<Root, Value> & Sendable
    ) throws(PartialError<Root>) -> Value {
        try partial.value(for: keyPath)
    }

    /// A property of the value of a property.
    ///
    /// - Throws: `keyPathNotSet` if no value is set for the first key path.
    public func value<Value: Sendable, Inner>(
        for keyPath: any KeyPath<Root, Value> & Sendable,
        _ inner: KeyPath<Value, Inner>
    ) throws(PartialError<Root>) -> Inner {
        try partial.value(for: keyPath, inner)
    }

    /// Sets the value of a property; nil of an optional property is stored.
    public func setValue<Value: Sendable>(
        _ value: Value,
        for keyPath: any KeyPath<Root, Value> & Sendable
    ) {
        change(keyPath) { $0.setValue(value, for: keyPath) }
    }

    /// Removes the value of a property and returns it; nil if there was none.
    @discardableResult
    public func removeValue<Value: Sendable>(
        for keyPath: any KeyPath<Root, Value> & Sendable
    ) -> Value? {
        change(keyPath) { $0.remove(keyPath) }.storedValue(for: keyPath)
    }

    /// The value of a property, or nil if none is set; setting nil removes it.
    ///
    /// To change a value in place, as by `+=`, is to read and to set it: what another thread sets
    /// between the two is lost.
    public subscript<Value: Sendable>(
        keyPath: any KeyPath<Root, Value> & Sendable
    ) -> Value? {
        get { partial[keyPath] }
        set { update(keyPath, to: newValue) }
    }

    /// The value of an optional property, or nil if none is set; setting nil stores nil.
    public subscript<Value: Sendable>(
        keyPath: any KeyPath<Root, Value?> & Sendable
    ) -> Value? {
        get { partial[keyPath] }
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

extension PartialBuilder where Root: PartialInitializable {
    /// What can be made of the values as they are now.
    ///
    /// - Throws: What the initialiser of the type throws: `keyPathNotSet`, if a value is missing.
    public func unwrapped() throws -> Root { try partial.unwrapped() }
}
