package import ModelKitModels

/// The records that a commit changes, as they were before it, of the types of which somebody needs that.
package final class OldRecords {
    private let observers: RecordObservers
    /// Whether nobody needs them, or the commit is too big.
    private var isOff: Bool
    private var needs: [ObjectIdentifier: Bool] = [:]
    private var rows: [IdentityMap.Key: RecordChanges.Change.Row] = [:]
    private var count = 0

    // It keeps none of those who judge, as it may be released under a lock of the store.
    init(_ observers: RecordObservers, areNeeded: Bool) {
        (self.observers, isOff) = (observers, !areNeeded)
    }

    /// Notes what a record is before its first write; later ones change nothing of that.
    ///
    /// Where the record is damaged, nothing is known of it, and of a commit of very many writes nothing at all.
    ///
    /// - Throws: What else asking for it throws, as the store may have given the transaction up.
    package func note<Failure: Error>(
        _ identifier: Identifier,
        _ schema: ModelSchema,
        _ record: () throws(Failure) -> Record?
    ) throws(Failure) {
        if isOff { return }
        count += 1
        if count > RecordChanges.mostRows {
            (isOff, rows) = (true, [:])
            return
        }
        let type = ObjectIdentifier(schema)
        let isNeeded = needs[type] ?? observers.needsRows(of: schema, old: true)
        needs[type] = isNeeded
        guard isNeeded else { return }
        let key = IdentityMap.Key(type: schema.type, identifier: identifier)
        if rows[key] != nil { return }
        do throws(Failure) {
            rows[key] = .init(try record())
        } catch {
            guard error is StoreError else { throw error }
            rows[key] = .unknown
        }
    }

    /// What is known of a record; nil where nothing was noted.
    subscript(schema: ModelSchema, identifier: Identifier) -> RecordChanges.Change.Row? {
        rows[IdentityMap.Key(type: schema.type, identifier: identifier)]
    }
}
