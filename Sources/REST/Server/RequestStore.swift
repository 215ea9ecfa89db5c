import ModelKitStores

/// The models of one request, which no other one meets.
struct RequestStore: RecordModelStore {
    let records: any RecordStore
    let session = StoreSession()
}
