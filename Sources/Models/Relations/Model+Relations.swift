import ModelKitFields

extension Model {
    /// The fields of models.
    var relationFields: [any RelationField] { relationEntries.map(\.field) }

    /// The same, with what they are in the schema.
    var relationEntries: [(entry: ModelSchema.Entry, field: any RelationField)] {
        allEntries.compactMap { entry in
            guard entry.holdsModels else { return nil }
            return entry.relation(in: self).map { (entry, $0) }
        }
    }

    /// The models in fields, and whether the field writes them as a foreign key.
    package var modelsInRelations: [(model: any Model, isForeignKey: Bool)] {
        relationEntries.flatMap { entry, field in field.models.map { ($0, entry.isForeignKey) } }
    }

    /// Lets go of the models in fields that no relation keeps in step, as nobody is to see this one.
    func dropUnrelated() {
        for field in relationFields where !field.isRelated { field.removeAllModels() }
    }

    /// The schema of the model's own class.
    package var classSchema: ModelSchema { ownSchema }

    /// Has the other sides of keys keep what is taken out of them, as a store has the model.
    package func keepTaken() {
        for relation in ownSchema.derivedRelations { relation.field(of: self)?.keepTaken() }
    }

    /// Has the other sides of keys let go of what was taken out of them, as no store has the model.
    package func dropTaken() {
        for relation in ownSchema.derivedRelations { relation.field(of: self)?.dropTaken() }
    }

    /// Lets the models that a copy has by its keys know of it.
    package func joinCopied() {
        for relation in ownSchema.relations.all where relation.entry.isForeignKey {
            relation.entry.relation(in: self)?.join()
        }
    }

    /// Takes away what the other sides of keys have, as the model stands for a record, of which others
    /// may know more; the models keep their keys.
    package func unloadDerived() {
        for entry in ownSchema.derivedFields { entry.field(in: self).unload() }
    }
}
