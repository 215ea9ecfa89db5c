import ModelKitModels
import ModelKitStores

extension SQLiteOldColumn {
    /// The elements of the column of an owner, as a table of JSON values.
    private func elements() throws -> String {
        let value = "owner.\(try quoted(identifier: column.name))"
        // One identifier stands there as such.
        if column.type.isEmpty {
            return
                "json_each(CASE WHEN typeof(\(value)) IN ('integer', 'text') THEN json_array(\(value)) END)"
        }
        return """
            json_each(CASE WHEN json_valid(\(value)) THEN CASE json_type(\(value)) \
            WHEN 'object' THEN '[' || \(value) || ']' ELSE \(value) END END)
            """
    }

    /// The identifier of an element.
    private func identifier(of element: String) throws -> String {
        let names = try relation.partner.identity().key.names
        // A path cannot say it; then the element is taken for one without.
        let hasQuotes = names.contains { $0.contains("\"") }
        // As `StoredJSON` has it.
        let isWrapped = relation.partner.fields.contains { $0.key.names[0].hasPrefix("$") }
        let path = ((isWrapped ? ["$dictionary"] : []) + names).map { ".\"\($0)\"" }.joined()
        let literal = "'$\(path.replacing("'", with: "''"))'"
        let ofModel = hasQuotes ? "NULL" : "json_extract(\(element).value, \(literal))"
        return """
            CASE \(element).type WHEN 'object' THEN \(ofModel) \
            WHEN 'integer' THEN \(element).value WHEN 'text' THEN \(element).value END
            """
    }

    /// The elements that are here alone: `owner`, `identifier` and `child`.
    func lost() throws -> String {
        """
        SELECT owner."_order" AS "owner", \(try identifier(of: "e")) AS "identifier", \
        CASE e.type WHEN 'object' THEN e.value END AS "child" \
        FROM \(try quoted(identifier: owner.name)) AS owner, \(try elements()) AS e \
        WHERE CASE e.type WHEN 'object' THEN NOT \(try hasRow(identifier(of: "e"))) \
        WHEN 'integer' THEN \(try lacksKey("e.value")) WHEN 'text' THEN \(try lacksKey("e.value")) \
        ELSE 0 END
        """
    }

    /// The identifiers that an owner's column names itself; `?1` is the owner's `_order`.
    func named() throws -> String {
        let identifier = try identifier(of: "e")
        return """
            SELECT \(identifier) FROM \(try quoted(identifier: owner.name)) AS owner, \
            \(try elements()) AS e WHERE owner."_order" = ?1 AND \(identifier) IS NOT NULL
            """
    }

    func hasRow(_ identifier: String) throws -> String {
        try rows(identifier) { _ in "1" }
    }

    func lacksKey(_ identifier: String) throws -> String {
        let name = relation.key.key.columnName
        return try rows(identifier) { columns in
            columns.contains { $0.isNamed(name) }
                ? relation.lacksOwner(in: "row.\(try quoted(identifier: name))") : "1"
        }
    }

    /// Whether there is a row of an identifier that meets a condition.
    private func rows(
        _ identifier: String,
        _ condition: ([SQLiteTableColumn]) throws -> String
    ) throws -> String {
        let tests = try relation.partners.compactMap { schema -> String? in
            let columns = try connection.columns(ofTable: schema.name)
            let identity = try schema.identity().key.columnName
            guard columns.contains(where: { $0.isNamed(identity) }) else { return nil }
            return """
                EXISTS (SELECT 1 FROM \(try quoted(identifier: schema.name)) AS row \
                WHERE row.\(try quoted(identifier: identity)) = \(identifier) \
                AND \(try condition(columns)))
                """
        }
        return tests.isEmpty ? "0" : "(\(tests.joined(separator: " OR ")))"
    }
}

extension DerivedRelation {
    /// Whether a key has no owner; one of several is an empty array where the field is newer than the row.
    func lacksOwner(in key: String) -> String {
        hasSeveralOwners ? "(\(key) IS NULL OR \(key) = '[]')" : "\(key) IS NULL"
    }
}
