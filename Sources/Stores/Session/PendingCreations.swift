import ModelKitModels

/// The creations that are under way: once one is committed, its record may be read before its model is noted.
struct PendingCreations {
    private typealias Created = [(owner: ObjectIdentifier, write: RecordWrite)]

    /// By what has asked for them, with what was written to the same models later.
    private var writes: [ObjectIdentifier: [RecordWrite]] = [:]
    /// The last of them by their records, once somebody has looked for one.
    private var index: [IdentityMap.Key: Created]?

    mutating func add(_ new: [RecordWrite], by owner: ObjectIdentifier) {
        // As it is, where it is all: a copy would count references.
        if writes[owner] == nil { writes[owner] = new } else { writes[owner]? += new }
        if index != nil { addToIndex(new, by: owner) }
    }

    private mutating func addToIndex(_ new: [RecordWrite], by owner: ObjectIdentifier) {
        for write in new {
            guard write.source != nil, let identifier = write.writtenIdentifier else { continue }
            let key = IdentityMap.Key(write.schema, identifier)
            let place = index?[key]?.firstIndex { $0.owner == owner }
            if let place {
                index?[key]?[place].write = write
            } else if write.mayCreate {
                index?[key, default: []].append((owner, write))
            }
        }
    }

    /// - Returns: Those that have ended, which may not be released under a lock.
    mutating func remove(by owner: ObjectIdentifier) -> [RecordWrite] {
        // All that the index has is in them, too.
        guard let ended = writes.removeValue(forKey: owner) else { return [] }
        if writes.isEmpty {
            index = nil
        } else if index != nil {
            for write in ended {
                guard let identifier = write.writtenIdentifier else { continue }
                let key = IdentityMap.Key(write.schema, identifier)
                index?[key]?.removeAll { $0.owner == owner }
                if index?[key]?.isEmpty ?? false { index?[key] = nil }
            }
        }
        return ended
    }

    /// Those that may have made a record.
    subscript(key: IdentityMap.Key) -> [RecordWrite] {
        mutating get {
            if writes.isEmpty { return [] }
            if index == nil {
                index = [:]
                for (owner, writes) in writes { addToIndex(writes, by: owner) }
            }
            return index?[key]?.map(\.write) ?? []
        }
    }
}

extension RecordWrite {
    /// Whether it may make the record of its model.
    fileprivate var mayCreate: Bool {
        if isCreation { return true }
        if case .save = action { return true }
        return false
    }

    fileprivate var writtenIdentifier: Identifier? {
        isCreation ? creation?.identifier : isDeletion ? nil : knownIdentifier
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
}
