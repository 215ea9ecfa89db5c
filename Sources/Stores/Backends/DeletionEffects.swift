package import ModelKitModels

/// What deletions do to the records that refer to the deleted ones: it is done in their transaction, whatever
/// is in use of it.
///
/// A key with a derived other side leads to no record that is gone. With `cascadeDelete` its record is deleted,
/// too, else the key becomes null; one that must not be null refuses the deletion.
package struct DeletionEffects {
    /// A write that follows from others, and what it has left behind.
    package typealias Made = (write: RecordWrite, receipt: RecordReceipt)
    private typealias Deleted = (identifier: Identifier, schema: ModelSchema)

    /// Finds records as they are after the writes before.
    private let find: (RecordQuery, ModelSchema) throws -> [Record]
    private let perform: (RecordWrite) throws -> RecordReceipt
    private var made: [Made] = []

    /// Makes what follows from some writes that were made.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - receipts: What they have left behind.
    ///   - find: Finds records, as they are by then.
    ///   - perform: Makes a write.
    /// - Returns: What was written.
    /// - Throws: `.validation` for a record that needs one that was deleted, and what the closures throw.
    package static func make(
        after writes: [RecordWrite],
        _ receipts: [RecordReceipt],
        find: (RecordQuery, ModelSchema) throws -> [Record],
        perform: (RecordWrite) throws -> RecordReceipt
    ) throws -> [Made] {
        try withoutActuallyEscaping(find) { find in
            try withoutActuallyEscaping(perform) { perform in
                var effects = DeletionEffects(find: find, perform: perform)
                var deleted: [Deleted] = []
                for (write, receipt) in zip(writes, receipts) where write.isDeletion {
                    // A later write may have made it anew.
                    guard !write.schema.derivedRelations.isEmpty,
                        try effects.isGone(receipt.identifier, write.schema)
                    else { continue }
                    deleted.append((receipt.identifier, write.schema))
                }
                // What goes with them needs no owner any more.
                try effects.deleteMembers(of: &deleted)
                for (identifier, schema) in deleted { try effects.release(identifier, schema) }
                return effects.made
            }
        }
    }

    private init(
        find: @escaping (RecordQuery, ModelSchema) throws -> [Record],
        perform: @escaping (RecordWrite) throws -> RecordReceipt
    ) {
        self.find = find
        self.perform = perform
    }

    private func isGone(_ identifier: Identifier, _ schema: ModelSchema) throws -> Bool {
        guard let key = schema.identifier?.key else { return true }
        let filter = RecordFilter.compare(key, .equal, identifier.attributeValue)
        return try find(RecordQuery(filter: filter, limit: 1), schema).isEmpty
    }

    /// Deletes the records that go with others, and adds them to those.
    private mutating func deleteMembers(of deleted: inout [Deleted]) throws {
        var next = 0
        while next < deleted.count {
            let (identifier, schema) = deleted[next]
            next += 1
            for relation in schema.derivedRelations where relation.cascades {
                for partner in relation.partners {
                    let query = RecordQuery(filter: relation.filter(owner: identifier))
                    for record in try find(query, partner) {
                        try write(.delete(record.identifier, revision: nil), partner)
                        deleted.append((record.identifier, partner))
                    }
                }
            }
        }
    }

    /// Takes a record that is gone out of the keys of others.
    private mutating func release(_ identifier: Identifier, _ schema: ModelSchema) throws {
        for relation in schema.derivedRelations where !relation.cascades {
            for partner in relation.partners {
                let query = RecordQuery(filter: relation.filter(owner: identifier))
                for record in try find(query, partner) {
                    let value = try relation.value(of: record, without: identifier, schema.name)
                    let changes = [relation.key.key: value]
                    try write(.update(record.identifier, changes, revision: nil), partner)
                }
            }
        }
    }

    private mutating func write(_ action: RecordWrite.Action, _ schema: ModelSchema) throws {
        let write = RecordWrite(action, of: schema)
        made.append((write, try perform(write)))
    }
}

extension DerivedRelation {
    /// The members of an owner.
    package func filter(owner identifier: Identifier) -> RecordFilter {
        hasSeveralOwners
            ? .contains(key.key, identifier.attributeValue)
            : .compare(key.key, .equal, identifier.attributeValue)
    }

    /// The members of some owners.
    package func filter(owners identifiers: [Identifier]) -> RecordFilter {
        if let identifier = identifiers.first, identifiers.count == 1 {
            return filter(owner: identifier)
        }
        return hasSeveralOwners
            ? .or(identifiers.map(filter(owner:)))
            : .isIn(key.key, identifiers.map(\.attributeValue))
    }

    /// What the key of a record is without an owner.
    fileprivate func value(
        of record: Record,
        without identifier: Identifier,
        _ owner: String
    ) throws(StoreError) -> AttributeValue {
        if mayLackOwner { return record[key.key]?.without([identifier]) ?? .null }
        let message =
            "of \(partner.name) \(record.identifier) is \(owner) \(identifier), which cannot be "
            + "deleted while it is needed there"
        let parameters: [String: AttributeValue] = [
            "type": .string(partner.name), "identifier": record.identifier.attributeValue,
            "field": .string(key.name),
        ]
        var issue = Issue(
            code: "needed",
            path: key.path,
            message: message,
            parameters: parameters
        )
        issue.label = key.title
        throw .validation([issue])
    }
}

extension RecordWrite {
    /// Whether it removes a record.
    var isDeletion: Bool {
        if creation == nil, case .delete = action { true } else { false }
    }

    /// Whether other writes may follow from it.
    package var mayHaveEffects: Bool { !schema.derivedFields.isEmpty && isDeletion }
}
