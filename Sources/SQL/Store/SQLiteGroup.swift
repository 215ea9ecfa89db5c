import Dispatch
import ModelKitStores

/// Writes that wait beside each other, which share transactions: a commit costs more than all that most of them do.
///
/// Each is made or not by itself, and none is settled, reported or visible before the commit.
final class SQLiteGroup: Sendable {
    struct Write: Sendable {
        let writes: [RecordWrite]
        let cancellation: SQLiteCancellation
        let resolver: Resolver<[RecordReceipt]>

        func settle(with result: Result<[RecordReceipt], any Error>) {
            resolver.settle(with: result, cancellation)
        }
    }

    typealias Commit =
        @Sendable (ArraySlice<Write>, SQLiteConnection) -> (count: Int, settle: () -> Void)

    /// Nil when it has begun.
    private let waiting: Guarded<[Write]?>

    init(_ first: Write) { waiting = Guarded([first]) }

    /// Adds a write; false if it is too late.
    func append(_ write: Write) -> Bool {
        waiting.withLock { waiting in
            waiting?.append(write)
            return waiting != nil
        }
    }

    /// Takes all that wait; no more are added.
    func begin() -> [Write] { waiting.withLock { $0.take() } ?? [] }
}

extension SQLiteRecordStore {
    /// So many writes share a transaction at most, and so much time, in nanoseconds: others wait for both.
    private static let most = (writes: 256, time: 2_000_000 as UInt64)

    /// What has come of the writes of one transaction.
    private struct Attempt {
        var made: [(write: SQLiteGroup.Write, records: MadeRecords, changes: RecordChanges?)] = []
        var failed: [(write: SQLiteGroup.Write, error: any Error)] = []
        /// Those that were made anew, each in a transaction of its own.
        var alone: [(write: SQLiteGroup.Write, result: Result<[RecordReceipt], any Error>)] = []
        var count: Int { made.count + failed.count + alone.count }
        var changes: RecordChanges {
            RecordChanges(made.flatMap { ($0.changes ?? $0.records.changes).changes })
        }
    }

    /// Makes the first of some writes in one transaction.
    ///
    /// - Returns: How many were taken, and what settles them.
    func commit(
        _ writes: ArraySlice<SQLiteGroup.Write>,
        _ connection: SQLiteConnection
    ) -> (count: Int, settle: () -> Void) {
        if writes.count == 1, let write = writes.first {
            let result = Result { try commit(write, connection) }
            return (1, { write.settle(with: result) })
        }
        let writes = writes.prefix(Self.most.writes)
        // Opened first: what a transaction that fails has made would be gone.
        let opened = writes.map { write in Result { try open(write.writes, connection) } }
        var attempt = Attempt()
        let old = observers.oldRecords
        do {
            try transaction(on: connection, isJudged: old != nil) {
                try make(zip(writes, opened), &attempt, old, connection)
            } changing: {
                attempt.changes
            } judging: {
                notify(of: attempt)
            }
        } catch {
            let isOfConstraint = (error as? SQLiteError)?.isOfConstraint ?? false
            if isOfConstraint, attempt.count > 1 {
                // At the commit a constraint of others is checked, which one of them breaks and the others may not; and
                // some may have been refused for what is not there now.
                let all = writes.prefix(attempt.count)
                attempt = Attempt()
                attempt.alone = all.map { write in
                    (write, Result { try commit(write, connection) })
                }
            } else {
                // Where it could not even begin, it is the same for all.
                let others = attempt.count == 0 ? Array(writes) : attempt.made.map(\.write)
                attempt.made = []
                attempt.alone = others.map { ($0, .failure(error)) }
            }
        }
        return (
            attempt.count,
            { [attempt] in
                for made in attempt.made {
                    made.write.settle(with: .success(made.records.receipts))
                }
                for (write, error) in attempt.failed { write.settle(with: .failure(error)) }
                for (write, result) in attempt.alone { write.settle(with: result) }
            }
        )
    }

    private func notify(of attempt: Attempt) {
        if observers.isEmpty { return }
        let all = attempt.made.map { $0.changes ?? $0.records.changes }
        // Judged at once, as each has the records as all of them have left them.
        let judged = observers.isJudged ? observers.judge(attempt.changes) : []
        for changes in all { observers.notify(changes, judged: judged) }
    }

    /// Makes so many writes as one transaction has time for.
    private func make(
        _ writes: some Sequence<(SQLiteGroup.Write, Result<Void, any Error>)>,
        _ attempt: inout Attempt,
        _ old: OldRecords?,
        _ connection: SQLiteConnection
    ) throws {
        let end = DispatchTime.now().uptimeNanoseconds + Self.most.time
        var numbers = SQLiteNumbers()
        for (write, opened) in writes {
            let count = attempt.count
            // Several records may take long, one does not.
            let isTimed = count > 0 && (count % 8 == 0 || write.writes.count > 1)
            if isTimed, DispatchTime.now().uptimeNanoseconds > end { break }
            do {
                // One that has begun goes on.
                try write.cancellation.close()
                try opened.get()
                let records =
                    try write.writes.isWhole
                    ? apply(write.writes, &numbers, old, connection)
                    : connection.savepoint { try apply(write.writes, &numbers, old, connection) }
                attempt.made.append((write, records, nil))
            } catch {
                attempt.failed.append((write, error))
                tables.forgetLastRevisions()
                // All that was made is undone then.
                try connection.checkTransaction()
            }
        }
        try numbers.keep(connection)
        for index in attempt.made.indices {
            attempt.made[index].changes = rows(of: attempt.made[index].records, old, connection)
        }
    }

    private func commit(
        _ write: SQLiteGroup.Write,
        _ connection: SQLiteConnection
    ) throws -> [RecordReceipt] {
        try write.cancellation.check()
        try open(write.writes, connection)
        let old = observers.oldRecords
        return try transaction(on: connection, isJudged: old != nil) {
            // While it waits for others who write it can be cancelled.
            try write.cancellation.close()
            var numbers = SQLiteNumbers()
            let records = try apply(write.writes, &numbers, old, connection)
            try numbers.keep(connection)
            return (records, rows(of: records, old, connection))
        } changing: { records, changes in
            changes ?? records.changes
        } judging: { records, changes in
            observers.notify(changes ?? records.changes)
        }.0.receipts
    }

    private func apply(
        _ writes: [RecordWrite],
        _ numbers: inout SQLiteNumbers,
        _ old: OldRecords?,
        _ connection: SQLiteConnection
    ) throws -> MadeRecords {
        try SQLiteTransaction.apply(writes, &numbers, old, connection) {
            try tables.open($0, connection)
        }
    }

    private func rows(
        of made: MadeRecords,
        _ old: OldRecords?,
        _ connection: SQLiteConnection
    ) -> RecordChanges? {
        rows(of: made.changes, old, connection) { try tables.open($0, connection) }
    }

    /// Opens the tables that writes, and what follows from them, may change.
    private func open(_ writes: [RecordWrite], _ connection: SQLiteConnection) throws {
        for index in writes.indices
        where index == 0 || writes[index].schema !== writes[index - 1].schema {
            _ = try tables.open(writes[index].schema, connection)
        }
        for index in writes.indices {
            if let needed = writes[index].needed { _ = try tables.open(needed.schema, connection) }
        }
        for index in writes.indices where writes[index].mayHaveEffects {
            for schema in writes[index].schema.typesOfEffects {
                _ = try tables.open(schema, connection)
            }
        }
    }
}
