import ModelKitFields

/// The keys of a model type in a context, and what stands at them in JSON: found once.
final class ModelPlan: Sendable {
    /// The key of each field, in the order of the schema.
    let keys: [FieldKey]
    /// The same as paths.
    let paths: [FieldPath]
    /// The only name of each key; nil of those that have several.
    let names: [String?]
    /// A dictionary with null for each of these names, and where each stands in it, so that no name has
    /// to be looked for where all are written.
    let template: AttributeDictionary
    let places: [AttributeDictionary.Index?]
    /// The same as the keys of JSON objects.
    let json: JSONPlan
    /// Whether JSON is read straight to the fields: not where a relation may reach models that others
    /// know, as what is read may still have to be dropped.
    let readsDirectly: Bool

    /// - Parameters:
    ///   - fields: The fields, in the order of the schema.
    ///   - prototype: A model of the type.
    ///   - keyCase: The case of the keys.
    init(_ fields: [ModelSchema.Entry], of prototype: some Model, in keyCase: KeyCase?) {
        keys = Self.keys(of: fields, type(of: prototype).modelName, in: keyCase)
        paths = keys.map(\.path)
        names = keys.map { $0.names.count == 1 ? $0.names[0] : nil }
        var template = AttributeDictionary(minimumCapacity: names.count)
        for case let name? in names { template[name] = .null }
        self.template = template
        places = names.map { $0.flatMap(template.index(forKey:)) }
        json = JSONPlan(zip(keys, fields).map { JSONPlan.Member($0, $1) })
        // Which class it is of, or which fields it has, an object may say itself.
        let isFixed = !(prototype is ModelObject)
        readsDirectly = isFixed && fields.allSatisfy { $0.models != nil || !$0.holdsModels }
    }

    /// The keys in a case; where one would be that of another field, it stays as it is declared.
    private static func keys(
        of fields: [ModelSchema.Entry],
        _ type: String,
        in keyCase: KeyCase?
    ) -> [FieldKey] {
        var keys = fields.map { $0.key.inCase(keyCase) }
        if keyCase == nil { return keys }
        // A key that has come back may take that of a field before it.
        while let index = keys.indices.first(where: { index in
            keys[index] != fields[index].key
                && keys.indices.contains { other in
                    (other < index || other > index && keys[other] == fields[other].key)
                        && keys[index].collides(with: keys[other])
                }
        }) {
            let entry = fields[index]
            ModelKitDiagnostics.report(
                Diagnostic(
                    code: .modelDeclaration,
                    message: "\(type) would have the key \(keys[index]) twice in a context; "
                        + "the field named \(entry.name) keeps the one it is declared with",
                    field: entry.name
                )
            )
            keys[index] = entry.key
        }
        return keys
    }
}

extension ModelSchema {
    /// The keys in a context.
    func plan(in registry: TransformerRegistry?) -> ModelPlan {
        guard let registry, registry.keyCase != nil else { return plan }
        if isProvisional { return ModelPlan(fields, of: prototype, in: registry.keyCase) }
        return registry.plan(for: ObjectIdentifier(self)) {
            ModelPlan(fields, of: prototype, in: registry.keyCase)
        }
    }
}
