import ModelKitFields
import ModelKitModels
import ModelKitStores

extension SQLiteTable {
    /// What is wrong with values that a unique index has refused: another row has the identifier, or the
    /// value of a unique field; nil if that is gone.
    func conflict(
        of identifier: Identifier,
        isNew: Bool,
        _ connection: SQLiteConnection,
        _ value: (Int) -> AttributeValue?
    ) throws -> StoreError? {
        if isNew, try contains(identifier, connection) {
            return .alreadyExists(type: schema.name, identifier: identifier)
        }
        for (index, column) in columns.enumerated() where column.entry.isUnique && index != identity
        {
            guard let value = value(index) else { continue }
            let query = RecordQuery(filter: .compare(column.key, .equal, value), limit: 2)
            let holder = try SQLiteQuery(query, of: schema, connection) { _ in self }
                .records(connection).first { $0.identifier != identifier }
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
