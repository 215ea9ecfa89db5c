import ModelKitFields
import ModelKitModels

extension ArchiveState {
    /// Reports models that records of a type have by relations which are derived by now, and that have no records
    /// of their own.
    mutating func reportOldValues(in table: MemoryTable) {
        for relation in table.schema.derivedRelations {
            let elements = table.oldElements(of: relation).map(\.element)
            if elements.isEmpty || table.settled.contains(relation.entry.key) { continue }
            let known = records(of: relation)
            var (models, keys): (Set<Identifier>, Set<Identifier>) = ([], [])
            var unnamed = 0
            for element in elements {
                switch (element.identifier(of: relation.partner), element) {
                case (let identifier?, .dictionary):
                    if known[identifier] == nil { models.insert(identifier) }
                case (let identifier?, _):
                    if known[identifier]?[relation.key.key]?.isNull == true {
                        keys.insert(identifier)
                    }
                case (nil, .dictionary): unnamed += 1
                default: break
                }
            }
            let label = "\(table.schema.name).\(relation.entry.name)"
            let report = Diagnostic.oldColumn(
                of: label,
                models: models.count + unnamed,
                keys: keys.count,
                remedy: "moveChildren(of: \\\(label)) of the store"
            )
            if let report {
                ModelKitDiagnostics.report(report)
            } else {
                settle(relation, of: table)
            }
        }
    }

    /// The records of the models of a relation, also of types that are not in use yet.
    private func records(of relation: DerivedRelation) -> [Identifier: Record] {
        var found: [Identifier: Record] = [:]
        for schema in relation.partners {
            let records = tables.tables[schema.name]?.records ?? others.tables[schema.name]?.records
            for record in records ?? [] { found[record.identifier] = record }
            // Of the first version of the format.
            for dictionary in others.tables[schema.name]?.dictionaries ?? [] {
                let element = AttributeValue.dictionary(dictionary)
                guard let identifier = element.identifier(of: schema) else { continue }
                let key = relation.key.key
                let values = [key: dictionary.value(atKey: key) ?? .null]
                found[identifier] = Record(identifier: identifier, revision: 1, values: values)
            }
        }
        return found
    }

    /// Makes records of the models that are in records alone by a relation that is derived by now.
    ///
    /// - Returns: What was written.
    mutating func moveChildren(
        of relation: DerivedRelation,
        _ owner: ModelSchema
    ) throws(StoreError) -> [MadeRecords] {
        var made: [MadeRecords] = []
        let table = try table(of: owner)
        if table.settled.contains(relation.entry.key) { return [] }
        let elements = table.oldElements(of: relation)
        for (_, element) in elements { try followNumbers(element, relation) }
        for (owner, element) in elements { try move(element, relation, owner, &made) }
        settle(relation, of: table)
        return made
    }

    /// Has numbers that models have not made again for others.
    private mutating func followNumbers(
        _ element: AttributeValue,
        _ relation: DerivedRelation
    ) throws(StoreError) {
        guard case .dictionary(let child) = element else { return }
        let schema = relation.partner.schema(of: child)
        if case .int(let number)? = element.identifier(of: schema) {
            var table = try table(of: schema)
            table.continueNumbers(after: schema.lastNumber(0, given: number))
            try put(table)
        }
        for inner in schema.derivedRelations {
            for element in child.value(atKey: inner.entry.key)?.oldElements ?? [] {
                try followNumbers(element, inner)
            }
        }
    }

    private mutating func move(
        _ element: AttributeValue,
        _ relation: DerivedRelation,
        _ owner: Identifier,
        _ made: inout [MadeRecords]
    ) throws(StoreError) {
        let identifier = element.identifier(of: relation.partner)
        var key = owner.attributeValue
        if relation.hasSeveralOwners { key = [key] }
        for schema in relation.partners {
            guard let identifier, let known = try table(of: schema)[identifier] else { continue }
            if case .dictionary = element { return }
            guard known[relation.key.key]?.isNull == true else { return }
            let change = RecordWrite.Action.update(
                identifier,
                [relation.key.key: key],
                revision: nil
            )
            made.append(try apply([RecordWrite(change, of: schema)]))
            return
        }
        guard case .dictionary(let child) = element else { return }
        let schema = relation.partner.schema(of: child)
        var values: [FieldKey: AttributeValue] = [:]
        for entry in schema.fields { values[entry.key] = child.value(atKey: entry.key) ?? .null }
        if relation.hasSeveralOwners, case .array(let others)? = values[relation.key.key] {
            key = .array(others.filter { $0 != owner.attributeValue } + [owner.attributeValue])
        }
        values[relation.key.key] = key
        var given = identifier
        if given == nil { given = try Identifier.make(for: schema) }
        if let given, let identity = schema.identifier?.key {
            values[identity] = given.attributeValue
        }
        if identifier == nil, try hasRecord(like: values, relation, owner) { return }
        let record = try apply([RecordWrite(.create(given, values), of: schema)])
        made.append(record)
        for inner in schema.derivedRelations {
            for element in child.value(atKey: inner.entry.key)?.oldElements ?? [] {
                try move(element, inner, record.receipts[0].identifier, &made)
            }
        }
    }

    /// Whether a record of an owner has the values of a model without an identifier.
    private mutating func hasRecord(
        like values: [FieldKey: AttributeValue],
        _ relation: DerivedRelation,
        _ owner: Identifier
    ) throws(StoreError) -> Bool {
        let identity = relation.partner.identifier?.key
        let query = RecordQuery(filter: relation.filter(owner: owner))
        return try answer(query, of: relation.partner).contains { record in
            values.allSatisfy { key, value in
                key == identity || value.isNull || record[key] == value
            }
        }
    }
}

extension MemoryTable {
    /// What records have by a relation that is derived by now.
    fileprivate func oldElements(
        of relation: DerivedRelation
    ) -> [(owner: Identifier, element: AttributeValue)] {
        rows.chunks.joined().flatMap { row in
            (row.others?[relation.entry.key]?.oldElements ?? []).map { (row.identifier, $0) }
        }
    }
}

extension AttributeValue {
    fileprivate var oldElements: [AttributeValue] {
        switch self {
        case .null: []
        case .array(let elements): elements
        default: [self]
        }
    }

    /// That of a model, or what is one itself; nil if it has none.
    fileprivate func identifier(of schema: ModelSchema) -> Identifier? {
        guard case .dictionary(let model) = self else {
            return try? Identifier(attributeValue: self)
        }
        return schema.identifier.flatMap { model.value(atKey: $0.key) }
            .flatMap { try? Identifier(attributeValue: $0) }
    }
}
