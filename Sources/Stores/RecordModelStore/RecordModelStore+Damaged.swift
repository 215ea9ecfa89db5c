import ModelKitModels
import ModelKitPromises

extension RecordModelStore {
    /// The same store, whose lists, pages and live queries leave out records that are damaged, or do not fit
    /// their type, instead of failing with the error of the first one.
    ///
    /// ```swift
    /// let people = try await store.skippingDamaged { error in print(error) }.list(Person.self).value
    /// ```
    ///
    /// An error names the type and the identifier, and the field where it is known. A live query reports a
    /// record that stays damaged at each result. What is damaged is left as it is: looking it up fails, and
    /// a model of its identifier that is saved with `.replace` takes its place. A file that is damaged as a
    /// whole, and a condition that cannot be asked of a damaged value, fail as ever.
    ///
    /// - Parameter report: Is called with the error of each record that is left out, on a thread of the
    ///   store's choice, before the result is there; it must not wait for the store.
    /// - Returns: The store that leaves them out.
    public func skippingDamaged(
        _ report: @escaping @Sendable (StoreError) -> Void
    ) -> some RecordModelStore {
        RecordModelStoreView(
            records: UndamagedRecords(base: records, report: report),
            session: session,
            deadline: deadline
        )
    }
}

/// The records of a store, without damaged ones where there may be many.
private struct UndamagedRecords: ForeignRecordStore {
    let base: any RecordStore
    let report: @Sendable (StoreError) -> Void

    var keepsMadeIdentifiers: Bool { base.keepsIdentifiers }
    var cascades: Bool { base.deletesCascades }
    var hidesEffects: Bool { base.isElsewhere }
    var makesPages: Bool { (base as? any ForeignRecordStore)?.makesPages ?? false }

    func page(_ query: RecordQuery, of schema: ModelSchema) -> Promise<RecordPage> {
        (base as? any ForeignRecordStore)?.page(query, of: schema)
            ?? .failed(StoreError.unsupported("this store makes no pages"))
    }

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { base.perform(writes) }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        base.fetch(query, of: schema, skippingDamaged: report)
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        base.record(identifier, of: schema)
    }

    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        base.transaction(body)
    }

    func observeChanges(
        _ handler: @escaping @Sendable (RecordChanges) -> Void
    ) -> RecordObservation? {
        base.observeChanges(handler)
    }
}

extension RecordStore {
    /// The records whose agreements can be resumed; nil if there are none.
    var resumable: (any ResumableRecords)? {
        self as? any ResumableRecords ?? (self as? UndamagedRecords)?.base.resumable
    }

    /// What is made of each of some records; where damaged ones are left out, of those that fit their type.
    func models<Found: Collection, Made>(
        of found: Found,
        _ make: (Found.Element) throws -> Made
    ) throws -> [Made] {
        guard let report = (self as? UndamagedRecords)?.report else { return try found.map(make) }
        return try found.compactMap { found in
            do {
                return try make(found)
            } catch let error as StoreError {
                switch error {
                case .decoding, .corrupt: report(error)
                default: throw error
                }
                return nil
            }
        }
    }
}
