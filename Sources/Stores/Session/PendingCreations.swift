import ModelKitModels

/// The creations that are under way: once one is committed, its record may be read before its model is noted.
struct PendingCreations {
    /// By what has asked for them.
    private var writes: [ObjectIdentifier: [RecordWrite]] = [:]
    /// The same by their records, once somebody has looked for one.
    private var index: [IdentityMap.Key: RecordWrite]?

    mutating func add(_ new: [RecordWrite], by owner: ObjectIdentifier) {
        writes[owner, default: []] += new
        for write in new { if let key = write.createdKey { index?[key] = write } }
    }

    /// - Returns: Those that have ended, which may not be released under a lock.
    mutating func remove(by owner: ObjectIdentifier) -> [RecordWrite] {
        guard let ended = writes.removeValue(forKey: owner) else { return [] }
        var held = ended
        if writes.isEmpty {
            if let index { held += index.values }
            index = nil
        } else if index != nil {
            for write in ended {
                if let key = write.createdKey, let old = index?.removeValue(forKey: key) {
                    held.append(old)
                }
            }
        }
        return held
    }

    /// The one that makes a record.
    subscript(key: IdentityMap.Key) -> RecordWrite? {
        mutating get {
            if writes.isEmpty { return nil }
            if index == nil {
                let all = writes.values.joined().compactMap { write in
                    write.createdKey.map { ($0, write) }
                }
                index = Dictionary(all) { $1 }
            }
            return index?[key]
        }
    }
}

extension RecordWrite {
    /// Where its model will stand, if it may be a new one.
    fileprivate var createdKey: IdentityMap.Key? {
        guard source != nil else { return nil }
        return createdIdentifier.map { IdentityMap.Key(schema, $0) }
    }

    /// The model of a creation, if it is what has made a record, as far as the values show that.
    func creator(of record: Record) -> (any Model)? {
        guard let row = source?.snapshot?.row else { return nil }
        // That of somebody else may be there, so that the creation will fail.
        let isSame = schema.fields.indices.allSatisfy { slot in
            guard let sent = row[slot], !sent.isNull else { return true }
            return record[slot, schema]?.isSame(as: sent) ?? false
        }
        return isSame ? source?.model : nil
    }

    private var createdIdentifier: Identifier? {
        if isCreation { return creation?.identifier }
        guard case .save = action else { return nil }
        return knownIdentifier
    }
}
