import ModelKitModels

/// What a filter is asked about.
protocol FilterFacts {
    /// The type that the values are of; nil if it is not known.
    var schema: ModelSchema? { get }
    /// The value of a key; nil when it is missing or null.
    func known(_ key: FieldKey) -> AttributeValue?
    /// The values of a record of another type; nil if it is not there.
    func find(_ identifier: Identifier, _ schema: ModelSchema) -> RecordValues?
}

extension FilterFacts {
    /// Whether the values of a key compare as numbers, although some are texts.
    ///
    /// Where neither side is a text it makes no difference.
    func areNumbers(_ key: FieldKey, _ value: AttributeValue, _ others: [AttributeValue]) -> Bool {
        let hasText = ([value] + others).contains { if case .string = $0 { true } else { false } }
        return hasText && schema?.holdsNumberTexts(key) ?? false
    }

    /// What a filter says of the model that a value stands for: the model itself, or its identifier.
    func evaluate(
        _ filter: RecordFilter,
        of partner: ModelSchema,
        _ value: AttributeValue
    ) -> Bool? {
        if case .dictionary(let model) = value {
            return filter.evaluate(ModelFacts(model: model, schema: partner, outer: self))
        }
        guard let identifier = try? Identifier(attributeValue: value) else { return nil }
        return find(identifier, partner).flatMap { values in
            filter.evaluate(RecordFacts(values: values, schema: partner, find: find))
        }
    }
}

/// The values of a record.
struct RecordFacts: FilterFacts {
    typealias Find = (Identifier, ModelSchema) -> RecordValues?

    let values: RecordValues
    let schema: ModelSchema?
    /// Finds the records of other types; nil where there are none to look at.
    let find: Find?

    func known(_ key: FieldKey) -> AttributeValue? { values.known(key) }

    func find(_ identifier: Identifier, _ schema: ModelSchema) -> RecordValues? {
        find?(identifier, schema)
    }
}

/// A model that is kept inside of a record.
struct ModelFacts: FilterFacts {
    let model: AttributeDictionary
    let schema: ModelSchema?
    /// Finds the records of other types.
    let outer: any FilterFacts

    func known(_ key: FieldKey) -> AttributeValue? {
        var value = AttributeValue.dictionary(model)
        for name in key.names {
            guard case .dictionary(let inner) = value, let next = inner[name] else { return nil }
            value = next
        }
        if value.isNull { return nil }
        return value
    }

    func find(_ identifier: Identifier, _ schema: ModelSchema) -> RecordValues? {
        outer.find(identifier, schema)
    }
}
