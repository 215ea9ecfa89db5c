import ModelKitFields

extension Relation {
    /// Keeps the other side in step with the field of a model.
    ///
    /// - Returns: The field, whose models are to get its owner; nil if it was in step before.
    func install(in model: any Model) -> (any RelationField)? {
        guard let field = entry.relation(in: model), !field.isRelated else { return nil }
        field.link(to: model, isDerived: entry.isDerived) { other in
            let side = side(of: other)
            // It has to be linked itself.
            if side?.isRelated == false { other.ownSchema.link(other) }
            return side
        }
        return field
    }

    /// The field by which a model has the one that has it; nil if it has others as well.
    func way(from model: any Model, backTo owner: any Model) -> AnyField? {
        guard let field = side(of: model) as? any RelationField else { return nil }
        let identifier = owner.identifier
        func isOwner(_ other: any Model) -> Bool {
            if other === owner { return true }
            guard identifier != nil, other.identifier == identifier else { return false }
            // A foreign key may be of a class above.
            return type(of: other) == type(of: owner) || other.hasGaps
        }
        return field.models.allSatisfy(isOwner) ? field : nil
    }

    /// The field of the inverse.
    func side(of model: any Model) -> AnyField? {
        let schema = model.ownSchema
        let entry = schema.type == partner ? inverse : schema.fieldEntry(named: inverse.name)
        return entry?.field(in: model)
    }
}
