import ModelKitModels

extension StoreSession {
    /// Notes that an object stands for a record that was made of it.
    func note(_ model: any Model, _ snapshot: Snapshot, as receipt: RecordReceipt) {
        register(
            model,
            receipt.identifier,
            revision: receipt.revision,
            agreements: snapshot.giving(receipt.identifier, to: model),
            base: .written(snapshot.row),
            replacing: true
        )
        snapshot.closeGaps(of: model)
        take(receipt.record, into: model)
    }

    /// Notes that an object has written to a record that was there before.
    func note(
        _ model: any Model,
        _ snapshot: Snapshot,
        updatedAs receipt: RecordReceipt,
        over expected: Int64?
    ) {
        // Another object in use stays the one: it meets a conflict, and hides nothing. So does what a
        // lookup that came in between has noted.
        let base = snapshot.base(
            over: snapshot.gaps.isEmpty ? nil : known(model)?.base,
            model.classSchema
        )
        // First, as another object that is gone may have stood at its address.
        register(
            model,
            receipt.identifier,
            revision: receipt.revision,
            agreements: snapshot.agreements,
            base: base
        )
        agree(
            model,
            revision: receipt.revision,
            agreements: snapshot.agreements,
            base: base,
            over: expected
        )
        take(receipt.record, into: model)
    }
}
