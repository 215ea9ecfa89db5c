public import ModelKitModels
public import ModelKitPromises

/// What a kind of storage implements: reading and writing records.
///
/// Models, identity and dirty fields are not its business: `ModelStore` is built on it. What it reads
/// is as new as the call or newer: every write whose receipt was given before is in it.
///
/// ```swift
/// final class NullStore: RecordStore {
///     func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
///         .failed(StoreError.unsupported("this store keeps nothing"))
///     }
///     func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> { .value([]) }
///     func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
///         .value(nil)
///     }
/// }
/// ```
public protocol RecordStore: Sendable {
    /// Makes all writes in their order, or none of them.
    ///
    /// It fails with a `StoreError`: `.alreadyExists` for an identifier that is taken, and with the field
    /// for a value of a unique field that another record has by then, `.notFound` for one that is not
    /// there, `.conflict` for another revision than the expected one, `.schema` for a value of another
    /// kind than its field's and a key that no field has, `.unsupported` for a number that is not finite
    /// and for a change of the identifier.
    /// What is cancelled before it was begun is not done and fails with `.cancelled(.notApplied)`; what was
    /// begun goes on to its end: see `Resolver.whenCancelled`.
    ///
    /// - Parameter writes: The writes.
    /// - Returns: A receipt for each write.
    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]>

    /// The records that a query asks for, each with its `place`.
    ///
    /// It fails with a `StoreError`: `.schema` for a key that no field has, `.unsupported` for a
    /// filter that is nested too deep.
    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]>

    /// The same, without the records that are damaged, each of which is reported.
    ///
    /// By default it is `fetch` alone, for stores that cannot distinguish one damaged record from another.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - schema: The type.
    ///   - report: Is called with the error of each, on a thread of the store's choice, and must not wait for
    ///     the store.
    /// - Returns: The other records.
    func fetch(
        _ query: RecordQuery,
        of schema: ModelSchema,
        skippingDamaged report: @escaping @Sendable (StoreError) -> Void
    ) -> Promise<[Record]>

    /// The record with an identifier; nil when there is none.
    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?>

    /// What the records that fulfil the aggregate's filter make together.
    ///
    /// By default they are fetched and added. It fails with a `StoreError`: with what `fetch` fails with, and with
    /// `.unsupported` for values that cannot be added up or compared, and in a store that cannot do it.
    ///
    /// - Parameters:
    ///   - aggregate: What is asked for.
    ///   - schema: The type of the records; those of its subclasses are asked for by themselves.
    /// - Returns: What they make, which fails on its own where that is out of range.
    func totals(_ aggregate: RecordAggregate, of schema: ModelSchema) -> Promise<RecordTotals>

    /// Runs the body, alone: nobody else writes meanwhile, or it is as if nobody did, and all that it writes is kept at
    /// its end, or nothing, if it throws.
    ///
    /// A store that several may write at once may have to give up what the body has done, and run it again.
    ///
    /// It fails with what the body throws, or the commit. The body must not wait for another use of this
    /// store. A store that has no transactions fails with `.unsupported`; so does this one by default.
    ///
    /// - Parameter body: What to do. It is called on a thread of the store's choice.
    /// - Returns: What the body returns.
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result>

    /// Calls the handler after every commit that was made through this object, before the promises of its
    /// writes are settled; nil from a store that reports none, as by default.
    ///
    /// - Parameter handler: What to do, without waiting. It is called on a thread of the store's choice.
    /// - Returns: What ends it.
    func observeChanges(_ handler: @escaping RecordChanges.Handler) -> RecordObservation?
}

/// Records whose transactions may have to be run again, as others write at the same time.
package protocol RepeatingRecords: RecordStore {}

/// Records elsewhere, of which others decide more than a store that keeps them here leaves open.
package protocol ForeignRecordStore: RecordStore {
    /// Whether a new record has the identifier that was made for it.
    var keepsMadeIdentifiers: Bool { get }
    /// Whether it deletes itself what goes with a deleted record, so that this is not looked for.
    var cascades: Bool { get }
    /// Whether nobody is notified of what follows there from its own writes.
    var hidesEffects: Bool { get }
    /// Whether the cursors of its pages are its own.
    var makesPages: Bool { get }

    /// So many of the records that a query asks for as its limit says, and where the next ones begin.
    ///
    /// It is asked only where it makes pages.
    func page(_ query: RecordQuery, of schema: ModelSchema) -> Promise<Page<Record>>
}

extension ForeignRecordStore {
    package var hidesEffects: Bool { true }
    package var makesPages: Bool { false }

    package func page(_ query: RecordQuery, of schema: ModelSchema) -> Promise<Page<Record>> {
        .failed(StoreError.unsupported("this store makes no pages"))
    }
}

extension RecordStore {
    public func fetch(
        _ query: RecordQuery,
        of schema: ModelSchema,
        skippingDamaged report: @escaping @Sendable (StoreError) -> Void
    ) -> Promise<[Record]> {
        fetch(query, of: schema)
    }

    public func totals(
        _ aggregate: RecordAggregate,
        of schema: ModelSchema
    ) -> Promise<RecordTotals> {
        totalsOfFetched(aggregate, of: schema)
    }

    /// Fetches the records, and adds them.
    package func totalsOfFetched(
        _ aggregate: RecordAggregate,
        of schema: ModelSchema
    ) -> Promise<RecordTotals> {
        .trying {
            try aggregate.check(of: schema)
            return fetch(RecordQuery(filter: aggregate.filter), of: schema).map { records in
                var totals = RecordTotals(aggregate, of: schema)
                for record in records { totals.add(record) }
                return totals
            }
        }
    }

    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        .failed(StoreError.unsupported("this store has no transactions"))
    }

    public func observeChanges(_ handler: @escaping RecordChanges.Handler) -> RecordObservation? {
        nil
    }
}
