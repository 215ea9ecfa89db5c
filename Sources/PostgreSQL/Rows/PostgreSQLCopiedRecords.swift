import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// What a transaction has added by COPY, for the log: the identifiers and revisions, or, of very many, how many there
/// are.
struct PostgreSQLCopiedRecords {
    struct Rows {
        var count = 0
        var keys: [String] = []
        var revisions: [Int64?] = []
        /// The greatest number that was given, and that numbers which are made follow.
        var greatestNumber: Int64?
        /// The greatest revision, where they were given.
        var greatestRevision: Int64?
    }

    private(set) var tables: [(table: PostgreSQLTable, rows: Rows)] = []

    mutating func add(
        _ rows: [(identifier: Identifier?, made: PostgreSQLCopiedRows.Made)],
        to table: PostgreSQLTable,
        areRevisionsGiven: Bool
    ) throws {
        let index = tables.firstIndex { $0.table === table } ?? tables.count
        if index == tables.count { tables.append((table, Rows())) }
        tables[index].rows.count += rows.count
        let isMany = tables[index].rows.count > PostgreSQLLog.mostKeys
        if isMany { (tables[index].rows.keys, tables[index].rows.revisions) = ([], []) }
        if areRevisionsGiven {
            let revisions = rows.map(\.made.revision) + [tables[index].rows.greatestRevision ?? 0]
            tables[index].rows.greatestRevision = revisions.max()
        }
        for row in rows {
            if case .int(let number)? = row.identifier, number <= table.schema.greatestFollowed {
                tables[index].rows.greatestNumber = max(
                    number,
                    tables[index].rows.greatestNumber ?? 0
                )
            }
            guard !isMany, let identifier = row.identifier ?? row.made.number.map(Identifier.int)
            else { continue }
            tables[index].rows.keys.append(try table.key(of: identifier))
            tables[index].rows.revisions.append(row.made.revision)
        }
    }
}

extension PostgreSQLTable {
    /// The text that the log has of an identifier, which is that of its column.
    fileprivate func key(of identifier: Identifier) throws -> String {
        identifierColumn.stored == .any
            ? try PostgreSQLVariant.text(of: identifier.attributeValue) : "\(identifier)"
    }

    /// What logs records that were added, but for the parameters of the log.
    func logging(
        _ rows: PostgreSQLCopiedRecords.Rows,
        _ log: PostgreSQLLog
    ) -> (sql: String, PostgreSQLParameters) {
        var parameters = PostgreSQLParameters()
        if rows.count > PostgreSQLLog.mostKeys {
            return (log.insertion(ofManyIn: typeLiteral, .creation, token: 1), parameters)
        }
        parameters.append(rows.keys)
        parameters.append(rows.revisions)
        let arrays = "(SELECT $1 AS keys, $2 AS revisions) AS copied"
        return (log.insertion(.creation, token: 3, type: typeLiteral, of: arrays), parameters)
    }

    /// Moves a sequence past a number, if it is not.
    func skip(_ sequence: String, to greatest: Int64) -> PostgreSQLStatement {
        var parameters = PostgreSQLParameters()
        parameters.append(greatest)
        return PostgreSQLStatement(
            "SELECT setval(\(sequence.literal), $1) WHERE \(isNext("$1", of: sequence))",
            parameters
        )
    }

    /// Whether the sequence may still give a number: it has not got so far, or is new, and begins with that.
    func isNext(_ number: String, of sequence: String) -> String {
        "(SELECT \(number) > last_value OR \(number) = last_value AND NOT is_called FROM \(sequence))"
    }
}
