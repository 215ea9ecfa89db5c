package import ModelKitModels

extension Diagnostic {
    /// Says what is found nowhere but with the owners of a relation that is derived by now.
    ///
    /// - Parameters:
    ///   - relation: The type and the property.
    ///   - models: How many models have no record.
    ///   - keys: How many records lack the key.
    ///   - remedy: What makes records of them.
    /// - Returns: Nil where there is nothing to say.
    package static func oldColumn(
        of relation: String,
        models: Int,
        keys: Int,
        remedy: String
    ) -> Diagnostic? {
        var found: [String] = []
        if models > 0 {
            found.append("\(models) \(models == 1 ? "model" : "models") without a record")
        }
        if keys > 0 {
            found.append("the owners of \(keys) \(keys == 1 ? "record" : "records") without a key")
        }
        if found.isEmpty { return nil }
        return Diagnostic(
            code: .oldColumn,
            message: "what was kept of \(relation) with the owners is not read any more, but has "
                + "\(found.joined(separator: " and ")): \(remedy) makes records of them",
            field: relation
        )
    }
}

extension ModelSchema {
    /// The schema of the class of a dictionary: this one or a subclass.
    package func schema(of dictionary: AttributeDictionary) -> ModelSchema {
        (prototype as? ModelObject)
            .map { Swift.type(of: $0).instanceClass(for: dictionary).schema } ?? self
    }
}
