import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// The table of a model type in a schema of a database, with everything about it that is the same for each use.
final class PostgreSQLTable: SQLTable {
    let schema: ModelSchema
    /// The schema of the database.
    let space: String
    let columns: [PostgreSQLColumn]
    /// As which the columns keep their values, beside each other.
    private let kinds: [AttributeKind]
    let identity: Int
    let name: String
    /// The names of the columns whose UUIDs are texts, as they were in tables of earlier versions.
    let textUUIDs: Set<String>

    /// The type as a literal of SQL.
    let typeLiteral: String
    /// The sequences of the revisions and of the numbers that are made for identifiers, by their names as they are written
    /// in SQL, and as `nextval` takes them.
    let sequences: (revisions: String, numbers: String)
    let revisions: String
    let numbers: String

    /// What `read` takes of a row.
    let selection: String
    /// The same of every row, without condition and order.
    let selectAll: String
    /// The row with an identifier, as `read` takes it.
    let select: String

    /// The statements that write, each made when it is first needed.
    let texts = Guarded<[PostgreSQLWriteText: String]>([:])

    private let layout: RecordLayout

    private static let mostColumns = 1_600
    /// What every table has.
    private static let ownColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    init(
        of schema: ModelSchema,
        in space: String,
        textUUIDs: Set<String> = []
    ) throws {
        let quotedSpace = try space.checkedName()
        let quotedName = try schema.name.checkedName()
        // Without the schema, which no other table of a query has another one of.
        let columns = try schema.fields.map { entry in
            try PostgreSQLColumn(entry, of: schema, table: quotedName, textUUIDs)
        }
        let identifierKey = try schema.identity().key
        // The identifier is one of the fields.
        let identity = columns.firstIndex { $0.key == identifierKey } ?? 0
        let sequences = Self.ownNames(of: schema.name).sequences.map { name in
            "\(quotedSpace).\(quoted(name: name))"
        }
        self.schema = schema
        self.space = space
        self.textUUIDs = textUUIDs
        self.columns = columns
        kinds = columns.map(\.stored)
        self.identity = identity
        name = "\(quotedSpace).\(quotedName)"
        typeLiteral = schema.name.literal
        self.sequences = (sequences[0], sequences[1])
        revisions = sequences[0].literal
        numbers = sequences[1].literal
        selection =
            "SELECT \(quotedName).\"_order\", \(quotedName).\"_revision\", "
            + columns.map(\.sql).joined(separator: ", ")
        selectAll = "\(selection) FROM \(name)"
        select = "\(selectAll) WHERE \(columns[identity].sql) = $1"
        layout = RecordLayout(of: schema)
        try checkNames(beside: Self.ownColumns) { $0 }
        if columns.count + 2 > Self.mostColumns {
            throw StoreError.schema(
                "\(schema.name) needs \(columns.count + 2) columns, and a table has no more than "
                    + "\(Self.mostColumns)"
            )
        }
    }

    /// The names of what belongs to the table of a type: the sequences of revisions and of numbers, and the index of
    /// identifiers.
    static func ownNames(of type: String) -> (sequences: [String], key: String) {
        let names = ["revisions", "numbers", "key"].map { kind in
            "\(PostgreSQLIndex.prefix)\(kind)_\(type)".shortenedName()
        }
        return (Array(names.prefix(2)), names[2])
    }

    /// Whether the store makes identifiers for the type.
    var makesNumbers: Bool { identifierColumn.kind.makesNumbers }

    /// The next number that is made for an identifier, as its column holds it.
    var nextNumber: String {
        let next = "nextval(\(numbers))"
        if identifierColumn.stored != .any { return next }
        // The key of the variant: the place of the first bit, and that bit and those after it.
        return """
            (SELECT 'n' || to_hex(\(0x8800) + bits - 1) || to_hex(next << (64 - bits)) || ' ' || next \
            FROM (SELECT next, length(ltrim(next::bit(64)::text, '0')) AS bits \
            FROM \(next) AS next) AS made)
            """
    }

    /// The place of the order of creation, as it is written in SQL.
    var place: String { "\(quotedName).\"_order\"" }

    /// The name without that of the schema, by which columns are named.
    var quotedName: String { quoted(name: schema.name) }

    // MARK: Reading

    /// The record of an identifier; nil if there is none, as for one of another kind.
    func record(_ identifier: Identifier, _ connection: PostgreSQLConnection) throws -> Record? {
        try selection(of: identifier).flatMap { try record(in: connection.run($0)) }
    }

    /// What finds the record of an identifier; nil for one of another kind.
    func selection(of identifier: Identifier) throws -> PostgreSQLStatement? {
        guard identifierColumn.canHold(identifier) else { return nil }
        var parameters = PostgreSQLParameters()
        try identifierColumn.append(identifier.attributeValue, to: &parameters)
        return PostgreSQLStatement(select, parameters)
    }

    /// The record that was found, if any.
    func record(in result: PostgreSQLResult) throws -> Record? {
        result.rowCount > 0 ? try read(result, 0) : nil
    }

    /// The records of some identifiers that there are.
    func records(
        _ identifiers: [Identifier],
        _ connection: PostgreSQLConnection
    ) throws -> [Record] {
        let known = identifiers.filter(identifierColumn.canHold)
        if known.isEmpty { return [] }
        var parameters = PostgreSQLParameters()
        try identifierColumn.appendArray(to: &parameters, count: known.count) { index in
            known[index].attributeValue
        }
        let sql = "\(selectAll) WHERE \(identifierColumn.sql) = ANY($1)"
        let statement = PostgreSQLStatement(sql, parameters)
        return try records(statement, ofAtMost: known.count, connection)
    }

    /// The records in the rows of a statement as those of `selectAll`.
    func records(
        _ statement: PostgreSQLStatement,
        ofAtMost most: Int?,
        _ connection: PostgreSQLConnection
    ) throws -> [Record] {
        try connection.reduce(statement, ofAtMost: most, into: []) { records, rows in
            if records.isEmpty { records.reserveCapacity(rows.rowCount) }
            for row in 0..<rows.rowCount { records.append(try read(rows, row)) }
        }
    }

    /// The record in a row of `selectAll` or `select`.
    func read(_ result: PostgreSQLResult, _ row: Int) throws(StoreError) -> Record {
        if row == 0 { try checkTypes(result) }
        var values = ContiguousArray<AttributeValue>()
        values.reserveCapacity(columns.count)
        for index in kinds.indices {
            do throws(ColumnDamage) {
                values.append(try kinds[index].value(result, row, index + 2))
            } catch {
                throw corruption(columns[index], of: shown(result, row), error)
            }
        }
        guard let identifier = try? Identifier(attributeValue: values[identity]) else {
            let damage = ColumnDamage(reason: "is no identifier")
            throw corruption(identifierColumn, of: shown(result, row), damage)
        }
        return Record(
            identifier: identifier,
            revision: result.bytes(row, 1).int64,
            layout,
            values,
            place: result.bytes(row, 0).int64
        )
    }

    /// Checks that no column has another type by now than when the table was opened, as which its bytes would be another
    /// value.
    private func checkTypes(_ result: PostgreSQLResult) throws(StoreError) {
        for (index, column) in columns.enumerated()
        where result.type(ofColumn: index + 2) != column.stored.postgreSQLType {
            throw .schema(
                "the column \(schema.name).\(column.name) has another type by now, but the field needs "
                    + column.declaredType
            )
        }
    }

    /// What distinguishes a row in an error.
    private func shown(_ result: PostgreSQLResult, _ row: Int) -> String {
        if let identifier = try? identifierColumn.value(result, row, identity + 2) {
            return "\(identifier)"
        }
        return "the row with _order \(result.bytes(row, 0).int64)"
    }

    /// The identifier in the first column of a row.
    func identifier(in result: PostgreSQLResult, _ row: Int) throws -> Identifier {
        try identifier(of: result.bytes(row, 0))
    }

    /// The identifier whose bytes are those of its column.
    func identifier(of bytes: PostgreSQLBytes) throws(StoreError) -> Identifier {
        do throws(ColumnDamage) {
            let value = try identifierColumn.stored.value(of: bytes)
            guard let identifier = try? Identifier(attributeValue: value) else {
                throw ColumnDamage(reason: "is no identifier")
            }
            return identifier
        } catch {
            throw corruption(identifierColumn, of: "a row", error)
        }
    }
}
