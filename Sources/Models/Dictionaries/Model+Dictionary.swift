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
            ModelKitDiagnostics.report(.deepModels, "\(ownSchema.name) \(cut.message)")
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
}

extension Model {
    /// The dictionary of a model in a field.
    func nestedDictionary(in traversal: inout Traversal) -> AttributeDictionary {
        dictionaryValue(in: &traversal) ?? reference(in: &traversal)
    }

    /// The dictionary with nothing but the identifier, if there is one.
    func reference(in traversal: inout Traversal) -> AttributeDictionary {
        let schema = ownSchema
        guard let key = schema.identifierKey(in: traversal.registry),
            let value = schema.identifier?.field(in: self).attributeValue(in: &traversal),
            !value.isNull
        else { return [:] }
        var reference: AttributeDictionary = [:]
        reference.set(value, at: key.names[...])
        return reference
    }
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
