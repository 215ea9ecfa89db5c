import ModelKitStores

/// A second session over the records of a store.
final class OtherSession: RecordModelStore {
    let records: any RecordStore
    let session = StoreSession()

    init(_ records: any RecordStore) { self.records = records }
}
