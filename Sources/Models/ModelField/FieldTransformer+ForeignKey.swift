import ModelKitFields

extension FieldTransformer where Value: Model {
    /// A model as its identifier alone.
    ///
    /// Read, it is the model in use that the identity map of the import has for it, or a new one of
    /// which nothing else is known.
    static var foreignKey: FieldTransformer {
        var transformer = FieldTransformer(
            kind: .any,
            holdsModels: true,
            traversing: { model, traversal in
                model.ownSchema.identifier?.field(in: model).attributeValue(in: &traversal) ?? .null
            },
            read: { value, path, scope in
                guard let entry = Value.schema.identifier else {
                    scope.issues.append(
                        Issue(
                            code: "type",
                            path: path,
                            message: "cannot be read: \(Value.modelName) has no identifier"
                        )
                    )
                    return nil
                }
                let before = scope.issues.count
                let form = entry.field(in: Value.schema.prototype)
                    .form(of: value, at: path, in: &scope)
                guard let identifier = form.flatMap({ try? Identifier(attributeValue: $0) }) else {
                    if scope.issues.count == before {
                        scope.issues.append(
                            .wrongType(value, expected: "an identifier", at: path)
                        )
                    }
                    return nil
                }
                let map = IdentityMap.importing?.map ?? scope.foreignKeys
                return map.canonical(Value.self, identifier: identifier, for: Linking.reader).model
            }
        )
        transformer.leavesOutNull = true
        transformer.isOfClass = true
        return transformer
    }
}

extension ImportScope {
    /// The models behind foreign keys, so that those of one identifier are one object in all of an
    /// import that has no map of its own.
    fileprivate var foreignKeys: IdentityMap {
        mutating get {
            if let map = references as? IdentityMap { return map }
            // Nobody could let go of models that shells have by default.
            let map = IdentityMap(linksShells: !Linking.isScratch)
            references = map
            return map
        }
    }
}

extension Model {
    /// The model that an element of the other side of a key stands for: that of a dictionary, or of an
    /// identifier.
    static func member(
        of value: AttributeValue,
        at path: FieldPath,
        in scope: inout ImportScope
    ) -> Self? {
        if case .dictionary = value { return make(of: value, at: path, in: &scope) }
        return FieldTransformer<Self>.foreignKey.read(value, path, &scope)
    }
}
