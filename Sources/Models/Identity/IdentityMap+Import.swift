public import ModelKitFields

extension IdentityMap {
    /// The map of an import.
    package struct Importing: Sendable {
        let map: IdentityMap
        /// Whether also models with fields of their own are those of the map.
        let isDeep: Bool
    }

    @TaskLocal package static var importing: Importing?

    /// Runs a closure, in which models are read with this map: in fields, foreign keys and nested
    /// dictionaries are the objects that it has.
    ///
    /// ```swift
    /// let people = try map.use { try [Person](json: data) }
    /// ```
    public func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$importing.withValue(Importing(map: self, isDeep: true), operation: body)
    }

    /// Runs a closure, in which foreign keys are read with this map.
    package func useForForeignKeys<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$importing.withValue(Importing(map: self, isDeep: false), operation: body)
    }

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
    fileprivate func known<M: Model>(
        _ type: M.Type,
        _ dictionary: AttributeDictionary,
        in registry: TransformerRegistry?
    ) -> M? {
        let schema = M.schema
        guard let index = schema.fields.firstIndex(where: { $0 === schema.identifier }) else {
            return nil
        }
        let key = schema.plan(in: registry).keys[index]
        guard case .found(let value) = dictionary.value(at: key.names[...]), !value.isNull else {
            return nil
        }
        var scope = ImportScope(in: registry)
        let field = schema.fields[index].field(in: schema.prototype)
        let form = field.form(of: value, at: [], in: &scope)
        return form.flatMap(Identifier.init(attributeValue:)).map {
            canonical(type, identifier: $0)
        }
    }
}

extension Model {
    /// The object that a dictionary is of, filled with it: that of the identity map of the import, if
    /// there is one, or a new one.
    static func make(
        of dictionary: AttributeDictionary,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> Self {
        guard let type = instanceType(for: dictionary, at: path, into: &scope.issues) else {
            return Self()
        }
        let map = IdentityMap.importing.flatMap { $0.isDeep ? $0.map : nil }
        if let known = map?.known(type, dictionary, in: scope.registry) {
            known.read(dictionary, at: path, in: &scope)
            return known
        }
        let model = type.init()
        model.read(dictionary, at: path, in: &scope)
        // Its identifier may be a default value.
        map?.insert(model)
        return model
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
}
