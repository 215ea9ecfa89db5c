extension Partial where Root: PartialInitializable {
    /// What can be made of the values.
    ///
    /// - Throws: What the initialiser of the type throws: `keyPathNotSet`, if a value is missing.
    public func unwrapped() throws -> Root { try Root(from: self) }
}

extension Partial {
    /// Sets the value of a property to what is made of a partial of it.
    ///
    /// ```swift
    /// var address = Partial<Address>()
    /// address.street = "High Street"
    /// try user.setValue(address, for: \.address) { try $0.unwrapped() }
    /// ```
    ///
    /// - Parameters:
    ///   - partial: The values of the property's own properties.
    ///   - keyPath: The property.
    ///   - unwrap: Makes the value. If it throws, nothing is set.
    public mutating func setValue<Value: Sendable>(
        _ partial: Partial<Value>,
        for keyPath: any KeyPath<Root, Value> & Sendable,
        unwrapper unwrap: (Partial<Value>) throws -> Value
    ) rethrows {
        update(keyPath, to: try unwrap(partial))
    }

    /// Sets the value of a property to what can be made of a partial of it.
    ///
    /// - Throws: What the initialiser of the property's type throws; nothing is set then.
    public mutating func setValue<Value: PartialInitializable & Sendable>(
        _ partial: Partial<Value>,
        for keyPath: any KeyPath<Root, Value> & Sendable
    ) throws {
        try setValue(partial, for: keyPath) { try $0.unwrapped() }
    }

    /// Sets the value of an optional property to what is made of a partial of it.
    public mutating func setValue<Value: Sendable>(
        _ partial: Partial<Value>,
        for keyPath: any KeyPath<Root, Value?> & Sendable,
        unwrapper unwrap: (Partial<Value>) throws -> Value
    ) rethrows {
        update(keyPath, to: try unwrap(partial))
    }

    /// Sets the value of an optional property to what can be made of a partial of it.
    ///
    /// - Throws: What the initialiser of the property's type throws; nothing is set then.
    public mutating func setValue<Value: PartialInitializable & Sendable>(
        _ partial: Partial<Value>,
        for keyPath: any KeyPath<Root, Value?> & Sendable
    ) throws {
        try setValue(partial, for: keyPath) { try $0.unwrapped() }
    }
}
