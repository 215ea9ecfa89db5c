import ModelKitModels
import ModelKitStores
import Synchronization

/// What the body of a transaction reads and writes.
final class PostgreSQLRecordTransaction: RecordTransaction {
    private var writer: PostgreSQLWriter
    private let old: OldRecords?
    /// The thread of the body; 0 when it has ended.
    private let thread = Atomic<UInt>(TransactionBody.currentThread)
    /// Why the server has given the transaction up.
    private(set) var failure: PostgreSQLError?
    private(set) var changes: [RecordChanges.Change] = []

    init(_ writer: PostgreSQLWriter, _ old: OldRecords? = nil) {
        (self.writer, self.old) = (writer, old)
        self.writer.prefix = [PostgreSQLStatement("BEGIN ISOLATION LEVEL SERIALIZABLE")]
    }

    /// Refuses every later use.
    func end() { thread.store(0, ordering: .relaxed) }

    @discardableResult
    func perform(_ writes: [RecordWrite]) throws(StoreError) -> [RecordReceipt] {
        try run {
            let made = try writer.making(writes) {
                try keepingAll { try self.writer.apply(writes, self.old) }
            }
            changes += made.changes.changes
            return made.receipts
        }
    }

    func insert(_ writes: [RecordWrite]) throws(StoreError) -> [Int: StoreError] {
        try run {
            let refused = try writer.insert(writes)
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
            try begin()
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
            try begin()
            return try table.record(identifier, writer.connection)
        }
    }

    @discardableResult
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try run {}
        do {
            return try keepingAll(body)
        } catch let error as PostgreSQLError {
            note(error)
            throw StoreError(error)
        }
    }

    /// Begins the transaction, if that was not done yet.
    private func begin() throws {
        let prefix = writer.prefix
        writer.prefix = []
        if !prefix.isEmpty { _ = try writer.connection.run(prefix) }
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
            if let error = error as? PostgreSQLError { note(error) }
            throw StoreError(error)
        }
    }

    private func note(_ error: PostgreSQLError) {
        if error.isOfConcurrency || error.isLost { failure = error }
    }

    /// Takes back what the body has written if it throws.
    private func keepingAll<Value>(_ body: () throws -> Value) throws -> Value {
        let count = changes.count
        let name = "\"_modelkit_\(depth)\""
        depth += 1
        defer { depth -= 1 }
        writer.prefix.append(PostgreSQLStatement("SAVEPOINT \(name)"))
        do {
            let value = try body()
            writer.prefix.append(PostgreSQLStatement("RELEASE \(name)"))
            return value
        } catch {
            changes.removeLast(changes.count - count)
            // Where nothing was sent, there is nothing to be taken back.
            if writer.prefix.last?.sql == "SAVEPOINT \(name)" {
                writer.prefix.removeLast()
            } else if !writer.connection.isBroken {
                writer.prefix = []
                try writer.connection.execute("ROLLBACK TO \(name); RELEASE \(name)")
            }
            throw error
        }
    }

    private var depth = 0
}
