import ModelKitFields
import ModelKitModels
import ModelKitStores

/// The fields of a type whose values may be anything, so that JSON alone would not distinguish a date from a
/// text; also those of the models in its fields.
struct UntypedFields: Sendable {
    /// Their keys, and the types of the models in them.
    private let fields: [(key: FieldKey, models: ModelSchema?)]
    private let context: ValueTransformerContext

    var isEmpty: Bool { fields.isEmpty }

    init(of schema: ModelSchema, in context: ValueTransformerContext) {
        self.context = context
        fields = zip(schema.fields, schema.keys(in: context)).compactMap { entry, key in
            if entry.isLoose { return (key, nil) }
            guard entry.holdsModels, !entry.isForeignKey, let partner = entry.partnerSchema,
                partner.hasLooseFields
            else { return nil }
            return (key, partner)
        }
    }

    func tagged(_ object: AttributeDictionary) -> AttributeDictionary {
        map(object, StoredJSON.tagged)
    }

    func untagged(_ object: AttributeDictionary) -> AttributeDictionary {
        map(object, StoredJSON.untagged)
    }

    private func map(
        _ object: AttributeDictionary,
        _ change: (AttributeValue) -> AttributeValue
    ) -> AttributeDictionary {
        var object = object
        for (key, models) in fields {
            guard let value = object.value(atKey: key) else { continue }
            let inner = models.map { UntypedFields(of: $0, in: context) }
            object.set(inner?.map(value, change) ?? change(value), at: key.names[...])
        }
        return object
    }

    private func map(
        _ value: AttributeValue,
        _ change: (AttributeValue) -> AttributeValue
    ) -> AttributeValue {
        switch value {
        case .dictionary(let model): .dictionary(map(model, change))
        case .array(let models): .array(models.map { map($0, change) })
        default: value
        }
    }
}

extension ModelSchema {
    /// Whether there are fields whose values may be anything, also in the models of its fields.
    fileprivate var hasLooseFields: Bool {
        var seen: Set<ObjectIdentifier> = [type]
        var waiting = [self]
        while let next = waiting.popLast() {
            for entry in next.fields {
                if entry.isLoose { return true }
                guard !entry.isForeignKey, let partner = entry.partnerSchema else { continue }
                if seen.insert(partner.type).inserted { waiting.append(partner) }
            }
        }
        return false
    }
}

extension ModelSchema.Entry {
    fileprivate var isLoose: Bool {
        if partnerSchema != nil || valueType == Identifier.self { return false }
        if kind == .any || kind == .unsigned { return true }
        return valueType == AttributeDictionary.self || valueType == [AttributeValue].self
            || valueType == [AttributeDictionary].self || valueType == [[AttributeValue]].self
            || valueType == [String: [AttributeValue]].self
            || valueType == [String: AttributeDictionary].self
    }
}
