public import ModelKitFields

extension Model {
    /// Calls a closure with every field, in the order of the schema.
    ///
    /// - Parameters:
    ///   - recursive: Whether a field of models is followed by the fields of those, and so on. Each
    ///     model is visited once, so cycles end.
    ///   - action: Is called with each field.
    public func visitAllFields(
        recursive: Bool = true,
        _ action: (AnyField) throws -> Void
    ) rethrows {
        if dynamicFields.isEmpty {
            let schema = ownSchema
            if !recursive || !schema.hasRelations { return try visitOwn(schema, action) }
        } else if !recursive {
            return try allFields.forEach(action)
        }
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        // What is left of the fields of the models on the way, as the way may be long.
        var waiting = [allFields[...]]
        while let field = waiting.last?.first {
            waiting[waiting.count - 1].removeFirst()
            try action(field)
            if let relation = field as? any RelationField {
                let models = relation.models.filter { seen.insert(ObjectIdentifier($0)).inserted }
                waiting += models.reversed().map { $0.allFields[...] }
            }
            while waiting.last?.isEmpty == true { waiting.removeLast() }
        }
    }

    /// Calls a closure with the value of every field, nil included, in the order of the schema; with an
    /// array, and then with each of its elements.
    ///
    /// - Parameters:
    ///   - recursive: Whether a model is followed by the values of its fields, and so on. Each model's
    ///     are visited once, so cycles end.
    ///   - action: Is called with each value.
    public func visitAllFieldValues(
        recursive: Bool = true,
        _ action: (Any?) throws -> Void
    ) rethrows {
        try visitAllFields(recursive: recursive) { field in
            let value = field.anyValue
            try action(value)
            if field.elementField != nil { try (value as? [Any])?.forEach(action) }
        }
    }

    /// Calls a closure with the fields of the class.
    private func visitOwn(
        _ schema: ModelSchema,
        _ action: (AnyField) throws -> Void
    ) rethrows {
        guard let offsets = schema.offsets else {
            return try schema.allFields.forEach { try action($0.field(in: self)) }
        }
        // The model holds them, so the loop need not.
        defer { withExtendedLifetime(self) {} }
        for offset in offsets {
            try FieldAccess.field(of: self, at: offset)._withUnsafeGuaranteedRef { field in
                try action(field)
            }
        }
    }
}
