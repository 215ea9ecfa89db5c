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

    /// Adds records, without those that are refused: as another record has the identifier or the value of a unique
    /// field, or as the store cannot keep what is in them.
    ///
    /// It is for many of them, of which the store notifies observers as of any number of records. Where it throws,
    /// some may be there, so that the transaction is to be given up. By default each is a `perform`.
    ///
    /// - Parameter writes: Creations.
    /// - Returns: Why some are refused, by their places among the writes.
    /// - Throws: What else `perform` fails with.
    func insert(_ writes: [RecordWrite]) throws(StoreError) -> [Int: StoreError]

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

/// A transaction of records that are kept here, which reports what follows from its deletions.
package protocol EffectfulTransaction: RecordTransaction {
    /// The greatest place of a record of a type; 0 where there is none.
    func lastPlace(of schema: ModelSchema) throws(StoreError) -> Int64

    /// What has followed from the writes that were last performed, which are not in their receipts.
    var effects: [MadeWrite] { get }
}

extension RecordTransaction {
    public func insert(_ writes: [RecordWrite]) throws(StoreError) -> [Int: StoreError] {
        var refused: [Int: StoreError] = [:]
        for (index, write) in writes.enumerated() {
            do throws(StoreError) {
                try perform([write])
            } catch {
                guard error.isOfRecord else { throw error }
                refused[index] = error
            }
        }
        return refused
    }
}

extension StoreError {
    /// Whether it is about the record that is written, and the next one may be written all the same.
    package var isOfRecord: Bool {
        switch self {
        case .alreadyExists, .unsupported, .validation: true
        default: false
        }
    }
}
