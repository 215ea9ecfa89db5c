extension PartialBuilder {
    /// Calls a listener after every change, with its key path and the values it led to.
    ///
    /// The values before the first change are not delivered.
    ///
    /// - Parameter listener: What is notified, on the thread of a change.
    /// - Returns: What ends it; it may be dropped.
    @discardableResult
    public func subscribeToAllChanges(
        _ listener: @escaping @Sendable (any PartialKeyPath<Root> & Sendable, Partial<Root>) -> Void
    ) -> PartialSubscription {
        add { change in listener(change.keyPath, change.new) }
    }

    /// Calls a listener after every change of a property, with its old and new value, nil for none.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - listener: What is notified, on the thread of a change.
    /// - Returns: What ends it; it may be dropped.
    @discardableResult
    @_disfavoredOverload  // of an optional property, the values inside are delivered
    public func subscribeForChanges<Value: Sendable>(
        to keyPath: any KeyPath<Root, Value> & Sendable,
        _ listener: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
    ) -> PartialSubscription {
        add { change in
            if change.keyPath == keyPath { listener(change.old[keyPath], change.new[keyPath]) }
        }
    }

    /// Calls a listener after every change of an optional property, with its old and new value, nil
    /// for none.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - listener: What is notified, on the thread of a change.
    /// - Returns: What ends it; it may be dropped.
    @discardableResult
    public func subscribeForChanges<Value: Sendable>(
        to keyPath: any KeyPath<Root, Value?> & Sendable,
        _ listener: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
    ) -> PartialSubscription {
        add { change in
            if change.keyPath == keyPath { listener(change.old[keyPath], change.new[keyPath]) }
        }
    }

    /// A builder of the value of a property.
    ///
    /// It starts empty. After each of its changes the property here is set to what can be made of
    /// it, and removed where nothing can be; until it is detached, and while this builder lives,
    /// which it does not retain.
    public func builder<Value: PartialInitializable & Sendable>(
        for keyPath: any KeyPath<Root, Value> & Sendable
    ) -> PartialBuilder<Value> {
        child { builder, value in builder.update(keyPath, to: value) }
    }

    /// A builder of the value of an optional property.
    ///
    /// It starts empty. After each of its changes the property here is set to what can be made of
    /// it, and removed where nothing can be; until it is detached, and while this builder lives,
    /// which it does not retain.
    public func builder<Value: PartialInitializable & Sendable>(
        for keyPath: any KeyPath<Root, Value?> & Sendable
    ) -> PartialBuilder<Value> {
        child { builder, value in
            if let value { builder.update(keyPath, to: value) } else { builder.remove(keyPath) }
        }
    }

    private func child<Value: PartialInitializable & Sendable>(
        _ set: @escaping @Sendable (PartialBuilder, Value?) -> Void
    ) -> PartialBuilder<Value> {
        let child = PartialBuilder<Value>()
        child.link(
            by: child.subscribeToAllChanges { [weak self] _, partial in
                if let self { set(self, try? Value(from: partial)) }
            }
        )
        return child
    }
}
