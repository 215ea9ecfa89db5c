import ModelKitFields
import ModelKitModels

extension StoreSession {
    /// Loads the other sides of keys of which a record has the members, as a server may send them with their
    /// owner: they are records of their own, whose revisions it does not send.
    ///
    /// A table in memory may have them of a field that was kept in the record once.
    func takeMembers<M: Model>(of record: Record, into model: M, asked: UInt64) throws(StoreError) {
        if scratch != nil || record.isOfTable { return }
        for relation in model.classSchema.derivedRelations {
            guard case .array(let elements)? = record[relation.entry.key] else { continue }
            var members: [any Model] = []
            for case .dictionary(let values) in elements {
                if let member = try member(of: values, relation, record.identifier, asked: asked) {
                    members.append(member)
                }
            }
            // What is no member, or has no identifier, leaves it open who the others are.
            if members.count < elements.count { continue }
            relation.field(of: model)?.set(members) { member in
                isStored(member, relation.key, since: asked)
            }
        }
    }

    private func member(
        of values: AttributeDictionary,
        _ relation: DerivedRelation,
        _ owner: Identifier,
        asked: UInt64
    ) throws(StoreError) -> (any Model)? {
        let schema = relation.partner
        var row: [FieldKey: AttributeValue] = [:]
        for entry in schema.fields + schema.derivedFields {
            row[entry.key] = values.value(atKey: entry.key)
        }
        if !relation.hasSeveralOwners { row[relation.key.key] = owner.attributeValue }
        guard let key = schema.identifier?.key, let value = row[key],
            let identifier = try? Identifier(attributeValue: value)
        else { return nil }
        let used = object(schema, identifier)
        let revision = used.flatMap { known($0) }?.revision ?? 0
        let record = Record(identifier: identifier, revision: revision, values: row)
        return try model(of: FoundRecord(schema: schema, record: record), asked: asked)
    }
}

extension StoreSession {
    /// Whether a member agrees with the store on its key, so that it is there or was taken away there.
    func isStored(
        _ member: any Model,
        _ key: ModelSchema.Entry,
        since asked: UInt64?
    ) -> Bool {
        // Another object stands for its record: this one was deleted elsewhere, and made anew.
        if let identifier = member.identifier, known(member) == nil,
            let other = object(member.classSchema, identifier), other !== member
        {
            return true
        }
        guard let known = known(member), let asked, known.moment <= asked else { return false }
        return !isWriting(member) && !isEdited(member, key.key, known)
    }

    /// Whether the key of a model was edited since it agreed with its record.
    func isEdited(_ member: any Model, _ key: FieldKey, _ known: Known) -> Bool {
        let schema = member.classSchema
        guard let slot = schema.fields.firstIndex(where: { $0.key == key }) else {
            return true
        }
        let (entry, agreed) = (schema.fields[slot], known.agreements[slot])
        let field = entry.field(in: member)
        guard let value = agreed.value else { return field.revision > agreed.revision }
        let current = schema.agreedValue(of: field, entry, in: member)
        return !(value ?? .null).isSame(as: current ?? .null)
    }
}
