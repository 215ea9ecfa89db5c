package import ModelKitPromises

/// Records whose commits bring the records that they have changed to those who judge them.
package protocol JudgedRecords: RecordStore {
    var observers: RecordObservers { get }

    /// Begins to look for what others write; what is asked for after that and changed later is noticed.
    func beginJudging() -> Promise<Void>
}

extension JudgedRecords {
    package func beginJudging() -> Promise<Void> { .value(()) }
}
