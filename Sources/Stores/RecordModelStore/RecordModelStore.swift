/// A model store that keeps records: it brings where they are kept, and has the rest for free.
///
/// ```swift
/// final class MyStore: RecordModelStore {
///     let records: any RecordStore = MyRecords()
///     let session = StoreSession()
/// }
/// ```
public protocol RecordModelStore: ModelStore {
    /// Where the records are kept.
    var records: any RecordStore { get }

    /// What this store knows of the models in use: one object for the store's whole life.
    var session: StoreSession { get }

    /// After how long a use of the store fails with `.timedOut`; nil, as it is by default, for never.
    var deadline: Duration? { get }
}

extension RecordModelStore {
    public var deadline: Duration? { nil }
}
