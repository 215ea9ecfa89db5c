import ModelKitModels
import ModelKitSQL
import ModelKitStores

// Rows are copied into their table itself, some hundreds at a time after a savepoint. By way of another table all would
// be written twice, for the sake of the few that are refused; those are found when a part is.

extension PostgreSQLWriter {
    private static let savepoint = savepoint(-1)

    /// Adds records, without those that are refused.
    ///
    /// - Returns: Why some are refused, by their places among the writes.
    mutating func insert(_ writes: [RecordWrite]) throws -> [Int: StoreError] {
        var refused: [Int: StoreError] = [:]
        var index = 0
        renewDeadline()
        while index < writes.count {
            let run = PostgreSQLWriteRun(writes[index...])
            guard run.kind == .creation else {
                throw StoreError.unsupported("an insertion of what is no creation")
            }
            var rows = PostgreSQLCopiedRows(of: try table(writes[index].schema))
            for place in run.range {
                do {
                    try rows.append(writes[place], at: place)
                } catch let error as StoreError where error.isOfRecord {
                    refused[place] = error
                }
            }
            try insert(rows.rows, rows, writes, &refused)
            index = run.range.upperBound
        }
        return refused
    }

    /// Adds those of some rows that the database does not refuse.
    private mutating func insert(
        _ part: [PostgreSQLCopiedRows.Row],
        _ rows: PostgreSQLCopiedRows,
        _ writes: [RecordWrite],
        _ refused: inout [Int: StoreError]
    ) throws {
        guard !part.isEmpty, var refusal = try add(part, rows, writes) else { return }
        let (table, own) = (rows.table, part.map { writes[$0.place] })
        func conflict() throws -> PostgreSQLTable.Conflict {
            refusal.kind == .uniqueViolation
                ? try table.conflict(of: refusal.constraint, connection) : .others
        }
        var (kind, attempt) = (try conflict(), 1)
        while case .order = kind, attempt < Self.mostAttempts {
            guard let again = try add(part, rows, writes) else { return }
            refusal = again
            kind = try conflict()
            attempt += 1
        }
        let causes: [Int: StoreError] =
            if case .column(let column) = kind {
                try table.causes(of: column, own, connection)
            } else { [:] }
        for (index, cause) in causes { refused[part[index].place] = cause }
        let left = part.indices.filter { causes[$0] == nil }
        if causes.isEmpty {
            var again = Optional(refusal)
            if refusal.kind == .uniqueViolation {
                try table.skipTakenNumbers(own, connection)
                // Unless it was a number that was taken, it is refused again.
                if part.count == 1 { again = try add(part, rows, writes) }
            }
            if part.count == 1 {
                guard let error = again else { return }
                // Of one that was added after the transaction began, which does not see it.
                if case .column(let column) = kind, column === table.identifierColumn,
                    error.constraint == refusal.constraint, let identifier = part[0].identifier
                {
                    refused[part[0].place] =
                        .alreadyExists(type: table.schema.name, identifier: identifier)
                } else {
                    refused[part[0].place] =
                        table.refusal(of: own, for: error) ?? StoreError(error)
                }
                return
            }
        }
        // Where it is not known which, those of each half are tried by themselves.
        let halves =
            causes.isEmpty
            ? [left.prefix(left.count / 2), left.dropFirst(left.count / 2)] : [left[...]]
        for half in halves { try insert(half.map { part[$0] }, rows, writes, &refused) }
    }

    /// Adds rows, all or none.
    ///
    /// - Returns: Why the database refuses one of them; nil if they were added.
    private mutating func add(
        _ part: [PostgreSQLCopiedRows.Row],
        _ rows: PostgreSQLCopiedRows,
        _ writes: [RecordWrite]
    ) throws -> PostgreSQLError? {
        let (before, sends) = (prefix, sends)
        prefix.append(PostgreSQLStatement("SAVEPOINT \(Self.savepoint)"))
        do {
            if canCopy {
                try copy(part, rows)
            } else {
                _ = try rows.table.insert(
                    part.compactMap { try rows.table.newRow(writes[$0.place]) },
                    &self
                )
            }
            prefix.append(PostgreSQLStatement("RELEASE \(Self.savepoint)"))
            return nil
        } catch let error as PostgreSQLError where error.isOfConstraint || error.isOfCopy {
            try takeBack(to: Self.savepoint, before, sends)
            if error.isOfConstraint { return error }
            canCopy = false
            return try add(part, rows, writes)
        }
    }

    private mutating func copy(_ part: [PostgreSQLCopiedRows.Row], _ rows: PostgreSQLCopiedRows)
        throws
    {
        let table = rows.table
        let count = part.count { $0.identifier == nil }
        let statement = table.making(part.count, numbers: count)
        let answer = Result { () throws(PostgreSQLError) in try run(statement) }
        if case .failure(let error) = answer, error.sqlState == "2200H", count > 0 {
            // The end of a sequence.
            throw table.schema.numbersAreUsedUp
        }
        let result = try answer.get()
        var numbered = 0
        let made = part.enumerated().map { index, row in
            var made = PostgreSQLCopiedRows.Made(revision: result.bytes(index, 0).int64)
            if row.identifier == nil {
                made.number = result.bytes(numbered, 1).int64
                numbered += 1
            }
            return made
        }
        try copy(part, rows, made, areRevisionsGiven: false)
    }

    /// Adds records with the revisions that they have, all or none.
    mutating func copy(
        _ writes: [RecordWrite],
        revisions: [Int64],
        of schema: ModelSchema
    ) throws {
        var rows = PostgreSQLCopiedRows(of: try table(schema))
        for (place, write) in writes.enumerated() { try rows.append(write, at: place) }
        try sendPrefix()
        let made = revisions.map { PostgreSQLCopiedRows.Made(revision: $0) }
        try copy(rows.rows, rows, made, areRevisionsGiven: true)
    }

    private mutating func copy(
        _ part: [PostgreSQLCopiedRows.Row],
        _ rows: PostgreSQLCopiedRows,
        _ made: [PostgreSQLCopiedRows.Made],
        areRevisionsGiven: Bool
    ) throws {
        let table = rows.table
        renewDeadline()
        guard try connection.copyIn(table.copy, rows.chunks(of: part, made)) == part.count else {
            throw table.ignored
        }
        try copied.add(
            zip(part, made).map { ($0.identifier, $1) },
            to: table,
            areRevisionsGiven: areRevisionsGiven
        )
    }
}

extension PostgreSQLError {
    /// Whether it is what was to be written that the database has refused.
    fileprivate var isOfConstraint: Bool {
        switch kind {
        case .uniqueViolation, .foreignKeyViolation, .notNullViolation, .checkViolation,
            .outOfRange, .tooLarge, .invalidText:
            isRefusal && !isOfCopiedLog
        // An exclusion, and what a trigger raises, also by a condition of its own.
        default: sqlState == "23P01" || ["P0", "45"].contains(sqlState?.prefix(2))
        }
    }

    /// Whether the table takes no COPY, as one does with row level security, or the server has none.
    fileprivate var isOfCopy: Bool {
        isRefusal && (kind == .notSupported || sqlState == "42601")
            && sql?.hasPrefix("COPY") ?? false
    }
}
