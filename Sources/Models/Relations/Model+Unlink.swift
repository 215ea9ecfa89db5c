import ModelKitFields

extension Model {
    /// Takes the model out of all fields of others that are inverses of its own, and those models out
    /// of its own.
    ///
    /// Models that have each other keep each other alive; this ends it. Fields without an inverse keep
    /// their values.
    public func unlink() {
        batch {
            for relation in ownSchema.relations.all {
                (relation.entry.field(in: self) as? any RelationField)?.removeAllModels()
            }
        }
    }
}
