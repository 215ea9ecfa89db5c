import ModelKitFields
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
    private var isIndexed = false
    /// The rows that were found to be those of models without an identifier.
    private var taken: Set<Int64> = []
    /// Those of the owner that was asked for last, as the notes of one come together.
    private var owned: SQLiteOwnedRows?

    init(of schema: ModelSchema, _ connection: SQLiteConnection) throws {
        self.schema = schema
        self.connection = connection
        table = try SQLiteTable(of: schema, isShared: false)
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

    /// Sets the key of a row if it is null.
    func setKey(
        _ key: ModelSchema.Entry,
        to owner: AttributeValue,
        of identifier: AttributeValue
    ) throws {
        if !isThere { return }
        let column = try column(of: key)
        let name = try quoted(identifier: column.name)
        try connection.withStatement(
            """
            UPDATE \(table.name) SET \(name) = ?2, "_revision" = "_revision" + 1 \
            WHERE \(identity) = ?1 AND \(name) IS NULL
            """
        ) { update in
            try update.bind(identifier, at: 1)
            try SQLiteColumn.bind(owner, as: key.kind, to: update, at: 2)
            try update.execute()
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
        return identifier
    }

    /// Whether a row has the key and the values of a model without an identifier, and was not found before;
    /// nor does the column name its identifier itself.
    func takeRow(
        like model: AttributeDictionary,
        _ column: SQLiteOldColumn,
        _ owner: (order: Int64, identifier: AttributeValue)
    ) throws -> Bool {
        let keyName = column.relation.key.key.columnName
        guard let key = columns.first(where: { $0.isNamed(keyName) }) else { return false }
        var (places, wanted): ([Int], [AttributeValue]) = ([], [])
        for (name, _, value) in values(of: model) where !key.isNamed(name) {
            guard let place = columns.firstIndex(where: { $0.isNamed(name) }) else { continue }
            guard let held = try connection.held(value, in: columns[place]) else { return false }
            places.append(place)
            wanted.append(held)
        }
        var rows = try owned.take() ?? self.rows(of: owner, column, key)
        if rows.owner != owner.order { rows = try self.rows(of: owner, column, key) }
        defer { owned = rows }
        while let order = rows.take(places, wanted) {
            if taken.insert(order).inserted { return true }
        }
        return false
    }

    /// The rows of an owner that its column does not name.
    private func rows(
        of owner: (order: Int64, identifier: AttributeValue),
        _ column: SQLiteOldColumn,
        _ key: SQLiteTableColumn
    ) throws -> SQLiteOwnedRows {
        let key = try quoted(identifier: key.name)
        if !isIndexed {
            try connection.execute("CREATE INDEX \(try index()) ON \(table.name) (\(key))")
            isIndexed = true
        }
        let values = try columns.map { ", row.\(try quoted(identifier: $0.name))" }
        return try connection.withStatement(
            """
            SELECT row."_order"\(values.joined()) FROM \(table.name) AS row WHERE row.\(key) = ?2 \
            AND row.\(identity) NOT IN (\(try column.named())) ORDER BY 1
            """
        ) { statement in
            try statement.bind(owner.order, at: 1)
            try statement.bind(owner.identifier, at: 2)
            var rows: [SQLiteOwnedRows.Row] = []
            while try statement.step() {
                let values = try columns.indices.map { try statement.readableValue(at: $0 + 1) }
                rows.append((statement.int64(at: 0), values))
            }
            return SQLiteOwnedRows(of: owner.order, rows)
        }
    }

    /// Finds the rows of an owner; that of the store may not be there before all migrations have run.
    private func index() throws -> String {
        try quoted(identifier: "\(SQLiteIndex.prefix)children:\(schema.name)")
    }

    func dropIndex() throws {
        if isIndexed { try connection.execute("DROP INDEX \(try index())") }
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
        try table.keepLastNumber(last, connection)
    }
}
