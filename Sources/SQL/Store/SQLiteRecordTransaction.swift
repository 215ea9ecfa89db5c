import ModelKitModels
import ModelKitStores
import Synchronization

/// What the body of a transaction reads and writes.
final class SQLiteRecordTransaction: EffectfulTransaction {
    private let connection: SQLiteConnection
    private let tables: SQLiteTables
    private let old: OldRecords?
    /// The thread of the body; 0 when it has ended.
    private let thread = Atomic<UInt>(TransactionBody.currentThread)
    /// The tables that were opened in it, which others may not use before they are there for good.
    private(set) var opened = SQLiteTables()
    private(set) var changes: [RecordChanges.Change] = []
    private(set) var effects: [MadeWrite] = []
    private var numbers = SQLiteNumbers()

    init(_ connection: SQLiteConnection, _ tables: SQLiteTables, _ old: OldRecords? = nil) {
        (self.connection, self.tables, self.old) = (connection, tables, old)
    }

    /// Writes what was kept back for the end.
    func finish() throws(StoreError) { try run { try numbers.keep(connection) } }

    /// Refuses every later use.
    func end() { thread.store(0, ordering: .relaxed) }

    @discardableResult
    func perform(_ writes: [RecordWrite]) throws(StoreError) -> [RecordReceipt] {
        try run {
            let apply = {
                try SQLiteTransaction.apply(
                    writes,
                    &self.numbers,
                    self.old,
                    self.connection,
                    self.table
                )
            }
            let made = try writes.isWhole ? apply() : keepingAll(apply)
            changes += made.changes.changes
            effects = made.effects
            return made.receipts
        }
    }

    func insert(_ writes: [RecordWrite]) throws(StoreError) -> [Int: StoreError] {
        try run {
            let refused = try SQLiteTransaction.insert(writes, &numbers, connection, table)
            // One for all, as each would keep what was written.
            let made = writes.indices.lazy.filter { refused[$0] == nil }
            for type in Set(made.map { writes[$0].schema.name }) {
                let change = RecordChanges.Change(type: type, identifier: nil)
                if !changes.contains(change) { changes.append(change) }
            }
            return refused
        }
    }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) throws(StoreError) -> [Record] {
        try run {
            try query.check(of: schema)
            return try SQLiteQuery(query, of: schema, connection, table).records()
        }
    }

    func record(
        _ identifier: Identifier,
        of schema: ModelSchema
    ) throws(StoreError) -> Record? {
        try run { try table(schema).record(identifier, connection) }
    }

    func lastPlace(of schema: ModelSchema) throws(StoreError) -> Int64 {
        try run {
            let sql = "SELECT coalesce(max(\"_order\"), 0) FROM \(try table(schema).name)"
            return try connection.number(sql, [])
        }
    }

    @discardableResult
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try run {}
        do {
            return try keepingAll(body)
        } catch let error as SQLiteError {
            throw StoreError(error)
        }
    }

    /// Runs what belongs to the transaction, on its thread and before its end.
    private func run<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        guard thread.load(ordering: .relaxed) == TransactionBody.currentThread else {
            throw .unsupported(
                "a transaction is used on the thread of its body, and not after its end"
            )
        }
        do {
            return try body()
        } catch {
            throw StoreError(error)
        }
    }

    /// Takes back what the body has written and opened if it throws.
    private func keepingAll<Value>(_ body: () throws -> Value) throws -> Value {
        let (count, opened, numbers) = (changes.count, opened.all, numbers)
        do {
            return try connection.savepoint(body)
        } catch {
            changes.removeLast(changes.count - count)
            self.numbers = numbers
            tables.forgetLastRevisions()
            self.opened.forgetLastRevisions()
            self.opened = SQLiteTables(opened)
            throw error
        }
    }

    func table(_ schema: ModelSchema) throws -> SQLiteTable {
        try tables.find(schema) ?? opened.open(schema, connection)
    }
}

extension [RecordWrite] {
    /// Whether the writes are one statement that is made or not.
    var isWhole: Bool {
        guard count == 1, let write = first else { return isEmpty }
        if write.isCreation { return true }
        return switch write.action {
        case .create, .update: true
        // The greatest revision is another one.
        case .delete: false
        // The record is read after it.
        case .save(_, _, let onConflict): onConflict != .merge
        }
    }
}
