extension Field {
    /// Sets how values are exported and imported.
    ///
    /// - Returns: The field, so that it can be written in its declaration.
    @discardableResult
    public final func transform(with transformer: FieldTransformer<Value>) -> Self {
        let state = ensureState()
        var given: FieldTransformer<Value>? = transformer
        lock.withLock {
            swap(&state.transformer, &given)
            // In whatever form they are exported, models change without a set of the field.
            if transformer.holdsModels || hasClassForm { state.holdsModels = true }
            state.transformer?.holdsModels = state.holdsModels
        }
        withExtendedLifetime(given) {}
        return self
    }

    /// Makes this the field that identifies its model, where that is not the one named `id`.
    ///
    /// - Returns: The field, so that it can be written in its declaration.
    @discardableResult
    public final func identifier() -> Self {
        let declaration = ensureDeclaration()
        lock.withLock { declaration.isIdentifier = true }
        return self
    }

    /// Has stores find the field's values quickly: equal ones, ranges and prefixes, and in their order.
    ///
    /// ```swift
    /// let city = Field<String>().indexed()
    /// ```
    ///
    /// It costs some time in each write of the field. Arrays, and models that are kept inside, cannot be
    /// indexed; a foreign key always is.
    ///
    /// - Returns: The field, so that it can be written in its declaration.
    @discardableResult
    public final func indexed() -> Self {
        lock.withLock { if storing == .nothing { storing = .indexed } }
        return self
    }

    /// Has stores refuse a second model with the same value, with
    /// `StoreError.alreadyExists`.
    ///
    /// ```swift
    /// let email = Field<String>().unique()
    /// ```
    ///
    /// Any number of models may have no value. Values are the same as in queries: texts byte by byte. It
    /// holds among the models of one class: one of a subclass may have the value, too. The field is
    /// indexed, too.
    ///
    /// - Returns: The field, so that it can be written in its declaration.
    @discardableResult
    public final func unique() -> Self {
        lock.withLock { storing = .unique }
        return self
    }

    /// Decides by a closure, in place of `==`, which values are the same: those that move
    /// `changedAt` and are delivered to observers of changes are not.
    ///
    /// A value that is the same is stored, delivered to the other observers and taken by computed fields
    /// all the same, so small steps may lead far without a change. nil is the same as nil and as
    /// nothing else; the closure decides about all values, also about NaN.
    ///
    /// ```swift
    /// let width = Field<Double>().equality { abs($0 - $1) < 0.01 }
    /// ```
    ///
    /// - Parameter areSame: Whether two values are the same. It may be called on any thread, with no
    ///   lock held, and more than once for a set.
    /// - Returns: The field, so that it can be written in its declaration.
    @discardableResult
    public final func equality(
        _ areSame: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool
    ) -> Self {
        let state = ensureState()
        var given: (@Sendable (Value, Value) -> Bool)? = areSame
        lock.withLock {
            swap(&state.equality, &given)
            traits.insert(.equality)
        }
        withExtendedLifetime(given) {}
        return self
    }

    /// Sets how values are exported and imported in the contexts of a name, and in those of which it
    /// is a parent.
    ///
    /// ```swift
    /// let born = Field<Date>().transform(with: .epochSeconds, in: api)
    /// ```
    ///
    /// In the default context it is the same as `transform(with:)`. An array takes what the field of
    /// its elements was given before the array was made.
    ///
    /// - Returns: The field, so that it can be written in its declaration.
    @discardableResult
    public final func transform(
        with transformer: FieldTransformer<Value>,
        in context: ValueTransformerContext
    ) -> Self {
        let name = context.name
        if name == TransformerRegistry.defaultName { return transform(with: transformer) }
        let state = ensureState()
        let added = (name: name, transformer: transformer)
        let old = lock.withLock {
            defer { state.contextual = state.contextual.filter { $0.name != name } + [added] }
            return state.contextual
        }
        withExtendedLifetime(old) {}
        return self
    }
}

extension Field: CustomStringConvertible {
    /// The name or key and the value: `age: 36`.
    public final var description: String {
        var traversal = Traversal()
        let value = valueDescription(in: &traversal) ?? "nil"
        let title = lock.withLock { declaration?.title }
        return title.map { "\($0): \(value)" } ?? value
    }
}
