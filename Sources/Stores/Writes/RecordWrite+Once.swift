import ModelKitModels

extension [[RecordWrite]] {
    /// Leaves out what goes with the model of a part, where another part deletes it anyway.
    ///
    /// - Throws: `.unsupported` where another part is of it.
    mutating func deleteOnce() throws(StoreError) {
        func key(of write: RecordWrite) -> IdentityMap.Key? {
            write.target.map { IdentityMap.Key(write.schema, $0.identifier) }
        }
        // By whether it is a deletion.
        var own: [IdentityMap.Key: Bool] = [:]
        for write in compactMap(\.first) {
            if let key = key(of: write) { own[key] = write.isDeletion }
        }
        var gone: Set<IdentityMap.Key> = []
        for index in indices where self[index].count > 1 {
            var kept = [self[index][0]]
            for write in self[index].dropFirst() {
                guard let key = key(of: write) else { continue }
                switch own[key] {
                case nil where gone.insert(key).inserted: kept.append(write)
                case false?:
                    throw .deletedAndWritten(write.schema.prototype)
                default: continue
                }
            }
            self[index] = kept
        }
    }
}

extension StoreError {
    /// That an object was deleted, whose identifier another may have by now.
    static func gone(_ model: some Model) -> StoreError {
        guard let identifier = model.identifier else {
            return .noIdentifier(type: model.classSchema.name)
        }
        return .notFound(type: model.classSchema.name, identifier: identifier)
    }

    /// That a model of a batch goes with one that is deleted in it.
    static func deletedAndWritten(_ model: any Model) -> StoreError {
        let name = type(of: model).modelName
        return .unsupported(
            "the same \(name) is to be written twice at once: it goes with what is deleted"
        )
    }
}
