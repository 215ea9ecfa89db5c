import ModelKitModels
import ModelKitStores

/// The table of a type as it is in a file, to which rows are added by the names of its columns.
final class SQLiteChildTable {
    let schema: ModelSchema
    let connection: SQLiteConnection
    let table: SQLiteTable
    let identity: String
    var columns: [SQLiteTableColumn]
    private var lastNumber: Int64 = 0
    var isMade = false
    var isIndexed = false
    /// The owners of the rows that were made here, or whose key was set, where there may be several.
    private var owners: [FieldKey: [AttributeValue: [AttributeValue]]] = [:]
    /// The rows of the owner that was asked for last, but for those that were found, as the notes of one come together.
    var owned: OwnedRows?

    init(of schema: ModelSchema, _ connection: SQLiteConnection) throws {
        self.schema = schema
        self.connection = connection
        table = try SQLiteTable(of: schema)
        identity = table.identifierColumn.quotedName
        columns = try connection.columns(ofTable: schema.name)
    }

    var isThere: Bool { !columns.isEmpty }

    /// Whether there is a row of the identifier of a model.
    func hasRow(of model: AttributeDictionary) throws -> Bool {
        guard isThere, let identifier = try? Identifier(attributeValue: model.identifier(schema))
        else { return false }
        return try table.contains(identifier, connection)
    }

    /// Sets the key of a row if it has no owner, or was set here for another one of several owners.
    func setKey(
        of relation: DerivedRelation,
        to owner: AttributeValue,
        of identifier: AttributeValue
    ) throws {
        if try !isThere || addOwner(owner, to: identifier, relation) { return }
        let value = relation.hasSeveralOwners ? AttributeValue.array([owner]) : owner
        let isSet = try update(relation, to: value, of: identifier, ifLacking: true)
        if isSet, relation.hasSeveralOwners {
            owners[relation.key.key, default: [:]][identifier] = [owner]
        }
    }

    /// Adds an owner to those of a row whose key was set or that was made here; false for any other row.
    @discardableResult
    func addOwner(
        _ owner: AttributeValue,
        to identifier: AttributeValue,
        _ relation: DerivedRelation
    ) throws -> Bool {
        let key = relation.key.key
        guard let known = owners[key]?[identifier] else { return false }
        if known.contains(owner) { return true }
        owners[key]?[identifier]?.append(owner)
        try update(relation, to: .array(known + [owner]), of: identifier, ifLacking: false)
        return true
    }

    /// - Returns: Whether there was such a row.
    @discardableResult
    private func update(
        _ relation: DerivedRelation,
        to value: AttributeValue,
        of identifier: AttributeValue,
        ifLacking: Bool
    ) throws -> Bool {
        let column = try column(of: relation.key)
        let name = try quoted(identifier: column.name)
        return try connection.withStatement(
            """
            UPDATE \(table.name) SET \(name) = ?2, "_revision" = "_revision" + 1 \
            WHERE \(identity) = ?1\(ifLacking ? " AND \(relation.lacksOwner(in: name))" : "")
            """
        ) { update in
            try update.bind(identifier, at: 1)
            try update.bind(value, as: relation.key.kind, at: 2)
            try update.execute()
            return connection.changes > 0
        }
    }

    /// Adds the row of a model.
    ///
    /// - Returns: Its identifier, which is made if it has none.
    func insert(
        _ model: AttributeDictionary,
        _ key: ModelSchema.Entry,
        _ owner: AttributeValue
    ) throws -> AttributeValue {
        try makeTable()
        let identifier = try identifier(of: model)
        let identityColumn = try column(of: schema.identity())
        let keyColumn = try column(of: key)
        var values = [(identityColumn, identifier), (keyColumn, owner)]
        for (name, type, value) in self.values(of: model) {
            let column = try column(name, type)
            if column.isNamed(identityColumn.name) || column.isNamed(keyColumn.name) { continue }
            values.append((column, value))
        }
        let names = try values.map { try quoted(identifier: $0.0.name) }
        let parameters = values.indices.map { "?\($0 + 2)" }
        let revision = try table.lastRevision(connection)
        guard revision < .max else { throw schema.revisionsUsedUp }
        try connection.withStatement(
            """
            INSERT INTO \(table.name) ("_revision", \(names.joined(separator: ", "))) \
            VALUES (?1, \(parameters.joined(separator: ", ")))
            """
        ) { insert in
            try insert.bind(revision + 1, at: 1)
            for (index, (column, value)) in values.enumerated() {
                try column.bind(value, of: schema.name, to: insert, at: index + 2)
            }
            try insert.execute()
        }
        if case .array(let owners) = owner {
            self.owners[key.key, default: [:]][identifier] = owners
        }
        return identifier
    }
}

// MARK: Identifiers

extension SQLiteChildTable {
    /// Goes on after the number of a model that has one.
    func followNumber(of model: AttributeDictionary) {
        guard case .int(let given) = model.identifier(schema) else { return }
        lastNumber = schema.lastNumber(lastNumber, given: given)
    }

    private func identifier(of model: AttributeDictionary) throws -> AttributeValue {
        let given = model.identifier(schema)
        if !given.isNull { return given }
        if let made = try Identifier.make(for: schema) { return made.attributeValue }
        let last = max(try table.lastNumber(connection), lastNumber)
        let made = try schema.number(after: last) { try table.contains(.int($0), connection) }
        guard let made else { throw schema.numbersAreUsedUp }
        lastNumber = made
        return .int(made)
    }

    /// Keeps the last number, so that it is not made again.
    func finish() throws {
        guard isMade, table.makesNumbers else { return }
        let last = max(lastNumber, try table.lastNumber(connection))
        try table.keep(last, in: SQLiteTable.numbers, connection)
    }
}
