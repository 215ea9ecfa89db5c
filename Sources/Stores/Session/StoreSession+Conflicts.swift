import ModelKitModels

extension StoreSession {
    /// The same error; a conflict of one of some models with the values that it was edited from.
    func describing(
        _ error: any Error,
        _ models: [any Model],
        _ known: (AnyObject) -> Known?
    ) -> any Error {
        guard case StoreError.conflict(var conflict) = error, conflict.baseValues == nil else {
            return error
        }
        for model in models {
            let schema = type(of: model).schema
            guard schema.name == conflict.type, let known = known(model),
                known.identifier == conflict.identifier
            else { continue }
            conflict.baseValues = known.base?.dictionary(of: schema)
        }
        return StoreError.conflict(conflict)
    }
}
