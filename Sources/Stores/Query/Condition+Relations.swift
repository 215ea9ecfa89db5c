public import ModelKitFields
public import ModelKitModels

extension Condition {
    /// Whether the model in a field fulfils a condition; unknown where there is none.
    ///
    /// ```swift
    /// let some: Condition<Employee> = .has(\.company, \.name == "Acme")
    /// ```
    ///
    /// A foreign key leads to the model that is stored now, whatever is edited; in a model that is kept
    /// inside, what was written with its owner counts.
    public static func has<Other: Model>(
        _ field: KeyPath<M, ModelField<Other>>,
        _ condition: Condition<Other>
    ) -> Condition {
        Condition(.has(key(of: field), Other.schema, condition.filter))
    }

    /// Whether one of the models in a field fulfils a condition; false where there is none.
    ///
    /// ```swift
    /// let some: Condition<Company> = .hasAny(\.employees, \.age > 30)
    /// ```
    public static func hasAny<Other: Model>(
        _ field: KeyPath<M, ModelArrayField<Other>>,
        _ condition: Condition<Other>
    ) -> Condition {
        Condition(.hasAny(key(of: field), Other.schema, condition.filter))
    }

    /// Whether the model to which a foreign key leads is stored; false where there is none.
    ///
    /// A model that is kept inside counts as stored. On a server one that it hides counts as one that is not, and a
    /// server of others may refuse the question.
    ///
    /// ```swift
    /// let lost = try await store.list(Pet.self, where: \.owner != nil && !.isStored(\.owner)).value
    /// ```
    public static func isStored<Other: Model>(
        _ field: KeyPath<M, ModelField<Other>>
    ) -> Condition {
        Condition(.isStored(key(of: field), Other.schema))
    }

    /// Whether a model, by its identifier, is among those in a field.
    public static func contains<Other: Model>(
        _ field: KeyPath<M, ModelArrayField<Other>>,
        _ model: Other
    ) -> Condition {
        // What has no identifier cannot be found.
        guard let identifier = model.identifier else { return Condition(.or([])) }
        return contains(field, identifier)
    }

    /// Whether the model of an identifier is among those in a field.
    public static func contains<Other: Model>(
        _ field: KeyPath<M, ModelArrayField<Other>>,
        _ identifier: some IdentifierConvertible
    ) -> Condition {
        let (key, partner) = (key(of: field), Other.schema)
        let value = partner.form(of: identifier.identifier)
        if entry(of: field)?.isForeignKey ?? false { return Condition(.contains(key, value)) }
        guard let identity = partner.identifier else { return Condition(.or([])) }
        return Condition(.hasAny(key, partner, .compare(identity.key, .equal, value)))
    }

    /// Whether the model in a field is one of a list, by their identifiers.
    public static func isIn<Other: Model>(
        _ field: KeyPath<M, ModelField<Other>>,
        _ models: [Other]
    ) -> Condition {
        isIn(field, models.compactMap(\.identifier))
    }

    /// Whether the identifier of the model in a field is one of a list.
    public static func isIn<Other: Model>(
        _ field: KeyPath<M, ModelField<Other>>,
        _ identifiers: [some IdentifierConvertible]
    ) -> Condition {
        let partner = Other.schema
        let values = identifiers.map { partner.form(of: $0.identifier) }
        return identified(field) { .isIn($0, values) }
    }

    /// A condition on the identifier of the model in a field.
    fileprivate static func identified<Other: Model>(
        _ field: KeyPath<M, ModelField<Other>>,
        _ condition: (FieldKey) -> RecordFilter
    ) -> Condition {
        let key = key(of: field)
        if entry(of: field)?.isForeignKey ?? false { return Condition(condition(key)) }
        guard let identity = Other.schema.identifier else { return Condition(.or([])) }
        return Condition(.has(key, Other.schema, condition(identity.key)))
    }
}

/// Whether the field has a model, by its identifier; with nil, whether it has none.
///
/// One without an identifier is in no field.
public func == <M: Model, Other: Model>(
    field: KeyPath<M, ModelField<Other>>,
    model: Other?
) -> Condition<M> {
    compare(field, .equal, model)
}

/// Whether the field has another model, by its identifier; with nil, whether it has any.
public func != <M: Model, Other: Model>(
    field: KeyPath<M, ModelField<Other>>,
    model: Other?
) -> Condition<M> {
    compare(field, .notEqual, model)
}

/// Whether the field has the model of an identifier.
public func == <M: Model, Other: Model>(
    field: KeyPath<M, ModelField<Other>>,
    identifier: some IdentifierConvertible
) -> Condition<M> {
    compare(field, .equal, identifier.identifier)
}

/// Whether the field has a model of another identifier.
public func != <M: Model, Other: Model>(
    field: KeyPath<M, ModelField<Other>>,
    identifier: some IdentifierConvertible
) -> Condition<M> {
    compare(field, .notEqual, identifier.identifier)
}

private func compare<M: Model, Other: Model>(
    _ field: KeyPath<M, ModelField<Other>>,
    _ comparison: RecordFilter.Comparison,
    _ model: Other?
) -> Condition<M> {
    if let identifier = model?.identifier { return compare(field, comparison, identifier) }
    if comparison == .equal, model != nil { return Condition(.or([])) }
    let isNull = RecordFilter.isNull(key(of: field))
    return Condition(comparison == .equal ? isNull : .not(isNull))
}

private func compare<M: Model, Other: Model>(
    _ field: KeyPath<M, ModelField<Other>>,
    _ comparison: RecordFilter.Comparison,
    _ identifier: Identifier
) -> Condition<M> {
    let value = Other.schema.form(of: identifier)
    return .identified(field) { .compare($0, comparison, value) }
}

extension ModelSchema {
    /// An identifier as the type's own field stores it.
    fileprivate func form(of identifier: Identifier) -> AttributeValue {
        var scope = ImportScope()
        guard let entry = self.identifier else { return identifier.attributeValue }
        return entry.field(in: prototype)
            .form(of: identifier.attributeValue, at: entry.path, in: &scope)
            ?? identifier.attributeValue
    }
}
