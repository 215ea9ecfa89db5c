import ModelKitModels

/// What is known of the models in use, and is noted of writes: by a session at once, in a transaction for
/// its end.
protocol WriteNotes {
    /// What an object and its record agree on; nil if it stands for none.
    func known(_ model: AnyObject) -> StoreSession.Known?

    /// Whether the record of an object is deleted, or is being deleted.
    func isDeleted(_ model: any Model) -> Bool

    /// Whether the record of an object was deleted, and it stands for none since.
    func isGone(_ model: any Model) -> Bool

    /// Notes that an object stands for a record that was made of it.
    func note(_ model: any Model, _ snapshot: Snapshot, as receipt: RecordReceipt)

    /// Notes that an object has written to a record that was there before, with the expected revision.
    func note(
        _ model: any Model,
        _ snapshot: Snapshot,
        updatedAs receipt: RecordReceipt,
        over expected: Int64?
    )

    /// Runs a closure when it is certain that what was written is there.
    func whenMade(_ body: @escaping @Sendable () -> Void)

    /// Notes that a record was deleted, and the object that it was deleted by, if any.
    func noteDeleted(
        _ type: any Model.Type,
        _ identifier: Identifier,
        _ object: (any Model)?,
        asked: UInt64
    )
}

extension WriteNotes {
    /// Notes that an object stands for a record that it was saved to: one that was made of it, or that was
    /// there before.
    func note(
        _ model: any Model,
        _ snapshot: Snapshot,
        savedAs receipt: RecordReceipt,
        isNew: Bool,
        over expected: Int64?
    ) {
        if isNew {
            whenMade { model.joinCopied() }
            note(model, snapshot, as: receipt)
        } else {
            // It was made here, and stands for a record that others may refer to.
            if known(model) == nil {
                whenMade {
                    model.joinCopied()
                    model.unloadDerived()
                }
            }
            note(model, snapshot, updatedAs: receipt, over: expected)
        }
    }
}

extension StoreSession: WriteNotes {
    func whenMade(_ body: @escaping @Sendable () -> Void) { body() }
}
