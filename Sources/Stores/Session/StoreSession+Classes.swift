package import ModelKitModels

extension StoreSession {
    /// The object that stands for a record, of the record's class.
    func model<M: Model>(
        _ type: M.Type,
        from found: FoundRecord,
        asked: UInt64
    ) throws(StoreError) -> M {
        if found.schema === M.schema { return try model(type, from: found.record, asked: asked) }
        guard let model = try model(of: found, asked: asked) as? M else {
            throw .schema("\(found.schema.name) does not inherit from \(M.schema.name)")
        }
        return model
    }

    /// The same, of any class.
    package func model(of found: FoundRecord, asked: UInt64? = nil) throws(StoreError) -> any Model
    {
        func open<M: Model>(_ type: M.Type) throws(StoreError) -> any Model {
            try model(type, from: found.record, asked: asked ?? now)
        }
        return try open(found.schema.modelType)
    }
}

extension ModelSchema {
    /// The class that it is of.
    package var modelType: any Model.Type { Swift.type(of: prototype) }
}
