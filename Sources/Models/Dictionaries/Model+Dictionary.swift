public import ModelKitFields

extension Model {
    /// The fields' values by their keys.
    ///
    /// Default values are included, and nil that was set is `.null`, unless the context says
    /// otherwise; only a nil that was never set is absent. Of models that contain each other each is
    /// written once, and as its identifier where it comes again; others are written wherever they are. With
    /// a diagnostic, a model is its identifier alone inside of 512 others, and where models share others so
    /// that more than 65 536 are written again, 64 times as many as there are.
    ///
    /// ```swift
    /// person.dictionaryValue()   // ["id": "p1", "name": "Bob", "tags": ["red"]]
    /// person.dictionaryValue(fields: [person.name])   // ["name": "Bob"]
    /// ```
    ///
    /// - Parameters:
    ///   - fields: The fields of this model that are written; nil for all. Models in fields are
    ///     written whole.
    ///   - context: How they are written.
    /// - Returns: The dictionary.
    public func dictionaryValue(
        fields: [AnyField]? = nil,
        in context: ValueTransformerContext = .default
    ) -> AttributeDictionary {
        var traversal = Traversal(in: context.registry)
        let dictionary = dictionaryValue(fields, in: &traversal) ?? [:]
        if let cut = traversal.cut {
            ModelKitDiagnostics.report(
                Diagnostic(code: .deepModels, message: "\(ownSchema.name) \(cut.message)")
            )
        }
        return dictionary
    }

    /// Makes a model of a dictionary, as ``make(of:in:policy:)`` does.
    ///
    /// Keys that no field has are ignored. It is the object that `make(of:)` gives: that of the
    /// identity map of the import, if there is one, and of a subclass where the dictionary says so. Inside of
    /// it, a dictionary with nothing but the identifier of a model that was read before is that model.
    ///
    /// - Parameters:
    ///   - dictionaryValue: The fields' values by their keys.
    ///   - context: How they are written there.
    ///   - policy: What happens to values that do not fit.
    /// - Throws: An `ImportError` with every value that does not fit its field.
    public init(
        dictionaryValue: AttributeDictionary,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict
    ) throws(ImportError) {
        self.init(made: try Self.make(of: dictionaryValue, in: context, policy: policy))
    }

    /// Sets the fields whose keys a dictionary has; the others keep their values.
    ///
    /// - Parameters:
    ///   - dictionaryValue: The fields' values by their keys.
    ///   - context: How they are written there.
    ///   - policy: What happens to values that do not fit.
    /// - Throws: An `ImportError` with every value that does not fit its field. Those fields keep
    ///   their values; the others are set.
    public func read(
        dictionaryValue: AttributeDictionary,
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict
    ) throws(ImportError) {
        var scope = ImportScope(in: context, policy: policy)
        readInUse(dictionaryValue, in: &scope)
        try scope.finish(policy)
    }

    /// Sets the fields of a model that others may have.
    ///
    /// Keys lead to the objects of the store that the model is of.
    func readInUse(_ dictionary: AttributeDictionary, in scope: inout ImportScope) {
        func read() {
            Linking.afterwards(of: Self.self) {
                Linking.inUse { self.read(dictionary, at: [], in: &scope) }
            }
        }
        if ownSchema.hasRelations, IdentityMap.importing == nil, let map = StoreMaps.map(of: self) {
            map.useForForeignKeys(read)
        } else {
            read()
        }
    }

    /// The dictionary; nil inside of the model itself.
    func dictionaryValue(
        _ selection: [AnyField]? = nil,
        in traversal: inout Traversal
    ) -> AttributeDictionary? {
        var result: AttributeDictionary?
        traversal.visit(self, hasName: { identifier != nil }) { traversal in
            let schema = ownSchema
            let plan = schema.plan(in: traversal.registry)
            let writesNull = traversal.writesNull
            // Those that come after this one in a field need it, too.
            let inverse = traversal.inverse
            defer { traversal.inverse = inverse }
            let leftOut = traversal.leavesOutInverses ? inverse?(self) : nil
            func value(of field: AnyField, _ entry: ModelSchema.Entry?) -> AttributeValue? {
                if let selection, !selection.contains(where: { $0 === field }) { return nil }
                if traversal.leavesOutInverses {
                    if leftOut === field { return nil }
                    traversal.inverse = entry.flatMap { schema.inverse(of: $0, in: self) }
                }
                let value =
                    if case .model? = entry?.form, let models = entry?.models {
                        models.attributeValue(of: field, in: &traversal)
                    } else {
                        field.attributeValue(in: &traversal)
                    }
                return writesNull || value?.isNull != true ? value : nil
            }
            var dictionary = plan.template
            var nested: [(FieldKey, AttributeValue)] = []
            var absent: [String] = []
            func fill(_ values: inout AttributeDictionary.Values) {
                for index in plan.order {
                    let entry = schema.fields[index]
                    let value = value(of: entry.field(in: self), entry)
                    if let place = plan.places[index] {
                        if let value {
                            values[place] = value
                        } else if let name = plan.names[index] {
                            absent.append(name)
                        }
                    } else if let value {
                        nested.append((plan.keys[index], value))
                    }
                }
            }
            fill(&dictionary.values)
            for name in absent { dictionary[name] = nil }
            for (key, field) in dynamicFields(in: traversal.registry, plan) {
                if let value = value(of: field, nil) { nested.append((key, value)) }
            }
            for (key, value) in nested { dictionary.set(value, at: key.names[...]) }
            result = dictionary
        }
        return result
    }

    /// Sets the fields whose keys a dictionary has, unless the model is in deeper than an export goes.
    func read(_ dictionary: AttributeDictionary, at path: FieldPath, in scope: inout ImportScope) {
        guard scope.depth <= Traversal.limit else {
            let message = "is inside of more than \(Traversal.limit) models"
            return scope.issues.append(Issue(code: "depth", path: path, message: message))
        }
        scope.depth += 1
        defer {
            scope.depth -= 1
            if scope.depth == 0 { scope.models = nil }
        }
        DeepStack.run(atDepth: path.components.count) { readHere(dictionary, at: path, in: &scope) }
    }

    private func readHere(
        _ dictionary: AttributeDictionary,
        at path: FieldPath,
        in scope: inout ImportScope
    ) {
        let schema = ownSchema
        let plan = schema.plan(in: scope.registry)
        var blocked: [FieldPath] = []
        func attempt(_ found: AttributeDictionary.Lookup, _ field: AnyField, _ key: FieldPath) {
            let known = scope.readCount
            let revision = Linking.attempt {
                read(found, into: field, key, at: path, &blocked, in: &scope)
            }
            if revision == nil { scope.forgetModels(since: known) }
        }
        func readField(_ index: Int) {
            let entry = schema.fields[index]
            let found: AttributeDictionary.Lookup
            if let name = plan.names[index] {
                guard let value = dictionary[name] else { return }
                found = .found(value)
            } else {
                found = dictionary.value(at: plan.keys[index].names[...])
            }
            let (field, key) = (entry.field(in: self), plan.paths[index])
            if entry.isRelation {
                if entry.isForeignKey, case .found(let value) = found,
                    field.hasKey(value, in: scope.registry)
                {
                    return
                }
                attempt(found, field, key)
            } else {
                read(found, into: field, key, at: path, &blocked, in: &scope)
            }
        }
        if schema.mayBeReferredTo {
            // A map knows itself what was read.
            if IdentityMap.importing?.isDeep != true { scope.note(self, of: dictionary, schema) }
            let start = scope.issues.count
            var found: [(index: Int, issues: ArraySlice<Issue>)] = []
            for index in plan.referringOrder {
                let before = scope.issues.count
                readField(index)
                if scope.issues.count > before { found.append((index, scope.issues[before...])) }
            }
            if found.count > 1 {
                let sorted = found.sorted { $0.index < $1.index }.flatMap(\.issues)
                scope.issues.replaceSubrange(start..., with: sorted)
            }
        } else {
            for index in schema.fields.indices { readField(index) }
        }
        for (key, field) in dynamicFields(in: scope.registry, plan) {
            attempt(dictionary.value(at: key.names[...]), field, key.path)
        }
        for (entry, key) in zip(schema.derivedFields, plan.derivedKeys) {
            guard case .found(let value) = dictionary.value(at: key.names[...]),
                let field = entry.field(in: self) as? any RelationField
            else { continue }
            let known = scope.readCount
            let isRead = Linking.attempt {
                field.readMembers(value, at: path.appending(key.path), in: &scope) ? true : nil
            }
            if isRead == nil { scope.forgetModels(since: known) }
        }
    }

    /// Reads what stands at a key.
    ///
    /// A path is noted where something else than a dictionary was found.
    ///
    /// - Returns: The revision of the field's set; nil if it was not set.
    @discardableResult
    private func read(
        _ found: AttributeDictionary.Lookup,
        into field: AnyField,
        _ key: FieldPath,
        at path: FieldPath,
        _ blocked: inout [FieldPath],
        in scope: inout ImportScope
    ) -> UInt64? {
        switch found {
        case .absent: return nil
        case .found(let value):
            let keyPath = path.isEmpty ? key : path.appending(key)
            return field.read(value, at: keyPath, revision: nil, in: &scope)
        case .blocked(let value, let depth):
            // Two fields below one key would report it twice.
            let place = path.appending(FieldPath(Array(key.components.prefix(depth))))
            if !blocked.contains(place) {
                blocked.append(place)
                scope.issues.append(.wrongType(value, expected: "a dictionary", at: place))
            }
            return nil
        }
    }

    /// The fields that are in dictionaries of this object alone, by their keys in a context.
    ///
    /// One whose key another field has there stays as it is declared; one whose own key a field of the
    /// class has there is in no dictionary of that context.
    func dynamicFields(
        in registry: TransformerRegistry?,
        _ plan: ModelPlan
    ) -> [(key: FieldKey, field: AnyField)] {
        let fields = dynamicFields.filter { $0.key != nil && $0.isConvertible }
        if fields.isEmpty { return [] }
        let declared = fields.compactMap(\.key)
        var collisions: [(key: FieldKey, name: String)] = []
        let keys = ModelPlan.keys(declared, beside: plan.keys, in: registry?.keyCase) {
            collisions.append(($1, declared[$0].description))
        }
        let pairs = zip(keys, fields).filter { key, _ in
            !plan.keys.contains { $0.collides(with: key) }
        }
        let isClear = collisions.isEmpty && pairs.count == keys.count
        if !isClear, let object = self as? ModelObject, object.isFoundColliding() {
            let name = ownSchema.name
            for (key, field) in collisions { ModelPlan.report(key, of: name, field) }
            for key in keys where plan.keys.contains(where: { $0.collides(with: key) }) {
                ModelKitDiagnostics.report(
                    Diagnostic(
                        code: .modelDeclaration,
                        message: "\(name) would have the key \(key) twice in a context; the field "
                            + "that was added to one object is left out there",
                        field: key.description
                    )
                )
            }
        }
        return pairs.map { ($0, $1) }
    }
}

extension Decodable {
    /// Takes an object that was made already, which an initialiser of a class alone cannot.
    init(made other: Self) { self = other }
}

extension Array where Element: Model {
    /// The dictionary of each model, in order.
    public func dictionaryValues(
        in context: ValueTransformerContext = .default
    ) -> [AttributeDictionary] {
        map { $0.dictionaryValue(in: context) }
    }

    /// Makes a model of each dictionary.
    ///
    /// - Throws: An `ImportError` with everything that is wrong in any of them.
    public init(
        dictionaryValues: [AttributeDictionary],
        in context: ValueTransformerContext = .default,
        policy: ImportPolicy = .strict
    ) throws(ImportError) {
        self = try Linking.afterwards(of: Element.self) { () throws(ImportError) in
            var scope = ImportScope(in: context, policy: policy)
            let models = dictionaryValues.enumerated().compactMap { index, dictionary in
                Element.make(of: dictionary, at: [.index(index)], in: &scope)
            }
            try scope.finish(policy)
            return models
        }
    }
}

extension AttributeDictionary {
    enum Lookup {
        case absent
        case found(AttributeValue)
        /// A value that is no dictionary stands in the way, behind so many names.
        case blocked(AttributeValue, depth: Int)
    }

    func value(at names: ArraySlice<String>, depth: Int = 1) -> Lookup {
        guard let name = names.first, let value = self[name] else { return .absent }
        if names.count == 1 { return .found(value) }
        switch value {
        case .dictionary(let inner): return inner.value(at: names.dropFirst(), depth: depth + 1)
        case .null: return .absent
        default: return .blocked(value, depth: depth)
        }
    }

    package mutating func set(_ value: AttributeValue, at names: ArraySlice<String>) {
        guard let name = names.first else { return }
        if names.count == 1 {
            self[name] = value
            return
        }
        var inner: AttributeDictionary = [:]
        if case .dictionary(let existing)? = self[name] { inner = existing }
        // Otherwise setting the inner dictionary would copy it.
        self[name] = nil
        inner.set(value, at: names.dropFirst())
        self[name] = .dictionary(inner)
    }
}

extension Traversal.Cut {
    /// What was done, as diagnostics say it.
    fileprivate var message: String {
        switch self {
        case .depth:
            "holds models too deep inside of each other; "
                + "the deepest are written as their identifiers"
        case .size:
            "holds models that share others too often; "
                + "what is too much is written as identifiers"
        }
    }
}
