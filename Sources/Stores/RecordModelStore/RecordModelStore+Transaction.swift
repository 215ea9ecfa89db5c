public import ModelKitPromises

extension RecordModelStore {
    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Result
    ) -> Promise<Result> {
        let label = StoreEvent.Label(operation: .transaction)
        // Its body may take any time, so that nobody is kept waiting by cancelling it.
        return session.run(label, after: .everything(), deadline: deadline, awaitsEnd: false) {
            [records, session] in
            let notes = TransactionNotes(session, records)
            let done = records.transaction { records in
                notes.begin()
                defer { notes.end() }
                return try session.body.run { try body(StoreTransaction(records, notes)) }
            }
            return .init(promise: done) { result in
                notes.commit()
                return result
            } failed: { error in
                notes.rollBack(after: error)
                return error
            }
        }
    }
}
