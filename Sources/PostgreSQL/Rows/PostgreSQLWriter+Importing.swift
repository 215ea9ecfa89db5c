import ModelKitModels
import ModelKitSQL
import ModelKitStores

extension PostgreSQLWriter {
    /// Adds records, without those that are refused.
    ///
    /// - Returns: Why some are refused, by their places among the writes.
    mutating func insert(_ writes: [RecordWrite]) throws -> [Int: StoreError] {
        var refused: [Int: StoreError] = [:]
        var index = 0
        while index < writes.count {
            let run = PostgreSQLWriteRun(writes[index...])
            guard run.kind == .creation else {
                throw StoreError.unsupported("an insertion of what is no creation")
            }
            let table = try table(writes[index].schema)
            var places: [Int] = []
            var rows: [PostgreSQLNewRow] = []
            for place in run.range {
                do {
                    guard let row = try table.newRow(writes[place]) else { continue }
                    try table.check(row)
                    rows.append(row)
                    places.append(place)
                } catch let error as StoreError where error.isOfRecord {
                    refused[place] = error
                }
            }
            try insert(rows, at: places, writes, table, &refused)
            index = run.range.upperBound
        }
        return refused
    }

    /// Adds those of some rows that no unique index refuses.
    private mutating func insert(
        _ rows: [PostgreSQLNewRow],
        at places: [Int],
        _ writes: [RecordWrite],
        _ table: PostgreSQLTable,
        _ refused: inout [Int: StoreError]
    ) throws {
        if rows.isEmpty { return }
        var left = Array(rows.indices)
        var attempts = 0
        while !left.isEmpty {
            prefix.append(PostgreSQLStatement("SAVEPOINT \"_modelkit_import\""))
            do {
                _ = try table.insert(left.map { rows[$0] }, &self)
                prefix.append(PostgreSQLStatement("RELEASE \"_modelkit_import\""))
                return
            } catch let error as PostgreSQLError where error.kind == .uniqueViolation {
                try connection.execute(
                    "ROLLBACK TO \"_modelkit_import\"; RELEASE \"_modelkit_import\""
                )
                let causes =
                    try table
                    .causes(of: error, left.map { writes[places[$0]] }, connection)
                for (index, cause) in causes { refused[places[left[index]]] = cause }
                left = left.indices.filter { causes[$0] == nil }.map { left[$0] }
                if causes.isEmpty {
                    attempts += 1
                    if attempts == Self.mostAttempts { throw error }
                    try table.skipTakenNumbers(connection)
                }
            }
        }
    }
}
