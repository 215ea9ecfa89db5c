package import ModelKitFields

// What other modules know of relations by a field of any type.

extension AnyField {
    /// Whether its values are models that are kept elsewhere, by their identifiers.
    package var isKeyField: Bool {
        (self as? any RelationField)?.declaration.isForeignKey ?? false
    }

    /// Whether it is the other side of a key, and not loaded.
    package var isRelationNotLoaded: Bool {
        holdsModels && (self as? any RelationField)?.isUnloadedRelation ?? false
    }

    /// The models in it.
    package var modelsInField: [any Model] { (self as? any RelationField)?.models ?? [] }

    /// The model whose field it is, if it is one side of a relation.
    package var relatedOwner: (any Model)? {
        (self as? any RelationField)?.relationOwner as? any Model
    }

    /// Whether models are dictionaries of all their fields in a context; nil if it holds none.
    package func holdsWholeModels(in registry: TransformerRegistry?) -> Bool? {
        (self as? any NestingField)?.isWhole(in: registry)
    }

    /// The same value with other models; the field itself, if there is none to replace.
    package func replacingModels(_ replacement: (any Model) -> (any Model)?) -> AnyField {
        guard modelsInField.contains(where: { replacement($0) != nil }) else { return self }
        let copy = copy()
        (copy as? any RelationField)?.take(self) { replacement($0) ?? $0 }
        return copy
    }

    /// Takes models out and adds others, as one change.
    package func replace(_ gone: Set<ObjectIdentifier>, with added: [any Model]) {
        guard let relation = self as? any RelationField else { return }
        batch {
            relation.remove(gone)
            _ = relation.add(added)
        }
    }
}
