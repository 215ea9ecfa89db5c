import ModelKitFields
import ModelKitModels
import ModelKitStores

extension SQLiteTable {
    /// What is wrong with values that a unique index has refused: another row has the identifier, or the
    /// value of a unique field; nil if that is gone.
    func conflict(
        of identifier: Identifier,
        isNew: Bool,
        _ values: [FieldKey: AttributeValue],
        _ connection: SQLiteConnection
    ) throws -> StoreError? {
        if isNew, try contains(identifier, connection) {
            return .alreadyExists(type: schema.name, identifier: identifier)
        }
        for column in columns where column.entry.isUnique && column !== identifierColumn {
            guard let value = values[column.key] else { continue }
            let query = RecordQuery(filter: .compare(column.key, .equal, value), limit: 2)
            let holder = try SQLiteQuery(query, of: self, connection).records(connection)
                .first { $0.identifier != identifier }
            if let holder {
                return .alreadyExists(
                    type: schema.name,
                    identifier: holder.identifier,
                    field: column.key
                )
            }
        }
        return nil
    }
}
