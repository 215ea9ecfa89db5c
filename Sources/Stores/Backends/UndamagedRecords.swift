import ModelKitModels
import ModelKitPromises

/// Records that another record store keeps, whose agreements and changes are those of that.
package protocol LayeredRecords: RecordStore {
    var base: any RecordStore { get }
}

extension LayeredRecords {
    package func observeChanges(_ handler: @escaping RecordChanges.Handler) -> RecordObservation? {
        base.observeChanges(handler)
    }
}

/// The records of a store, without damaged ones where there may be many.
struct UndamagedRecords: LayeredRecords {
    let base: any RecordStore
    let report: @Sendable (StoreError) -> Void

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { base.perform(writes) }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        base.fetch(query, of: schema, skippingDamaged: report)
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        base.record(identifier, of: schema)
    }

    func totals(_ aggregate: RecordAggregate, of schema: ModelSchema) -> Promise<RecordTotals> {
        // A server finds its damaged records itself.
        base.foreign != nil
            ? base.totals(aggregate, of: schema) : totalsOfFetched(aggregate, of: schema)
    }

    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        base.transaction(body)
    }
}

extension RecordStore {
    /// The records that are elsewhere, also without damaged ones; nil where they are here.
    package var foreign: (any ForeignRecordStore)? {
        self as? any ForeignRecordStore ?? (self as? UndamagedRecords)?.base.foreign
    }

    /// Whether a record that may have been made has the identifier that it was sent with.
    var keepsIdentifiers: Bool { foreign?.keepsMadeIdentifiers ?? true }

    /// Whether the records are elsewhere, so that nobody is notified of what follows there from writes.
    var isElsewhere: Bool { foreign?.hidesEffects ?? false }

    /// Whether the body of a transaction may have to run again.
    var mayRepeat: Bool {
        self is any RepeatingRecords || (self as? any LayeredRecords)?.base.mayRepeat ?? false
    }

    /// Whether it deletes itself what goes with a deleted record.
    var deletesCascades: Bool { foreign?.cascades ?? false }

    /// The records whose agreements can be resumed; nil if there are none.
    var resumable: (any ResumableRecords)? {
        self as? any ResumableRecords ?? (self as? any LayeredRecords)?.base.resumable
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
            } catch let error as StoreError where error.isOfOneRecord {
                guard let report else { throw error }
                report(error)
            }
        }
        return models
    }
}

extension StoreError {
    /// Whether it is one record that cannot be read.
    var isOfOneRecord: Bool {
        switch self {
        case .decoding, .corrupt: true
        default: false
        }
    }
}
