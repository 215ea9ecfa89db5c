import ModelKitModels
import ModelKitSQL
import ModelKitStores

extension PostgreSQLQuery {
    /// How many rows are asked for at a time.
    private static let most = 1_000
    private static let cursor = "\"_modelkit_scan\""

    /// The answer of which PostgreSQL cannot say where it ends: rows are read in parts, all of one moment, until there
    /// are enough.
    func scan(skippingDamaged report: ((StoreError) -> Void)?) throws -> [Record] {
        let (connection, partners) = (connection, partners)
        let related = RelatedRecords { try partners[$1]?.record($0, connection) }
        var answer = SQLAnswer(to: query, of: table.schema, rest, related)
        answer.reportDamage = report
        let rows = try statement(isCut: false)
        func plain(_ sql: String) -> PostgreSQLStatement {
            PostgreSQLStatement(sql, isPrepared: false)
        }
        let isAlone = !connection.isInTransaction
        let first = [
            PostgreSQLStatement(
                "DECLARE \(Self.cursor) NO SCROLL CURSOR FOR \(rows.sql)",
                rows.parameters,
                isPrepared: false
            ), plain("FETCH \(Self.most) FROM \(Self.cursor)"),
        ]
        let begin = isAlone ? [PostgreSQLStatement.snapshot] : []
        // It does not outlive a transaction.
        let end = plain(isAlone ? "ROLLBACK" : "CLOSE \(Self.cursor)")
        do {
            var result = try connection.run(begin + first).last
            while let part = result {
                try prefetch(part, related)
                for row in 0..<part.rowCount where !answer.isFull {
                    try answer.add { try table.read(part, row) }
                }
                if answer.isFull || part.rowCount < Self.most { break }
                result = try connection.run(first[1])
            }
        } catch {
            _ = try? connection.run(end)
            throw error
        }
        try connection.run(end)
        return answer.records
    }

    // MARK: Related records

    /// Reads the related records by which rows are tested, those of each relation together.
    private func prefetch(_ rows: PostgreSQLResult, _ related: RelatedRecords) throws {
        if partners.isEmpty { return }
        // One that is damaged is reported in its turn.
        let records = (0..<rows.rowCount).compactMap { try? table.read(rows, $0) }
        try prefetch(rest, records, related)
    }

    private func prefetch(
        _ filters: [RecordFilter],
        _ records: [Record],
        _ related: RelatedRecords
    ) throws {
        for filter in filters {
            try prefetch(filter.parts, records, related)
            switch filter {
            case .has(let key, let partner, let inner), .hasAny(let key, let partner, let inner):
                guard let other = partners[partner] else { continue }
                let identifiers = Set(records.flatMap { $0[key]?.identifiers ?? [] })
                let unknown = related.unknown(identifiers, of: partner)
                let found = try other.records(Array(unknown), connection)
                related.add(found, of: partner, for: unknown)
                try prefetch([inner], found, related)
            default: continue
            }
        }
    }
}

extension AttributeValue {
    /// The identifiers that a foreign key has.
    fileprivate var identifiers: [Identifier] {
        if case .array(let elements) = self { return elements.flatMap(\.identifiers) }
        return (try? Identifier(attributeValue: self)).map { [$0] } ?? []
    }
}
