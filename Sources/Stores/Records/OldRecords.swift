package import ModelKitModels

/// The records that a commit changes, as they were before it, of the types of which somebody needs that.
package final class OldRecords {
    private let isNeeded: (ModelSchema) -> Bool
    private var needs: [ObjectIdentifier: Bool] = [:]
    private var rows: [IdentityMap.Key: RecordChanges.Change.Row] = [:]

    init(_ isNeeded: @escaping (ModelSchema) -> Bool) { self.isNeeded = isNeeded }

    /// Notes what a record is before its first write; later ones change nothing of that.
    ///
    /// Where the record is damaged, nothing is known of it.
    ///
    /// - Throws: What else asking for it throws, as the store may have given the transaction up.
    package func note<Failure: Error>(
        _ identifier: Identifier,
        _ schema: ModelSchema,
        _ record: () throws(Failure) -> Record?
    ) throws(Failure) {
        let type = ObjectIdentifier(schema)
        let isNeeded = needs[type] ?? isNeeded(schema)
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
