import ModelKitFields
import ModelKitModels

extension SchemaBuilder {
    /// The schema of valid models of a type, to which they can refer themselves.
    mutating func root(_ schema: ModelSchema) -> SchemaNode {
        models.takeRoot(schema)
        var root = object(schema, isValid: true, at: [])
        root.keywords["title"] = .string(schema.name)
        return root
    }

    /// Makes the schemas that were referred to.
    mutating func define() {
        while let next = models.next() {
            let schema = object(next.schema, isValid: next.isValid, at: next.path)
            definitions[next.name] = schema.value
        }
    }

    /// The schema of a model's dictionary, by the rules of its fields or by its form alone.
    private mutating func object(
        _ schema: ModelSchema,
        isValid: Bool,
        at path: FieldPath
    ) -> SchemaNode {
        var object = SchemaNode(["type": "object"])
        let plan = schema.plan(in: registry)
        let other = another(like: schema.prototype)
        for (index, entry) in schema.fields.enumerated() {
            let place = path.appending(plan.paths[index])
            let field = entry.field(in: schema.prototype)
            let constraint = field.constraint(withRules: isValid)
            var value = self.schema(
                of: JSONType(field, in: registry),
                demanding: constraint,
                at: place
            )
            if isValid && field.hasAsyncRules {
                report(place, "has a rule that only its code knows")
            }
            // Of what each model has of its own, that of one is no default.
            let isShared = entry !== schema.identifier
            value.annotate(with: field, isShared ? entry.field(in: other) : nil, in: registry)
            let isRequired = isValid && field.needsValue(by: constraint)
            object.formIntersection(.property(value, at: plan.keys[index].names[...], isRequired))
        }
        if schema.prototype is ModelObject {
            report(path, "may be of a subclass, which only its code knows", isPart: true)
        }
        if isValid && checksItself(schema.prototype) {
            report(path, "has checks of its fields that only its code knows")
        }
        return object
    }

    /// Another model, whose values are the same only where those of all are.
    private func another<M: Model>(like model: M) -> M { Linking.alone(type(of: model)) }

    /// Whether a model has a check of its own.
    private func checksItself<M: Model>(_ model: M) -> Bool {
        var report = ModelReport(of: model)
        model.check(&report)
        return !report.isUnchecked
    }
}

extension SchemaNode {
    /// Adds what people call a field, and its default value, if that of another model is the same.
    fileprivate mutating func annotate(
        with field: AnyField,
        _ other: AnyField?,
        in registry: TransformerRegistry?
    ) {
        if let name = field.name { keywords["title"] = .string(name) }
        func attribute(of field: AnyField) -> AttributeValue? {
            var traversal = Traversal(in: registry)
            return field.attributeValue(in: &traversal)
        }
        if let other, let value = attribute(of: field), !value.isNull,
            value == attribute(of: other), (try? value.jsonData()) != nil
        {
            keywords["default"] = value
        }
    }

    /// An object with a property, behind so many names.
    ///
    /// A key on the way that is missing or null stands for objects without anything in them.
    fileprivate static func property(
        _ value: SchemaNode,
        at names: ArraySlice<String>,
        _ isRequired: Bool
    ) -> SchemaNode {
        guard let name = names.first else { return value }
        var inner = property(value, at: names.dropFirst(), isRequired)
        if names.count > 1 && !isRequired { inner.acceptNull() }
        var object = SchemaNode(["type": "object", "properties": [name: inner.value]])
        if isRequired { object.keywords["required"] = [.string(name)] }
        return object
    }
}
