import ModelKitModels
import ModelKitStores

/// Gives one record, whatever is asked for.
struct OneRecord: RecordStore {
    let record: Record

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { .value([]) }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        .value([record])
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        .value(record)
    }
}

/// A store of such a record.
struct OneStore: RecordModelStore {
    let records: any RecordStore
    let session = StoreSession()
}
