import ModelKitModels

/// A transaction over a copy of the tables, which takes their place at the end.
final class TablesTransaction: EffectfulTransaction {
    private var tables: RecordTables
    /// What was written.
    private var changes: [RecordChanges.Change] = []
    private(set) var effects: [MadeWrite] = []
    private let old: OldRecords?
    private var isOver = false

    private init(_ tables: RecordTables, _ old: OldRecords?) {
        (self.tables, self.old) = (tables, old)
    }

    /// Runs the body, and gives what it has made of the tables.
    static func run<Result>(
        _ tables: RecordTables,
        _ old: OldRecords?,
        _ body: (any RecordTransaction) throws -> Result
    ) throws -> (result: Result, tables: RecordTables, changes: RecordChanges) {
        let transaction = TablesTransaction(tables, old)
        defer { transaction.isOver = true }
        let result = try body(transaction)
        return (result, transaction.tables, RecordChanges(transaction.changes))
    }

    private func check() throws(StoreError) {
        if isOver { throw .unsupported("the transaction is over") }
    }

    func perform(_ writes: [RecordWrite]) throws(StoreError) -> [RecordReceipt] {
        try check()
        let made = try tables.apply(writes, old)
        changes += made.changes.changes
        effects = made.effects
        return made.receipts
    }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) throws(StoreError) -> [Record] {
        try check()
        return try tables.answer(query, of: schema)
    }

    func record(
        _ identifier: Identifier,
        of schema: ModelSchema
    ) throws(StoreError) -> Record? {
        try check()
        return try tables.opened(schema)[identifier]
    }

    func lastPlace(of schema: ModelSchema) throws(StoreError) -> Int64 {
        try check()
        return try tables.opened(schema).lastPlace
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try check()
        let before = (tables, changes)
        do {
            return try body()
        } catch {
            (tables, changes) = before
            throw error
        }
    }
}
