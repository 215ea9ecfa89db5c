import ModelKitModels
import ModelKitStores
import Synchronization

/// What the body of a transaction reads and writes.
final class PostgreSQLRecordTransaction: EffectfulTransaction {
    private var writer: PostgreSQLWriter
    private let old: OldRecords?
    /// The thread of the body; 0 when it has ended.
    private let thread = Atomic<UInt>(TransactionBody.currentThread)
    /// Why the transaction cannot be committed.
    private(set) var failure: (any Error)?
    private(set) var changes: [RecordChanges.Change] = []
    private(set) var effects: [MadeWrite] = []
    /// How many savepoints stand inside of each other.
    private var depth = 0

    init(
        _ writer: PostgreSQLWriter,
        isolation: String = "SERIALIZABLE",
        _ old: OldRecords? = nil
    ) {
        (self.writer, self.old) = (writer, old)
        self.writer.begin(isolation)
    }

    /// Refuses every later use.
    func end() { thread.store(0, ordering: .relaxed) }

    @discardableResult
    func perform(_ writes: [RecordWrite]) throws(StoreError) -> [RecordReceipt] {
        try run {
            let made = try writer.making(writes, isInTransaction: true) {
                try keepingAll { try self.writer.apply(writes, self.old) }
            }
            changes += made.changes.changes
            effects = made.effects
            return made.receipts
        }
    }

    func insert(_ writes: [RecordWrite]) throws(StoreError) -> [Int: StoreError] {
        try run {
            let refused = try writer.insert(writes)
            let made = writes.indices.lazy.filter { refused[$0] == nil }
            noteAdditions(to: Set(made.map { writes[$0].schema.name }))
            return refused
        }
    }

    /// Adds records with the revisions that they have.
    func receive(_ records: [Record], of schema: ModelSchema) throws(StoreError) {
        try run {
            let writes = records.map {
                RecordWrite(.create($0.identifier, $0.values), of: schema)
            }
            try writer.making(writes, isInTransaction: true) {
                try keepingAll {
                    try self.writer.copy(writes, revisions: records.map(\.revision), of: schema)
                }
            }
            noteAdditions(to: [schema.name])
        }
    }

    /// One for all records of a type, as each would keep what was written.
    private func noteAdditions(to types: Set<String>) {
        for type in types {
            let change = RecordChanges.Change(type: type, identifier: nil)
            if !changes.contains(change) { changes.append(change) }
        }
    }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) throws(StoreError) -> [Record] {
        try run {
            try query.check(of: schema)
            try writer.sendPrefix()
            return try PostgreSQLQuery(query, of: schema, writer.connection, writer.table)
                .records()
        }
    }

    func record(
        _ identifier: Identifier,
        of schema: ModelSchema
    ) throws(StoreError) -> Record? {
        try run {
            let table = try writer.table(schema)
            try writer.sendPrefix()
            return try table.record(identifier, writer.connection)
        }
    }

    func lastPlace(of schema: ModelSchema) throws(StoreError) -> Int64 {
        try run {
            let sql = "SELECT coalesce(max(\"_order\"), 0) FROM \(try writer.table(schema).name)"
            try writer.sendPrefix()
            return try writer.connection.run(PostgreSQLStatement(sql)).integer(0, 0) ?? 0
        }
    }

    @discardableResult
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try run {}
        do {
            return try keepingAll(body)
        } catch let error as PostgreSQLError {
            note(error)
            throw StoreError(beforeCommit: error)
        }
    }

    /// What commits it; nil if nothing was sent, so that there is no transaction.
    func ending() throws -> [PostgreSQLStatement]? {
        writer.sends > 0 ? try writer.ending() : nil
    }

    /// Runs what belongs to the transaction, on its thread and before its end.
    private func run<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        guard thread.load(ordering: .relaxed) == TransactionBody.currentThread else {
            throw .unsupported(
                "a transaction is used on the thread of its body, and not after its end"
            )
        }
        if let failure { throw StoreError(failure) }
        do {
            return try body()
        } catch {
            note(error)
            throw StoreError(beforeCommit: error)
        }
    }

    /// Notes what ends the transaction, whatever the body makes of it.
    private func note(_ error: any Error) {
        if failure != nil { return }
        if error is PostgreSQLMissingTable || error is PostgreSQLNotApplied || hasVanished
            || writer.connection.hasFailed
        {
            failure = error
        } else if let error = error as? PostgreSQLError, error.isOfConcurrency {
            failure = error
        }
    }

    /// Whether nothing is left of the transaction.
    private var hasVanished: Bool {
        let connection = writer.connection
        return connection.isBroken || writer.sends > 0 && !connection.isInTransaction
    }

    /// Takes back what the body has written if it throws.
    private func keepingAll<Value>(_ body: () throws -> Value) throws -> Value {
        let (count, before, sends) = (changes.count, writer.prefix, writer.sends)
        let copied = writer.copied
        let name = PostgreSQLWriter.savepoint(depth)
        depth += 1
        defer { depth -= 1 }
        writer.prefix.append(PostgreSQLStatement("SAVEPOINT \(name)"))
        do {
            let value = try body()
            writer.prefix.append(PostgreSQLStatement("RELEASE \(name)"))
            return value
        } catch {
            changes.removeLast(changes.count - count)
            writer.copied = copied
            // What the server has given up as a whole has no parts.
            let causes = [failure, error].compactMap { $0 as? PostgreSQLError }
            if hasVanished || causes.contains(where: \.isOfConcurrency) { throw error }
            try writer.takeBack(to: name, before, sends)
            // What was taken back has no part in it any more.
            if failure is PostgreSQLError { failure = nil }
            throw error
        }
    }
}

/// A table that a transaction needs and nobody has opened: it is opened without the transaction, as that would keep
/// others from making its indexes, and then all of it is run again.
struct PostgreSQLMissingTable: Error {
    let schema: ModelSchema
}

extension PostgreSQLConnection {
    /// Whether the transaction that is open can only be rolled back.
    var hasFailed: Bool { wire.transactionStatus == .failed }
}
