import ModelKitModels

/// The creations that are under way: once one is committed, its record may be read before its model is noted.
struct PendingCreations {
    private typealias Created = [(owner: ObjectIdentifier, write: RecordWrite)]
    typealias Effect = (made: MadeWrite, keys: [FieldKey: AttributeValue])

    /// By what has asked for them, with what was written to the same models later.
    private var writes: [ObjectIdentifier: [RecordWrite]] = [:]
    /// The last of them by their records, once somebody has looked for one.
    private var index: [IdentityMap.Key: Created]?
    /// What deletions have done to their records.
    private var effects: [ObjectIdentifier: [Effect]] = [:]

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

    /// Notes what a deletion has done to a record that one of them may have made.
    ///
    /// - Returns: False if none has.
    mutating func note(_ made: MadeWrite, _ keys: [FieldKey: AttributeValue]) -> Bool {
        let key = IdentityMap.Key(made.write.schema, made.receipt.identifier)
        if self[key].isEmpty { return false }
        for (owner, _) in index?[key] ?? [] { effects[owner, default: []].append((made, keys)) }
        return true
    }

    /// - Returns: Those that have ended, which may not be released under a lock, and what deletions have done to their
    ///   records.
    mutating func remove(by owner: ObjectIdentifier) -> ([RecordWrite], [Effect]) {
        // All that the index has is in them, too.
        guard let ended = writes.removeValue(forKey: owner) else { return ([], []) }
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
        return (ended, effects.isEmpty ? [] : effects.removeValue(forKey: owner) ?? [])
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
    fileprivate func creator(of record: Record) -> (any Model)? {
        guard let row = source?.snapshot?.row else { return nil }
        // That of somebody else may be there, so that the creation will fail.
        let isSame = schema.fields.indices.allSatisfy { slot in
            guard let sent = row[slot], !sent.isNull else { return true }
            guard let stored = record[slot, schema] else { return false }
            // A deletion in the same transaction may have taken owners away.
            return stored.isSame(as: sent)
                || schema.fields[slot].isForeignKey
                    && Set(stored.owners).isSubset(of: sent.owners)
        }
        return isSame ? source?.model : nil
    }
}

extension [RecordWrite] {
    /// The model of the first of them that is what has made a record.
    func creator(of record: Record) -> (any Model)? {
        for write in self { if let model = write.creator(of: record) { return model } }
        return nil
    }
}
