import ModelKitStores

/// Which migrations have run in a database, in which order.
package struct SQLMigrationLedger: Equatable {
    /// The table has their names, positions, how many there were, and when.
    package static let table = "_modelkit_migrations"

    package let names: [String]
    /// Whether the program that ran the last one had more to run.
    package let isUnfinished: Bool

    package init(_ rows: [(name: String, isUnfinished: Bool)]) {
        names = rows.map(\.name)
        isUnfinished = rows.last?.isUnfinished ?? false
    }

    /// What asks for the rows of a table by that name.
    package static func selection(_ table: String) -> String {
        "SELECT \"name\", \"position\" < \"of\" FROM \(table) ORDER BY \"position\""
    }

    /// Throws if what has run is not the beginning of a list.
    ///
    /// - Parameters:
    ///   - migrations: The names of the list.
    ///   - place: What the database is called.
    /// - Throws: `.schema`.
    func check(isStartOf migrations: [String], _ place: String) throws(StoreError) {
        for (index, name) in names.enumerated() {
            if index < migrations.count, migrations[index] == name { continue }
            guard migrations.contains(name) else {
                throw .schema(
                    "\(place) was written by a later version of the program, or by another one: the "
                        + "migration \"\(name)\" has run, which this one does not know"
                )
            }
            throw .schema(
                "\(place) was written by another program: the migration \"\(name)\" has run as number "
                    + "\(index + 1), where this one has \"\(migrations[index])\""
            )
        }
    }
}
