import ModelKitModels

extension StoreSession {
    /// Whether a model has edits that its record does not have.
    func hasEdits(_ model: any Model) -> Bool {
        if isWriting(model) { return true }
        let schema = model.classSchema
        return !Snapshot(of: model, schema).changes(since: known(model)?.agreements, schema).isEmpty
    }

    /// Whether the record of a member has an owner by its key, as far as the store has said.
    func isMember(
        _ member: any Model,
        of owner: any Model,
        _ key: ModelSchema.Entry
    ) -> Bool {
        guard let known = known(member), let identifier = owner.identifier else { return false }
        return known.agreements.owners(by: key, of: member).contains(identifier)
    }

    /// Lets go of a model in the relations that it was taken out of, as that is stored now.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - agreements: What its record had before.
    ///   - written: The keys that were written; nil if the record is gone.
    ///   - touched: Gets the relations.
    func settleTaken(
        _ model: any Model,
        _ agreements: Agreements?,
        _ written: [FieldKey: AttributeValue]?,
        _ touched: inout TouchedRelations
    ) {
        guard let agreements else { return }
        for deriving in model.classSchema.derivingKeys
        where written.map({ $0[deriving.key.key] != nil }) ?? true {
            let owners = written?[deriving.key.key]?.owners ?? []
            for identifier in agreements.owners(by: deriving.key, of: model)
            where !owners.contains(identifier) {
                guard let owner = object(deriving.owner, identifier),
                    let field = deriving.field(of: owner)
                else { continue }
                field.forgetTaken(model)
                touched.add(field)
            }
        }
    }
}

/// The relations that models were taken out of.
struct TouchedRelations {
    private var fields: [ObjectIdentifier: DerivedField] = [:]

    mutating func add(_ field: DerivedField) { fields[field.identity] = field }

    /// Lets go of those that were never stored, which nobody will ask about.
    func forgetUnstored(_ session: StoreSession) {
        for field in fields.values {
            for other in field.taken where session.known(other) == nil && !session.isWriting(other)
            {
                field.forgetTaken(other)
            }
        }
    }
}

extension Agreements {
    /// The owners that a record has by a key.
    fileprivate func owners(by key: ModelSchema.Entry, of model: any Model) -> [Identifier] {
        guard let slot = model.classSchema.fields.firstIndex(where: { $0.name == key.name }),
            let value = self[slot].value
        else { return [] }
        return value?.owners ?? []
    }
}
