import ModelKitValues

extension Field {
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
        let added = ContextualTransformer(name: name, transformer: transformer)
        while true {
            let old = lock.withLock { state.contextual }
            let others = (old?.all ?? []).filter { $0.name != name }
            let new = ContextualTransformers(others + [added])
            let isSet = lock.withLock {
                guard state.contextual === old else { return false }
                state.contextual = new
                return true
            }
            if isSet { return self }
        }
    }

    /// Whether the field was given a form for any context.
    package final var hasContextualForms: Bool { !contextual.isEmpty }

    /// What the field was given for contexts.
    final var contextual: [ContextualTransformer<Value>] {
        lock.withLock { state?.contextual }?.all ?? []
    }

    /// The transformer that counts in a context.
    package final func transformer(in registry: TransformerRegistry?) -> FieldTransformer<Value>? {
        guard var level = registry else { return transformer }
        let own = givenTransformer
        let contextual = lock.withLock { state?.contextual }
        while true {
            if let given = contextual?.all.first(where: { $0.name == level.name }) {
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

/// What a field was given for the contexts of a name.
struct ContextualTransformer<Value: Sendable>: Sendable {
    let name: String
    let transformer: FieldTransformer<Value>
}

/// What a field was given for contexts: an object, so that a field without any pays nothing.
final class ContextualTransformers<Value: Sendable>: Sendable {
    let all: [ContextualTransformer<Value>]

    init(_ all: [ContextualTransformer<Value>]) { self.all = all }
}
