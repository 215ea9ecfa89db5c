import ModelKitModels
import ModelKitSQL
public import ModelKitStores

extension PostgreSQLMigration.Context {
    /// Changes the records of a type one by one, in the order in which they were created; false if there is no table.
    ///
    /// The values of a row come by the names of its columns, as in `rows`. What was changed is written, in a column whose
    /// type is that of a field. A changed record has a new revision, so that an edit of the old one by another process is
    /// a conflict. Nobody else writes to a row that was gone through until the migration ends.
    ///
    /// ```swift
    /// try migration.transform("Person") { row in
    ///     guard case .string(let name) = row["name"] else { return }
    ///     row["initial"] = .string(String(name.prefix(1)))
    /// }
    /// ```
    @discardableResult
    public func transform(
        _ type: String,
        _ body: (inout [String: AttributeValue]) throws -> Void
    ) throws -> Bool {
        let columns = try tableColumns(of: type)
        if columns.isEmpty { return false }
        for own in ["_order", "_revision"] where !columns.contains(where: { $0.name == own }) {
            throw StoreError.isForeign(table: type)
        }
        let all = try allRows(of: type, "*", lock: " FOR UPDATE")
        try all.forEachPart(run) { part in
            let changes = try part.compactMap { order, row in
                let changes = try all.changes(
                    of: row,
                    by: body,
                    isOfStore: PostgreSQLTableColumn.isOfStore
                )
                return changes.isEmpty ? nil : (order, changes)
            }
            // Those with the same columns by one statement.
            for (names, changes) in Dictionary(grouping: changes, by: { Set($0.1.keys) }) {
                try update(type, columns.filter { names.contains($0.name) }, changes)
            }
        }
        changed.names.insert(type)
        return true
    }

    private func update(
        _ type: String,
        _ columns: [PostgreSQLTableColumn],
        _ changes: [(order: Int64, row: SQLMigrationRows.Row)]
    ) throws {
        var parameters = PostgreSQLParameters()
        parameters.append(changes.map(\.order))
        for column in columns {
            let field = "\(type).\(column.name)"
            guard let kind = column.kind else {
                throw StoreError.unsupported(
                    "\(field) has the type \(column.type), which no field has: change it by SQL"
                )
            }
            let values = changes.map { $0.row[column.name] ?? .null }
            for value in values where !value.isOfKind(kind) && !kind.isJSON(value) {
                throw StoreError.schema(
                    "the column \(field) has the type \(column.type), but a value is \(value.kind)"
                )
            }
            if let reason = values.lazy.compactMap({ $0.obstacle() }).first {
                throw StoreError.unsupported("\(field) \(reason), which cannot be stored")
            }
            try parameters.append(values, of: kind, field)
        }
        let sets = try columns.enumerated().map { ", \(try $1.name.checkedName()) = given.v\($0)" }
        let arrays = columns.indices.map { ", $\($0 + 2)" }.joined()
        let aliases = columns.indices.map { ", v\($0)" }.joined()
        let revisions = try name(of: PostgreSQLTable.ownNames(of: type).sequences[0]).literal
        try send(
            """
            UPDATE \(try name(of: type)) AS t SET "_revision" = nextval(\(revisions))\(sets.joined()) \
            FROM unnest($1\(arrays)) AS given (o\(aliases)) WHERE t."_order" = given.o
            """,
            parameters
        )
    }

    /// All rows of a type, with some of their columns.
    func allRows(
        of type: String,
        _ columns: String,
        lock: String = ""
    ) throws -> SQLMigrationRows {
        let table = try name(of: type)
        return SQLMigrationRows(of: type) {
            try send("SELECT count(*) FROM \(table)").number(0, 0)
        } part: { first, count in
            try rows(
                """
                SELECT \(columns) FROM \(table) WHERE "_order" >= $1 \
                ORDER BY "_order" LIMIT $2\(lock)
                """,
                [.int(first), .int(Int64(count))]
            )
        }
    }
}
