import ModelKitModels
import ModelKitStores
import Synchronization

/// The table of a model type, with everything about it that is the same for each use.
final class SQLiteTable: SQLTable {
    let schema: ModelSchema
    let columns: [SQLiteColumn]
    /// The place of the identifier among the columns.
    let identity: Int
    /// The name as it is written in SQL.
    let name: String

    /// Inserts a row: a parameter for each column, and then one for the revision.
    let insert: String
    /// The same, but that it inserts nothing where a unique index refuses it.
    let insertNew: String
    /// The revision of the row with an identifier.
    let find: String
    /// The row with an identifier, as `read` takes it.
    let select: String
    /// Update some columns of the row with an identifier and a revision, by the columns, one bit for each; so that few
    /// are put together.
    let updates = Guarded<[UInt64: String]>([:])
    /// Deletes the row with an identifier and a revision.
    let delete: String
    /// The last number of the sequence that identifiers are made of.
    let lastNumber: String
    /// What `read` takes of a row.
    let selection: String
    /// The same of every row, without condition and order.
    let selectAll: String

    /// Where the rows stand by the elements of arrays of keys.
    let links: [SQLiteLink]

    private let layout: RecordLayout
    /// Those of the columns, which every row asks for.
    private let kinds: ContiguousArray<AttributeKind>
    /// The greatest revision that a deleted row had, as far as it was read; -1 where it has to be read.
    let lastRevision = Atomic<Int64>(-1)

    init(of schema: ModelSchema) throws {
        let name = try quoted(identifier: schema.name)
        let columns = try schema.fields.map { try SQLiteColumn($0, table: name) }
        let identifierKey = try schema.identity().key
        // The identifier is one of the fields.
        let identity = columns.firstIndex { $0.key == identifierKey } ?? 0
        self.schema = schema
        self.name = name
        self.columns = columns
        self.identity = identity
        links = try columns.filter(\.entry.isIndexedByElement)
            .map { try SQLiteLink($0, of: schema, name) }

        let names = columns.map(\.quotedName).joined(separator: ", ")
        let parameters = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let identifier = columns[identity].sql
        insert =
            "INSERT INTO \(name) (\"_revision\", \(names)) VALUES (?\(columns.count + 1), \(parameters))"
        insertNew = "\(insert) ON CONFLICT DO NOTHING"
        find = "SELECT \(name).\"_revision\" FROM \(name) WHERE \(identifier) = ?1"
        delete = "DELETE FROM \(name) WHERE \(identifier) = ?1 AND \(name).\"_revision\" = ?2"
        // Another program may have added rows with greater ones.
        let inTable =
            columns[identity].kind == .int
            ? "(SELECT max(\(identifier)) FROM \(name) WHERE \(identifier) <= ?2)" : "0"
        lastNumber = """
            SELECT max(0, coalesce(\(inTable), 0), coalesce((SELECT max("last") \
            FROM \(Self.numbers) WHERE "type" = ?1 COLLATE NOCASE AND "last" <= ?3), 0))
            """
        selection =
            "SELECT \(name).\"_order\", \(name).\"_revision\", \(columns.map(\.sql).joined(separator: ", "))"
        selectAll = "\(selection) FROM \(name)"
        select = "\(selectAll) WHERE \(identifier) = ?1"

        layout = RecordLayout(of: schema)
        kinds = ContiguousArray(columns.map(\.kind))
        // SQLite takes them for the same whatever their case.
        try checkNames { SQLiteName($0) }
    }

    /// The record in the current row of `selectAll` or `select`.
    func read(_ statement: SQLiteStatement) throws -> Record {
        var values = ContiguousArray<AttributeValue>()
        values.reserveCapacity(kinds.count)
        for (index, kind) in kinds.enumerated() {
            do {
                values.append(try statement.value(at: index + 2, as: kind))
            } catch {
                throw corruption(columns[index], error, statement)
            }
        }
        guard let identifier = try? Identifier(attributeValue: values[identity])
        else {
            throw corruption(
                identifierColumn,
                ColumnDamage(reason: "is no identifier"),
                statement
            )
        }
        return Record(
            identifier: identifier,
            revision: statement.int64(at: 1),
            layout,
            values,
            place: statement.int64(at: 0)
        )
    }

    private func corruption(
        _ column: SQLiteColumn,
        _ error: any Error,
        _ statement: SQLiteStatement
    ) -> any Error {
        let damage: ColumnDamage
        switch error {
        case let known as ColumnDamage: damage = known
        case let error as SQLiteError where error.kind == .mismatch:
            damage = ColumnDamage(reason: "holds text that is not UTF-8")
        default: return error
        }
        let identifier = try? statement.value(at: identity + 2, as: identifierColumn.kind)
        let row = identifier.map { "\($0)" } ?? "the row with _order \(statement.int64(at: 0))"
        return corruption(column, of: row, damage)
    }
}
