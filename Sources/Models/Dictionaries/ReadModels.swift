package import ModelKitFields

/// The models that an import has read inside of the outermost one, and that one itself: by them it knows
/// what a dictionary with nothing but an identifier refers to.
final class ReadModels {
    private struct Addition {
        let key: IdentityMap.Key
        /// What stood there before.
        let former: (any Model)?
    }

    private var models: [IdentityMap.Key: any Model] = [:]
    private var additions: [Addition] = []

    /// How often a model was added.
    var count: Int { additions.count }

    subscript(key: IdentityMap.Key) -> (any Model)? { models[key] }

    /// Adds a model, which others of that key were read before.
    func add(_ model: any Model, at key: IdentityMap.Key) {
        additions.append(Addition(key: key, former: models.updateValue(model, forKey: key)))
    }

    /// Forgets the models that were added since there were so many.
    func forget(since count: Int) {
        while additions.count > count {
            let last = additions.removeLast()
            models[last.key] = last.former
        }
    }
}

extension ImportScope {
    private var readModels: ReadModels? { models as? ReadModels }

    /// How many models were read to which dictionaries may refer.
    var readCount: Int { models == nil ? 0 : readModels?.count ?? 0 }

    /// Notes that a model is read, to which dictionaries inside of it may refer, and those that come after it.
    mutating func note(
        _ model: some Model,
        of dictionary: AttributeDictionary,
        _ schema: ModelSchema
    ) {
        let given = schema.identifier(in: dictionary, registry)
        guard let identifier = given ?? model.identifier else { return }
        let known = readModels ?? ReadModels()
        models = known
        for type in [schema.type] + schema.bases {
            known.add(model, at: IdentityMap.Key(type: type, identifier: identifier))
        }
    }

    /// Forgets models that are dropped.
    func forgetModels(since count: Int) { if models != nil { readModels?.forget(since: count) } }

    /// The model that was read to which a dictionary refers: what has nothing but the identifier of one is
    /// that one.
    func model<M: Model>(_ type: M.Type, referredToBy dictionary: AttributeDictionary) -> M? {
        guard dictionary.count == 1, let readModels,
            let key = type.schema.identifierKey(in: registry),
            dictionary.hasNothing(but: key.names[...]),
            let identifier = type.schema.identifier(in: dictionary, registry),
            let model = readModels[
                IdentityMap.Key(type: ObjectIdentifier(type), identifier: identifier)
            ] as? M
        else { return nil }
        Linking.noteReference()
        return model
    }
}

extension ModelSchema {
    /// The key of the identifier in a context.
    package func identifierKey(in registry: TransformerRegistry?) -> FieldKey? {
        fields.firstIndex { $0 === identifier }.map { plan(in: registry).keys[$0] }
    }

    /// The identifier in a dictionary; nil if there is none that fits.
    func identifier(
        in dictionary: AttributeDictionary,
        _ registry: TransformerRegistry?
    ) -> Identifier? {
        guard let key = identifierKey(in: registry),
            case .found(let value) = dictionary.value(at: key.names[...]), !value.isNull
        else { return nil }
        var scope = ImportScope(in: registry)
        let form = identifier?.field(in: prototype).form(of: value, at: [], in: &scope)
        return form.flatMap { try? Identifier(attributeValue: $0) }
    }
}

extension AttributeDictionary {
    /// Whether nothing stands in it but what the names lead to.
    fileprivate func hasNothing(but names: ArraySlice<String>) -> Bool {
        guard count == 1, let name = names.first, let value = self[name] else { return false }
        if names.count == 1 { return true }
        guard case .dictionary(let inner) = value else { return false }
        return inner.hasNothing(but: names.dropFirst())
    }
}
