import ModelKitFields
package import ModelKitModels

extension MadeRecords {
    /// Makes what deletions do to the records that refer to the deleted ones: in their transaction, whatever is in
    /// use of it.
    ///
    /// A key with a derived other side leads to no record that is gone. With `cascadeDelete` its record is deleted,
    /// too, else the key becomes null; one that must not be null refuses the deletion.
    ///
    /// - Parameters:
    ///   - find: Finds records, as they are after the writes before.
    ///   - perform: Makes a write.
    /// - Throws: `.validation` for a record that needs one that was deleted, and what the closures throw.
    package mutating func addEffects(
        find: (RecordQuery, ModelSchema) throws -> [Record],
        perform: (RecordWrite) throws -> RecordReceipt
    ) throws {
        var made: [MadeWrite] = []
        func make(_ action: RecordWrite.Action, of record: Record, _ schema: ModelSchema) throws {
            let write = RecordWrite(action, of: schema)
            let receipt = try perform(write)
            made.append(
                MadeWrite(write: write, receipt: receipt, revisionBefore: record.revision)
            )
        }
        func forEachMember(
            of identifier: Identifier,
            by relation: DerivedRelation,
            _ body: (Record, ModelSchema) throws -> Void
        ) throws {
            for partner in relation.partners {
                let query = RecordQuery(filter: relation.filter(owner: identifier))
                for record in try find(query, partner) { try body(record, partner) }
            }
        }
        var deleted: [(identifier: Identifier, schema: ModelSchema)] = []
        for (write, receipt) in zip(writes, receipts) where write.mayHaveEffects {
            let key = try write.schema.identity().key
            let filter = RecordFilter.compare(key, .equal, receipt.identifier.attributeValue)
            // A later write may have made it anew.
            guard try find(RecordQuery(filter: filter, limit: 1), write.schema).isEmpty
            else { continue }
            deleted.append((receipt.identifier, write.schema))
        }
        // First, as what goes with them needs no owner any more.
        var next = 0
        while next < deleted.count {
            let (identifier, schema) = deleted[next]
            next += 1
            for relation in schema.derivedRelations where relation.cascades {
                try forEachMember(of: identifier, by: relation) { record, partner in
                    try make(.delete(record.identifier, revision: nil), of: record, partner)
                    deleted.append((record.identifier, partner))
                }
            }
        }
        for (identifier, schema) in deleted {
            for relation in schema.derivedRelations where !relation.cascades {
                try forEachMember(of: identifier, by: relation) { record, partner in
                    let value = try relation.value(of: record, without: identifier, schema.name)
                    let changes = [relation.key.key: value]
                    try make(
                        .update(record.identifier, changes, revision: nil),
                        of: record,
                        partner
                    )
                }
            }
        }
        effects = made
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
    /// Whether other writes may follow from it.
    package var mayHaveEffects: Bool { !schema.derivedFields.isEmpty && isDeletion }
}
