import ModelKitModels

extension RecordTables {
    /// Reports models that records of a type have by relations which are derived by now, and that have no records
    /// of their own.
    mutating func reportOldValues(in table: MemoryTable) {
        for relation in table.schema.derivedRelations {
            let elements = table.oldElements(of: relation)
            if elements.isEmpty || table.settled.contains(relation.entry.key) { continue }
            // Of a type whose table cannot be opened nobody knows.
            guard let records = try? records(of: relation) else { continue }
            var known = OldMembers(of: relation, records, elements)
            var (models, keys): (Set<Identifier>, Set<Identifier>) = ([], [])
            var unnamed = 0
            for (owner, element) in elements {
                switch (element.identifier(of: relation.partner), element) {
                case (let identifier?, .dictionary):
                    if known[identifier] == nil { models.insert(identifier) }
                case (let identifier?, _):
                    if known[identifier]?.owners(by: relation.key.key).isEmpty == true {
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
                settle(relation, of: table.schema)
            }
        }
    }

    /// The records of the models of a relation, also of types that are not in use yet.
    private func records(of relation: DerivedRelation) throws(StoreError) -> [Record] {
        var records: [Record] = []
        for schema in relation.partners {
            if let table = tables[schema.name] {
                records += table.records
            } else if let contents = closed[schema.name] {
                records += try MemoryTable(of: schema, contents).records
            }
        }
        return records
    }

    /// Makes records of the models that are in records alone by a relation that is derived by now.
    ///
    /// - Returns: What was written.
    mutating func moveChildren(
        of relation: DerivedRelation,
        _ owner: ModelSchema
    ) throws(StoreError) -> MovedChildren {
        var moved = MovedChildren()
        let table = try opened(owner)
        if table.settled.contains(relation.entry.key) { return moved }
        let elements = table.oldElements(of: relation)
        for (_, element) in elements { try followNumbers(element, relation) }
        for schema in relation.partners { _ = try opened(schema) }
        // Without those that are made now.
        var known = OldMembers(of: relation, try records(of: relation), elements)
        for (owner, element) in elements {
            if case .dictionary(let child) = element, known.take(like: child, of: owner) {
                continue
            }
            try move(element, relation, owner, &moved)
        }
        settle(relation, of: owner)
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
            var table = try opened(schema)
            table.continueNumbers(after: schema.lastNumber(0, given: number))
            put(table)
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
            guard let identifier, let known = try opened(schema)[identifier] else { continue }
            let member = MovedChildren.Member(schema: schema, key: key, identifier: identifier)
            let owners = moved.owners[member]
            if owners == nil {
                if case .dictionary = element { return }
                guard known.owners(by: key).isEmpty else { return }
                moved.count += 1
            }
            var value = owner.attributeValue
            if relation.hasSeveralOwners {
                if owners?.contains(value) == true { return }
                let all = (owners ?? []) + [value]
                moved.owners[member] = all
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
        let record = try apply([RecordWrite(.create(given, values), of: schema)])
        let made = record.receipts[0].identifier
        moved.made.append(record)
        moved.count += 1
        if relation.hasSeveralOwners {
            moved.owners[.init(schema: schema, key: key, identifier: made)] = owners
        }
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
    /// The owners that these have by a key, where there may be several.
    fileprivate var owners: [Member: [AttributeValue]] = [:]

    fileprivate struct Member: Hashable {
        let schema: ModelSchema
        let key: FieldKey
        let identifier: Identifier
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
}
