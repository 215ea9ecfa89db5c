import ModelKitModels
package import ModelKitStores

// What a migration of any database is refused.

extension StoreError {
    package static func isTaken(_ newName: String, for type: String) -> StoreError {
        .schema("\(type) cannot be renamed: there is a \(newName) already")
    }

    package static func isTaken(
        column newName: String,
        for field: FieldKey,
        of type: String
    ) -> StoreError {
        .schema("\(type).\(field) cannot be renamed: there is a column \(newName) already")
    }

    package static func isNoField(_ field: FieldKey, of type: String) -> StoreError {
        .unsupported("\(type).\(field) is no field of a table that this store made")
    }

    package static func isForeign(table type: String) -> StoreError {
        .unsupported("the table \(type) was not made by this store")
    }

    package static func isNamedTwice(_ column: String, in sql: String) -> StoreError {
        .unsupported("two columns are called \(column): \(sql)")
    }
}
