public import ModelKitModels

/// What the body of a transaction reads and writes: what is stored, with its own writes, which nobody
/// else sees before the end.
///
/// It is used on one thread, for the duration of the body; later uses fail with `.unsupported`.
///
/// ```swift
/// let records = try await store.records.transaction { transaction in
///     try transaction.perform([RecordWrite(.create("p1", ["name": "Bob"]), of: Person.schema)])
///     return try transaction.fetch(RecordQuery(), of: Person.schema)
/// }.value
/// ```
public protocol RecordTransaction: AnyObject {
    /// Makes all writes in their order, or none of them.
    ///
    /// It fails as `RecordStore.perform` does; the transaction goes on, with what was written before.
    @discardableResult
    func perform(_ writes: [RecordWrite]) throws(StoreError) -> [RecordReceipt]

    /// The records that a query asks for, each with its `place`.
    func fetch(_ query: RecordQuery, of schema: ModelSchema) throws(StoreError) -> [Record]

    /// The record with an identifier; nil when there is none.
    func record(_ identifier: Identifier, of schema: ModelSchema) throws(StoreError) -> Record?

    /// Runs the body; if it throws, what was written in it is rolled back, and what was written before
    /// stays.
    ///
    /// They may be nested.
    @discardableResult
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result
}
