package import ModelKitValues

extension Field {
    /// Sets how values are exported and imported.
    ///
    /// - Returns: The field, so that it can be written in its declaration.
    @discardableResult
    public final func transform(with transformer: FieldTransformer<Value>) -> Self {
        let state = ensureState()
        let old = lock.withLock {
            let old = state.transformer
            state.transformer = transformer
            // In whatever form they are exported, models change without a set of the field.
            if transformer.holdsModels || hasClassForm { state.holdsModels = true }
            state.transformer?.holdsModels = state.holdsModels
            return old
        }
        withExtendedLifetime(old) {}
        return self
    }

    /// Makes this the field that identifies its model, where that is not the one named `id`.
    ///
    /// - Returns: The field, so that it can be written in its declaration.
    @discardableResult
    public final func identifier() -> Self {
        let details = ensureDetails()
        lock.withLock { details.isIdentifier = true }
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
        lock.withLock { _ = storing.insert(.indexed) }
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
        lock.withLock { _ = storing.insert(.unique) }
        return self
    }

    /// The transformer that the field was given.
    final var givenTransformer: FieldTransformer<Value>? {
        lock.lock()
        defer { lock.unlock() }
        // First, as in code of any type it takes a look at the metadata to know the state.
        return details == nil ? nil : state?.transformer
    }

    /// The transformer that the field was given, or else that of its class, or of its type.
    package final var transformer: FieldTransformer<Value>? {
        givenTransformer ?? (hasClassForm ? .form(of: self) : nil)
            ?? FieldTransformer<Value>.standard()
    }

    final func exportAny(in traversal: inout Traversal) -> AttributeValue? {
        let (value, isSet) = readTracked { (storage, isKnown) }
        guard let value else { return isSet ? .some(.null) : .none }
        return transformer(in: traversal.registry)?.export(value, &traversal)
    }

    final func importAny(
        _ value: AttributeValue,
        at path: FieldPath,
        revision: UInt64?,
        in scope: inout ImportScope
    ) -> UInt64? {
        if value.isNull, scope.nullIsNil || transformer(in: scope.registry)?.takesNull != true {
            return commit(nil, at: revision)
        }
        guard let new = convert(value, at: path, in: &scope) else { return nil }
        return commitRead(new, at: revision)
    }

    /// The field's value for one from a dictionary; nil where there is none, with an issue.
    final func convert(
        _ value: AttributeValue,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> Value? {
        guard let transformer = transformer(in: scope.registry) else {
            scope.issues.append(
                Issue(
                    code: "type",
                    path: path,
                    message: "cannot be read: \(Value.self) is not AttributeConvertible"
                )
            )
            return nil
        }
        guard let new = transformer.read(value, path, &scope) else { return nil }
        if admits(new, at: path, into: &scope.issues) { return new }
        return scope.skipsInvalid ? admissiblePart(of: new) : nil
    }

    /// The form in a dictionary that the field gives a value.
    package final func attributeValue(of value: Value) -> AttributeValue? {
        var traversal = Traversal()
        return transformer?.export(value, &traversal)
    }

    final func describeValue(in traversal: inout Traversal) -> String? {
        guard let value else { return nil }
        guard let attribute = transformer?.export(value, &traversal) else { return "\(value)" }
        return attribute.description
    }
}

extension Field: CustomStringConvertible {
    /// The name or key and the value: `age: 36`.
    public final var description: String {
        var traversal = Traversal()
        let value = valueDescription(in: &traversal) ?? "nil"
        let title = lock.withLock { details?.name ?? details?.key?.description }
        return title.map { "\($0): \(value)" } ?? value
    }
}
