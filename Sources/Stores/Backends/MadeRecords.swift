package import ModelKitModels

/// Writes that were made together, and those that followed from them.
package struct MadeRecords: Sendable {
    package let writes: [RecordWrite]
    /// One for each of the writes.
    package var receipts: [RecordReceipt] = []
    /// What followed from deletions.
    package var effects: [MadeWrite] = []

    package init(_ writes: [RecordWrite], _ receipts: [RecordReceipt] = []) {
        self.writes = writes
        self.receipts = receipts
    }

    /// Whether something may follow from the writes.
    package var mayHaveEffects: Bool {
        // By their places, which copies none of them.
        writes.indices.contains { writes[$0].mayHaveEffects }
    }

    /// What observers are notified of.
    package var changes: RecordChanges {
        let made = RecordChanges(writes, receipts)
        return effects.isEmpty
            ? made : RecordChanges(made.changes + effects.map { RecordChanges.Change($0) })
    }
}

extension ModelSchema {
    /// The types whose records may change when one of this type is deleted, this one among them.
    package var typesOfEffects: [ModelSchema] { [self] + typesOfMembers.filter { $0 !== self } }

    /// The types whose records may change, or go, with one of this type that is deleted.
    var typesOfMembers: [ModelSchema] {
        var (found, open, deleted): ([ModelSchema], [ModelSchema], [ModelSchema]) = ([], [self], [])
        while let schema = open.popLast() {
            if deleted.contains(where: { $0 === schema }) { continue }
            deleted.append(schema)
            for relation in schema.derivedRelations {
                found += relation.partners.filter { partner in
                    !found.contains { $0 === partner }
                }
                if relation.cascades { open += relation.partners }
            }
        }
        return found
    }
}
