import ModelKitModels

extension ArchiveState {
    /// Reports models that records of a type have by relations which are derived by now, and that have no records
    /// of their own.
    mutating func reportOldValues(in table: MemoryTable) {
        for relation in table.schema.derivedRelations {
            let elements = table.oldElements(of: relation)
            if elements.isEmpty || table.settled.contains(relation.entry.key) { continue }
            var known = OldMembers(of: relation, records(of: relation), elements)
            var (models, keys): (Set<Identifier>, Set<Identifier>) = ([], [])
            var unnamed = 0
            for (owner, element) in elements {
                switch (element.identifier(of: relation.partner), element) {
                case (let identifier?, .dictionary):
                    if known[identifier] == nil { models.insert(identifier) }
                case (let identifier?, _):
                    if let record = known[identifier], record.lacks(relation.key.key) {
                        keys.insert(identifier)
                    }
                case (nil, .dictionary(let child)):
                    if !known.take(like: child, of: owner) { unnamed += 1 }
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
    private func records(of relation: DerivedRelation) -> [Record] {
        relation.partners.flatMap { schema in
            let records = tables.tables[schema.name]?.records ?? others.tables[schema.name]?.records
            // Of the first version of the format.
            let dictionaries = others.tables[schema.name]?.dictionaries ?? []
            return (records ?? [])
                + dictionaries.compactMap { dictionary in
                    let element = AttributeValue.dictionary(dictionary)
                    guard let identifier = element.identifier(of: schema) else { return nil }
                    var values: [FieldKey: AttributeValue] = [:]
                    for entry in schema.fields {
                        values[entry.key] = dictionary.value(atKey: entry.key) ?? .null
                    }
                    return Record(identifier: identifier, revision: 1, values: values)
                }
        }
    }

    /// Makes records of the models that are in records alone by a relation that is derived by now.
    ///
    /// - Returns: What was written.
    mutating func moveChildren(
        of relation: DerivedRelation,
        _ owner: ModelSchema
    ) throws(StoreError) -> MovedChildren {
        var moved = MovedChildren()
        let table = try table(of: owner)
        if table.settled.contains(relation.entry.key) { return moved }
        let elements = table.oldElements(of: relation)
        for (_, element) in elements { try followNumbers(element, relation) }
        for schema in relation.partners {
            _ = try self.table(of: schema)
        }
        // Without those that are made now.
        var known = OldMembers(of: relation, records(of: relation), elements)
        for (owner, element) in elements {
            if case .dictionary(let child) = element, known.take(like: child, of: owner) {
                continue
            }
            try move(element, relation, owner, &moved)
        }
        settle(relation, of: table)
        return moved
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
        _ moved: inout MovedChildren
    ) throws(StoreError) {
        let key = relation.key.key
        let identifier = element.identifier(of: relation.partner)
        for schema in relation.partners {
            guard let identifier, let known = try table(of: schema)[identifier] else { continue }
            let owners = moved.owners[schema.name]?[key]?[identifier]
            if owners == nil {
                if case .dictionary = element { return }
                guard known.lacks(key) else { return }
                moved.count += 1
            }
            var value = owner.attributeValue
            if relation.hasSeveralOwners {
                if owners?.contains(value) == true { return }
                let all = (owners ?? []) + [value]
                moved.note(all, of: identifier, schema, key)
                value = .array(all)
            }
            let change = RecordWrite.Action.update(identifier, [key: value], revision: nil)
            moved.made.append(try apply([RecordWrite(change, of: schema)]))
            return
        }
        guard case .dictionary(let child) = element else { return }
        let schema = relation.partner.schema(of: child)
        var values: [FieldKey: AttributeValue] = [:]
        for entry in schema.fields { values[entry.key] = child.value(atKey: entry.key) ?? .null }
        var owners = [owner.attributeValue]
        if relation.hasSeveralOwners, case .array(let others)? = values[key] {
            owners = others.filter { $0 != owner.attributeValue } + owners
        }
        values[key] = relation.hasSeveralOwners ? .array(owners) : owner.attributeValue
        var given = identifier
        if given == nil { given = try Identifier.make(for: schema) }
        if let given, let identity = schema.identifier?.key {
            values[identity] = given.attributeValue
        }
        let record = try apply([RecordWrite(.create(given, values), of: schema)])
        let made = record.receipts[0].identifier
        moved.made.append(record)
        moved.count += 1
        if relation.hasSeveralOwners { moved.note(owners, of: made, schema, key) }
        for inner in schema.derivedRelations {
            for element in child.value(atKey: inner.entry.key)?.oldElements ?? [] {
                try move(element, inner, made, &moved)
            }
        }
    }
}

/// What was made of old values.
struct MovedChildren {
    var made: [MadeRecords] = []
    /// How many records were made or got a key.
    var count = 0
    /// The owners of these, where there may be several, by the type and the key.
    fileprivate private(set) var owners: [String: [FieldKey: [Identifier: [AttributeValue]]]] = [:]

    fileprivate mutating func note(
        _ owners: [AttributeValue],
        of identifier: Identifier,
        _ schema: ModelSchema,
        _ key: FieldKey
    ) {
        self.owners[schema.name, default: [:]][key, default: [:]][identifier] = owners
    }
}

extension Record {
    /// Whether it has no owner by a key, which may be newer than the record.
    fileprivate func lacks(_ key: FieldKey) -> Bool {
        switch self[key] {
        case .null?, nil: true
        case let value?: value == []
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
    func identifier(of schema: ModelSchema) -> Identifier? {
        guard case .dictionary(let model) = self else {
            return try? Identifier(attributeValue: self)
        }
        return schema.identifier.flatMap { model.value(atKey: $0.key) }
            .flatMap { try? Identifier(attributeValue: $0) }
    }
}
