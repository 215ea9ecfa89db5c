public import ModelKitFields

extension Model {
    /// Makes a model of a dictionary, of the class that it says if the type is a `ModelObject`, and the
    /// one in use if the dictionary is read with an identity map.
    ///
    /// - Parameters:
    ///   - dictionary: The fields' values by their keys.
    ///   - context: How they are written there.
    ///   - policy: What happens to values that do not fit.
    /// - Returns: The model.
    /// - Throws: An `ImportError` with every value that does not fit its field, and every model that
    ///   is inside of more than 512 others.
    public static func make(
        of dictionary: AttributeDictionary,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict
    ) throws(ImportError) -> Self {
        try Linking.afterwards(of: Self.self) { () throws(ImportError) in
            var scope = ImportScope(in: context, policy: policy)
            let model = make(of: dictionary, at: [], in: &scope)
            return try scope.finish(model, policy)
        }
    }

    /// The object that a dictionary is of, filled with it: that of the identity map of the import, if
    /// there is one, or a new one; that to which it refers, if it has nothing but the identifier.
    ///
    /// - Returns: The object; nil, with an issue, where it would be of another class.
    static func make(
        of dictionary: AttributeDictionary,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> Self? {
        if let model = scope.model(Self.self, referredToBy: dictionary) { return model }
        guard let type = instanceType(for: dictionary, at: path, in: &scope) else { return nil }
        let map = IdentityMap.importing.flatMap { $0.isDeep ? $0.map : nil }
        guard let known = map?.known(type, dictionary, at: path, in: &scope) else {
            let model = Linking.making(type)
            model.read(dictionary, at: path, in: &scope)
            // Its identifier may be a default value.
            map?.insert(model, for: Linking.reader)
            return model
        }
        switch known.standing {
        case .new: known.model.read(dictionary, at: path, in: &scope)
        case .beingRead:
            Linking.reader?.noteReadAgain(known.model)
            known.model.read(dictionary, at: path, in: &scope)
        case .inUse: Linking.inUse { known.model.read(dictionary, at: path, in: &scope) }
        }
        return known.model
    }

    /// The model of a dictionary; nil of other values, with an issue.
    static func make(
        of value: AttributeValue,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> Self? {
        if case .dictionary(let dictionary) = value {
            return make(of: dictionary, at: path, in: &scope)
        }
        scope.issues.append(.wrongType(value, expected: "a dictionary", at: path))
        return nil
    }

    /// The class of the model of a dictionary; nil, with an issue, if that is none of this type.
    static func instanceType(
        for dictionary: AttributeDictionary,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> Self.Type? {
        guard let base = self as? ModelObject.Type else { return self }
        let type = base.instanceClass(for: schema.declaring(dictionary, in: scope.registry))
        if let type = type as? Self.Type { return type }
        scope.issues.append(
            Issue(code: "type", path: path, message: "is of \(type), which is no \(modelName)")
        )
        return nil
    }
}

extension IdentityMap {
    /// Reads a model: into the object that stands for it, or into a new one, which then does.
    ///
    /// Keys that the dictionary does not have leave their fields as they are.
    ///
    /// - Throws: An `ImportError` with every value that does not fit its field. Those fields keep
    ///   their values; the others are set.
    public func read<M: Model>(
        _ type: M.Type,
        _ dictionaryValue: AttributeDictionary,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict
    ) throws(ImportError) -> M {
        // What a closure throws cannot leave the other one as its own type.
        try use {
            Result { () throws(ImportError) in
                try type.make(of: dictionaryValue, in: context, policy: policy)
            }
        }
        .get()
    }

    /// The object that stands for the model of a dictionary; nil if that has no identifier that fits.
    ///
    /// - Parameters:
    ///   - type: The class that the dictionary is of. If the object is of one that has not all of its
    ///     fields, there is an issue.
    ///   - dictionary: The dictionary.
    ///   - path: Where it is.
    ///   - scope: The import.
    /// - Returns: The object, and how it stands for the model.
    fileprivate func known<M: Model>(
        _ type: M.Type,
        _ dictionary: AttributeDictionary,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> (model: M, standing: Standing)? {
        // A subclass may have another.
        let asked: any Model.Type = type
        guard let identifier = asked.schema.identifier(in: dictionary, scope.registry) else {
            return nil
        }
        let known = canonical(M.self, identifier: identifier, for: Linking.reader) {
            Linking.making(type)
        }
        if known.standing == .new { return known }
        func isOf<Asked: Model>(_ type: Asked.Type) -> Bool { known.model is Asked }
        if !isOf(ModelSchema.dynamic(asked)) {
            let message =
                "is of \(type), but the object in use for \(identifier.description.excerpt()) is of "
                + "\(Swift.type(of: known.model))"
            scope.issues.append(Issue(code: "type", path: path, message: message))
        }
        return known
    }
}

extension ModelSchema {
    /// A dictionary of a context, with what stands at the keys of the fields there under those that they are
    /// declared with, too.
    fileprivate func declaring(
        _ dictionary: AttributeDictionary,
        in registry: TransformerRegistry?
    ) -> AttributeDictionary {
        if registry?.keyCase == nil { return dictionary }
        var declared = dictionary
        for (key, entry) in zip(plan(in: registry).keys, fields) where key != entry.key {
            guard case .found(let value) = dictionary.value(at: key.names[...]) else { continue }
            declared.set(value, at: entry.key.names[...])
        }
        return declared
    }
}

extension Decodable {
    /// Takes an object that was made already, which an initialiser of a class alone cannot.
    init(made other: Self) { self = other }
}
