import ModelKitModels

/// The records that there are of the models of a relation before any is made of old values.
struct OldMembers {
    private let relation: DerivedRelation
    private var records: [Identifier: Record] = [:]
    /// By their owners, those that may be of models without an identifier, as no old value names them.
    private var unnamed: [Identifier: [Record]] = [:]

    init(
        of relation: DerivedRelation,
        _ records: [Record],
        _ elements: [(owner: Identifier, element: AttributeValue)]
    ) {
        self.relation = relation
        for record in records { self.records[record.identifier] = record }
        var named: [Identifier: Set<Identifier>] = [:]
        var hasUnnamed = false
        for (owner, element) in elements {
            if let identifier = element.identifier(of: relation.partner) {
                named[owner, default: []].insert(identifier)
            } else {
                hasUnnamed = true
            }
        }
        if !hasUnnamed { return }
        for record in records {
            for owner in record.owners(by: relation.key.key)
            where named[owner]?.contains(record.identifier) != true {
                unnamed[owner, default: []].append(record)
            }
        }
    }

    subscript(identifier: Identifier) -> Record? { records[identifier] }

    /// Takes the first record of an owner that has the values of a model without an identifier, and that was not
    /// taken before; false if there is none.
    mutating func take(like model: AttributeDictionary, of owner: Identifier) -> Bool {
        let schema = relation.partner.schema(of: model)
        if AttributeValue.dictionary(model).identifier(of: schema) != nil { return false }
        let values = schema.fields.compactMap { entry -> (FieldKey, AttributeValue)? in
            guard entry !== schema.identifier, entry.key != relation.key.key,
                let value = model.value(atKey: entry.key), !value.isNull
            else { return nil }
            return (entry.key, value)
        }
        let place = unnamed[owner]?.firstIndex { record in
            values.allSatisfy { record[$0] == $1 }
        }
        guard let place else { return false }
        unnamed[owner]?.remove(at: place)
        return true
    }
}

extension Record {
    /// Those that its key leads to.
    func owners(by key: FieldKey) -> [Identifier] { self[key]?.owners ?? [] }
}

extension AttributeValue {
    /// That of a model, or what is one itself; nil if it has none.
    func identifier(of schema: ModelSchema) -> Identifier? {
        guard case .dictionary(let model) = self else {
            return try? Identifier(attributeValue: self)
        }
        return schema.identifier.flatMap { model.value(atKey: $0.key) }
            .flatMap { try? Identifier(attributeValue: $0) }
    }
}
