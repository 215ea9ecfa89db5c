package import ModelKitModels
package import ModelKitPromises

/// Records that others can be put among as they were elsewhere.
package protocol ReceivingRecords: RecordStore {
    /// Adds records with the revisions that they have, all or none.
    ///
    /// It fails with `.alreadyExists` as `perform` does.
    func receive(_ records: [Record], of schema: ModelSchema) -> Promise<Void>
}
