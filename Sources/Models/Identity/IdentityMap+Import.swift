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
        _ dictionaryValue: AttributeDictionary
    ) throws(ImportError) -> M {
        var issues: [Issue] = []
        let model = use { type.make(of: dictionaryValue, at: [], into: &issues) }
        if !issues.isEmpty { throw ImportError(issues: issues) }
        return model
    }

    /// The object that stands for the model of a dictionary; nil if that has no identifier that fits.
    fileprivate func known<M: Model>(_ type: M.Type, _ dictionary: AttributeDictionary) -> M? {
        guard let entry = M.schema.identifier,
            case .found(let value) = dictionary.value(at: entry.key.names[...]), !value.isNull
        else { return nil }
        var issues: [Issue] = []
        let form = entry.field(in: M.schema.prototype).form(of: value, at: [], into: &issues)
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
        into issues: inout [Issue]
    ) -> Self {
        guard let type = instanceType(for: dictionary, at: path, into: &issues) else {
            return Self()
        }
        let map = IdentityMap.importing.flatMap { $0.isDeep ? $0.map : nil }
        let model = map?.known(type, dictionary) ?? type.init()
        model.read(dictionary, at: path, into: &issues)
        return model
    }
}
