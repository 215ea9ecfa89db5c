extension FieldCore {
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

    /// Whether the field was given a form for any context.
    package final var hasContextualForms: Bool { !contextual.isEmpty }

    /// What the field was given for contexts.
    final var contextual: [(name: String, transformer: FieldTransformer<Value>)] {
        lock.withLock { state?.contextual ?? [] }
    }

    /// The transformer that counts in a context.
    package final func transformer(in registry: TransformerRegistry?) -> FieldTransformer<Value>? {
        guard var level = registry else { return transformer }
        let own = givenTransformer
        let contextual = contextual
        while true {
            if let given = contextual.first(where: { $0.name == level.name }) {
                return given.transformer
            }
            if let own, !own.isOfClass, level.name == TransformerRegistry.defaultName {
                return own
            }
            if let known = level.transformer(of: Value.self) { return known }
            guard let parent = level.parent else { break }
            level = parent
        }
        return transformer
    }
}
