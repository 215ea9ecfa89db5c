import ModelKitModels
import ModelKitPromises

/// The records of a store, without damaged ones where there may be many.
struct UndamagedRecords: ForeignRecordStore {
    let base: any RecordStore
    let report: @Sendable (StoreError) -> Void

    var keepsMadeIdentifiers: Bool { base.keepsIdentifiers }
    var cascades: Bool { base.deletesCascades }
    var hidesEffects: Bool { base.isElsewhere }
    var makesPages: Bool { (base as? any ForeignRecordStore)?.makesPages ?? false }

    func page(_ query: RecordQuery, of schema: ModelSchema) -> Promise<RecordPage> {
        (base as? any ForeignRecordStore)?.page(query, of: schema)
            ?? .failed(StoreError.unsupported("this store makes no pages"))
    }

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { base.perform(writes) }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        base.fetch(query, of: schema, skippingDamaged: report)
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        base.record(identifier, of: schema)
    }

    func totals(_ aggregate: RecordAggregate, of schema: ModelSchema) -> Promise<RecordTotals> {
        // A server finds its damaged records itself.
        base is any ForeignRecordStore
            ? base.totals(aggregate, of: schema) : totalsOfFetched(aggregate, of: schema)
    }

    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        base.transaction(body)
    }

    func observeChanges(
        _ handler: @escaping @Sendable (RecordChanges) -> Void
    ) -> RecordObservation? {
        base.observeChanges(handler)
    }
}

extension RecordStore {
    /// The records whose agreements can be resumed; nil if there are none.
    var resumable: (any ResumableRecords)? {
        self as? any ResumableRecords ?? (self as? UndamagedRecords)?.base.resumable
    }

    // Inlined, so that the compiler knows what was found.
    /// What is made of each of some records; where damaged ones are left out, of those that fit their type.
    @inline(__always)
    func models<Found: Collection, Made>(
        of found: Found,
        _ make: (Found.Element) throws -> Made
    ) throws -> [Made] {
        let report = (self as? UndamagedRecords)?.report
        var models: [Made] = []
        models.reserveCapacity(found.count)
        for found in found {
            do {
                models.append(try make(found))
            } catch let error as StoreError {
                guard let report else { throw error }
                switch error {
                case .decoding, .corrupt: report(error)
                default: throw error
                }
            }
        }
        return models
    }
}
