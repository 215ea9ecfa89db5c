import ModelKitModels
import ModelKitSQL
import ModelKitStores

extension PostgreSQLWriter {
    private static let savepoint = savepoint(-1)

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
            // So that numbers which are made later are not those that were given.
            if rows.contains(where: { $0.identifier != nil }), table.makesNumbers {
                try table.skipTakenNumbers([], connection)
            }
        }
        return refused
    }

    /// Adds those of some rows that the database does not refuse.
    private mutating func insert(
        _ rows: [PostgreSQLNewRow],
        at places: [Int],
        _ writes: [RecordWrite],
        _ table: PostgreSQLTable,
        _ refused: inout [Int: StoreError]
    ) throws {
        if rows.isEmpty { return }
        let (before, sends) = (prefix, sends)
        prefix.append(PostgreSQLStatement("SAVEPOINT \(Self.savepoint)"))
        let refusal: PostgreSQLError
        do {
            _ = try table.insert(rows, &self)
            return prefix.append(PostgreSQLStatement("RELEASE \(Self.savepoint)"))
        } catch let error as PostgreSQLError where error.isOfConstraint {
            try takeBack(to: Self.savepoint, before, sends)
            refusal = error
        }
        let own = places.map { writes[$0] }
        let causes =
            refusal.kind == .uniqueViolation
            ? try table.causes(of: refusal, own, connection) : [:]
        for (index, cause) in causes { refused[places[index]] = cause }
        let left = rows.indices.filter { causes[$0] == nil }
        if causes.isEmpty {
            try table.skipTakenNumbers(own, connection)
            if rows.count == 1 {
                // Unless it was a number that was taken, it is refused again.
                try insertOne(rows, places[0], table, &refused)
                return
            }
        }
        // Where it is not known which, those of each half are tried by themselves.
        let halves =
            causes.isEmpty
            ? [left.prefix(left.count / 2), left.dropFirst(left.count / 2)] : [left[...]]
        for half in halves {
            try insert(half.map { rows[$0] }, at: half.map { places[$0] }, writes, table, &refused)
        }
    }

    private mutating func insertOne(
        _ rows: [PostgreSQLNewRow],
        _ place: Int,
        _ table: PostgreSQLTable,
        _ refused: inout [Int: StoreError]
    ) throws {
        let (before, sends) = (prefix, sends)
        prefix.append(PostgreSQLStatement("SAVEPOINT \(Self.savepoint)"))
        do {
            _ = try table.insert(rows, &self)
            prefix.append(PostgreSQLStatement("RELEASE \(Self.savepoint)"))
        } catch let error as PostgreSQLError where error.isOfConstraint {
            try takeBack(to: Self.savepoint, before, sends)
            let isIdentity =
                table.column(ofUniqueIndex: error.constraint) === table.identifierColumn
            // Of one that was added after the transaction began, which does not see it.
            if isIdentity, let identifier = rows[0].identifier {
                refused[place] = .alreadyExists(type: table.schema.name, identifier: identifier)
            } else {
                refused[place] = StoreError(error)
            }
        }
    }
}

extension PostgreSQLError {
    /// Whether it is what was to be written that the database has refused.
    fileprivate var isOfConstraint: Bool {
        switch kind {
        case .uniqueViolation, .foreignKeyViolation, .notNullViolation, .checkViolation,
            .outOfRange, .tooLarge, .invalidText:
            isRefusal
        default: false
        }
    }
}
