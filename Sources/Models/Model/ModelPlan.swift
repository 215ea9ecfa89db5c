package import ModelKitFields

/// The keys of a model type in a context, and what stands at them in JSON: found once.
package final class ModelPlan: Sendable {
    /// The key of each field, in the order of the schema.
    package let keys: [FieldKey]
    /// The same as paths.
    package let paths: [FieldPath]
    /// The fields in the order of their keys, in which they are written: who comes first in a cycle is
    /// written whole.
    let order: [Int]
    /// As they are declared, but then those of models, in the order of an export, where what is referred to
    /// comes first.
    let referringOrder: [Int]
    /// The only name of each key; nil of those that have several.
    let names: [String?]
    /// A dictionary with null for each of these names, and where each stands in it, so that no name has
    /// to be looked for where all are written.
    let template: AttributeDictionary
    let places: [AttributeDictionary.Index?]
    /// The same as the keys of JSON objects.
    let json: JSONPlan
    /// The keys of the other sides of keys, in the order of the schema.
    let derivedKeys: [FieldKey]
    /// Whether JSON is read straight to the fields: not where a relation may reach models that others
    /// know, as what is read may still have to be dropped.
    let readsDirectly: Bool

    /// - Parameters:
    ///   - fields: The fields, in the order of the schema.
    ///   - prototype: A model of the type.
    ///   - keyCase: The case of the keys.
    ///   - derived: The other sides of keys, which are read, and written only where that is asked for.
    init(
        _ fields: [ModelSchema.Entry],
        of prototype: some Model,
        in keyCase: KeyCase?,
        derived: [ModelSchema.Entry]
    ) {
        let type = type(of: prototype).modelName
        keys = Self.keys(fields.map(\.key), in: keyCase) { index, key in
            Self.report(key, of: type, fields[index].name)
        }
        paths = keys.map(\.path)
        order = Self.order(of: keys)
        let relations = order.filter { fields[$0].isRelation }
        referringOrder = fields.indices.filter { !fields[$0].isRelation } + relations
        names = keys.map { $0.names.count == 1 ? $0.names[0] : nil }
        var template = AttributeDictionary(minimumCapacity: names.count)
        for case let name? in names { template[name] = .null }
        self.template = template
        places = names.map { $0.flatMap(template.index(forKey:)) }
        json = JSONPlan(
            zip(keys, fields).map { key, entry in
                JSONPlan.Member(
                    names: key.names[...],
                    access: entry.access,
                    form: entry.form,
                    models: entry.models
                )
            }
        )
        // Which class it is of, or which fields it has, an object may say itself.
        let isFixed = !(prototype is ModelObject) && derived.isEmpty
        derivedKeys = derived.map { $0.key.inCase(keyCase) }
        readsDirectly = isFixed && fields.allSatisfy { $0.models != nil || !$0.holdsModels }
    }

    /// That of the bytes of their names, as in JSON.
    private static func order(of keys: [FieldKey]) -> [Int] {
        keys.indices.sorted { left, right in
            keys[left].names.lexicographicallyPrecedes(keys[right].names) {
                $0.utf8.lexicographicallyPrecedes($1.utf8)
            }
        }
    }

    /// Keys in a case; where one would be that of another field, it stays as it is declared.
    ///
    /// - Parameters:
    ///   - declared: The keys as they are declared, of which none is another or inside of one.
    ///   - taken: Keys of other fields, which keep them.
    ///   - keyCase: The case.
    ///   - report: Is given which key stays as it is, and which it would have been.
    /// - Returns: The keys, in the same order.
    static func keys(
        _ declared: [FieldKey],
        beside taken: [FieldKey] = [],
        in keyCase: KeyCase?,
        _ report: (_ index: Int, _ key: FieldKey) -> Void
    ) -> [FieldKey] {
        guard keyCase != nil else { return declared }
        var keys = declared.map { $0.inCase(keyCase) }
        // A key that has come back may take that of a field before it.
        while let index = keys.indices.first(where: { index in
            guard keys[index] != declared[index] else { return false }
            return taken.contains { keys[index].collides(with: $0) }
                || keys.indices.contains { other in
                    (other < index || other > index && keys[other] == declared[other])
                        && keys[index].collides(with: keys[other])
                }
        }) {
            report(index, keys[index])
            keys[index] = declared[index]
        }
        return keys
    }

    /// Reports a field that has another key than a context wants.
    static func report(_ key: FieldKey, of type: String, _ field: String) {
        ModelKitDiagnostics.reportDeclaration(
            "\(type) would have the key \(key) twice in a context; "
                + "the field named \(field) keeps the one it is declared with",
            field
        )
    }
}

extension ModelSchema {
    /// The keys of the fields in a context, in the order of the fields.
    package func keys(in context: ValueTransformerContext) -> [FieldKey] {
        plan(in: context.registry).keys
    }

    /// The keys of the other sides of keys in a context, in the order of `derivedFields`.
    package func derivedKeys(in context: ValueTransformerContext) -> [FieldKey] {
        plan(in: context.registry).derivedKeys
    }

    /// The keys in a context.
    package func plan(in registry: TransformerRegistry?) -> ModelPlan {
        guard let registry, registry.keyCase != nil else { return plan }
        func make() -> ModelPlan {
            ModelPlan(fields, of: prototype, in: registry.keyCase, derived: derivedFields)
        }
        return isProvisional ? make() : registry.plan(for: ObjectIdentifier(self), make: make)
    }
}
