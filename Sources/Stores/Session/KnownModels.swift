import ModelKitModels

/// What is known of the models in use: by a session, and in a transaction with what that has written.
protocol KnownModels {
    /// What an object and its record agree on; nil if it stands for none.
    func known(_ model: AnyObject) -> StoreSession.Known?

    /// Whether the record of an object is deleted, or is being deleted.
    func isDeleted(_ model: any Model) -> Bool

    /// Whether the record of an object was deleted, and it stands for none since.
    func isGone(_ model: any Model) -> Bool
}

extension KnownModels {
    /// What is known of one of some models, of which a conflict is, and the model's schema.
    func known(
        of conflict: StoreError.Conflict,
        _ models: [any Model]
    ) -> (known: StoreSession.Known, schema: ModelSchema)? {
        for model in models {
            let schema = type(of: model).schema
            if schema.name == conflict.type, let known = known(model),
                known.identifier == conflict.identifier
            {
                return (known, schema)
            }
        }
        return nil
    }

    /// The same error; a conflict of one of some models with the values that it was edited from.
    func describing(_ error: any Error, _ models: [any Model]) -> any Error {
        guard case StoreError.conflict(var conflict) = error, conflict.baseValues == nil,
            let (known, schema) = known(of: conflict, models)
        else { return error }
        conflict.baseValues = known.base?.dictionary(of: schema)
        return StoreError.conflict(conflict)
    }
}
