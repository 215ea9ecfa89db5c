/// Records whose commits bring the records that they have changed to those who judge them.
package protocol JudgedRecords: RecordStore {
    var observers: RecordObservers { get }

    /// Begins to look for what others write.
    func beginJudging()
}

extension JudgedRecords {
    package func beginJudging() {}
}
