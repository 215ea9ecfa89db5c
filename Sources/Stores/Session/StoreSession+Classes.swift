import ModelKitModels

extension StoreSession {
    /// The object that stands for a record, of the record's class.
    func model<M: Model>(
        _ type: M.Type,
        from found: FoundRecord,
        asked: UInt64
    ) throws(StoreError) -> M {
        if found.schema === M.schema { return try model(type, from: found.record, asked: asked) }
        func open<Subclass: Model>(_ type: Subclass.Type) throws(StoreError) -> M? {
            let made: Subclass = try model(type, from: found.record, asked: asked)
            return made as? M
        }
        let subclass: any Model.Type = Swift.type(of: found.schema.prototype)
        guard let model = try open(subclass) else {
            throw .schema("\(found.schema.name) does not inherit from \(M.schema.name)")
        }
        return model
    }

    /// The object of one of the classes of a type that stands for a record, and agrees with it; nil when
    /// none is in use.
    func used<M: Model>(_ type: M.Type, _ schema: ModelSchema, _ identifier: Identifier) -> M? {
        if schema === M.schema { return used(type, identifier) }
        func open<Subclass: Model>(_ type: Subclass.Type) -> M? { used(type, identifier) as? M }
        let subclass: any Model.Type = Swift.type(of: schema.prototype)
        return open(subclass)
    }
}
