import ModelKitModels

extension SQLiteTable {
    /// Whether those that there have to be are there as they have to be, and no others of the table.
    func areLinksThere(_ connection: SQLiteConnection) throws -> Bool {
        let known = try connection.knownLinkParts()
        return links.allSatisfy { known.has($0) }
            && known.triggers(ofTable: schema.name).allSatisfy { trigger in
                links.contains { $0.name == SQLiteLink.name(ofTrigger: trigger) }
            }
    }

    /// Those that can be used.
    ///
    /// A file that is only read may lack them, and another program may have taken them away.
    func usableLinks(_ connection: SQLiteConnection) throws -> [SQLiteLink] {
        if links.isEmpty { return [] }
        let known = try connection.knownLinkParts()
        return links.filter(known.has)
    }

    /// Makes those that are missing, and removes those that no field asks for any more.
    func makeLinks(_ connection: SQLiteConnection) throws {
        try connection.dropLinks(ofTable: schema.name, but: links.map(\.name))
        let known = try connection.knownLinkParts()
        for link in links where !known.has(link) { try link.make(connection) }
    }

    /// Removes what rows have left that another program has replaced: SQLite runs no trigger for these by
    /// default, and does not use their orders again, so that nothing is found by what they have left.
    func sweepLinks(_ connection: SQLiteConnection) throws {
        for link in try usableLinks(connection) {
            let ofNone = """
                \(link.quotedName) WHERE "owner" NOT IN (SELECT "_order" FROM \(name))
                """
            // Looked for first, as already a deletion of nothing waits for others who write.
            if try connection.texts("SELECT \"owner\" FROM \(ofNone) LIMIT 1").isEmpty { continue }
            do {
                try connection.atomically { try connection.execute("DELETE FROM \(ofNone)") }
            } catch let error as SQLiteError where error.leavesWorkForLater {
                return
            }
        }
    }
}

/// What there is of link tables in a database.
private struct KnownLinkParts {
    let parts: [SQLiteConnection.Part]

    func has(_ link: SQLiteLink) -> Bool {
        link.parts.allSatisfy { part in
            parts.contains { $0.name == part.name && $0.sql == part.sql }
        }
    }

    /// The names of a table's triggers, or of all.
    func triggers(ofTable table: String?) -> [String] {
        parts.filter { part in
            part.kind == "trigger"
                && table.map { SQLiteName($0) == SQLiteName(part.table) } ?? true
        }
        .map(\.name)
    }
}

extension SQLiteConnection {
    /// Removes the link tables of a table, or of all, with the triggers that keep them.
    func dropLinks(ofTable table: String? = nil, but kept: [String] = []) throws {
        for trigger in try knownLinkParts().triggers(ofTable: table) {
            let link = SQLiteLink.name(ofTrigger: trigger)
            if kept.contains(link) { continue }
            try execute("DROP TRIGGER \(quoted(identifier: trigger))")
            try execute("DROP TABLE IF EXISTS \(quoted(identifier: link))")
        }
    }

    fileprivate func knownLinkParts() throws -> KnownLinkParts {
        KnownLinkParts(parts: try parts(withPrefix: SQLiteLink.prefix))
    }
}
