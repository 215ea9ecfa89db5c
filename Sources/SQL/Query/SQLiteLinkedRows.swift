import ModelKitModels
import ModelKitStores

/// The rows of a table that have one of some elements, by a link table.
struct SQLiteLinkedRows {
    /// Their orders, one for each element that they have.
    let owners: String
    /// The table with a source of rows in front that finds them in the same order, and each once.
    ///
    /// It is quicker than the search, for which all are put together before the first one. SQLite promises no
    /// order of it.
    let source: String
    private let order: String
    /// How many parameters there are with those of the elements.
    let parameters: Int

    init(_ link: SQLiteLink, _ elements: String, of table: SQLiteTable, parameters: Int) {
        let rows = "FROM \(link.quotedName) WHERE \"key\" IN (\(elements))"
        owners = "SELECT \"owner\" \(rows)"
        order = "\(table.name).\"_order\""
        source = """
            (SELECT DISTINCT "owner" AS "_modelkit_owner" \(rows) ORDER BY "owner") \
            CROSS JOIN \(table.name)
            """
        self.parameters = parameters
    }

    /// A condition by which they are found, in the order of creation: all of them first.
    var search: String { "\(order) IN (\(owners))" }

    /// The condition of the source.
    var match: String { "\(order) = \"_modelkit_owner\"" }

    /// The same as a test of a row that is found otherwise.
    var test: String { "EXISTS (\(owners) AND \"owner\" = \(order))" }
}

extension SQLiteTable {
    /// The link tables that a filter may use, of the table and those that foreign keys lead to.
    func links(
        for filter: RecordFilter?,
        _ partners: [ModelSchema: SQLiteTable],
        _ connection: SQLiteConnection
    ) throws -> [ObjectIdentifier: SQLiteLink] {
        guard let filter, filter.asksForElements else { return [:] }
        var found: [ObjectIdentifier: SQLiteLink] = [:]
        for table in [self] + partners.values {
            for link in try table.usableLinks(connection) {
                found[ObjectIdentifier(link.column)] = link
            }
        }
        return found
    }
}

extension RecordFilter {
    /// Whether a part of it asks what is in an array.
    fileprivate var asksForElements: Bool {
        if case .contains = self { return true }
        return parts.contains(where: \.asksForElements)
            || relation?.filter.asksForElements ?? false
    }
}
