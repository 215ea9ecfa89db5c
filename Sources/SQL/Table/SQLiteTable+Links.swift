import ModelKitModels

extension SQLiteTable {
    /// Whether those that there have to be are there as they have to be, and no others of the table.
    func areLinksThere(_ connection: SQLiteConnection) throws -> Bool {
        let names = links.map(\.name)
        return try usableLinks(connection).count == links.count
            && connection.linkTriggers(ofTable: schema.name).allSatisfy { names.contains($0.link) }
    }

    /// Those that can be used.
    ///
    /// A file that is only read may lack them, and another program may have taken them away.
    func usableLinks(_ connection: SQLiteConnection) throws -> [SQLiteLink] {
        if links.isEmpty { return [] }
        let known = try connection.parts(withPrefix: SQLiteLink.prefix)
        return links.filter { link in
            link.parts.allSatisfy { part in
                known.contains { $0.name == part.name && $0.sql == part.sql }
            }
        }
    }

    /// Makes those that are missing, and removes those that no field asks for any more.
    func makeLinks(_ connection: SQLiteConnection) throws {
        try connection.dropLinks(ofTable: schema.name, but: links.map(\.name))
        let usable = try usableLinks(connection).map(\.name)
        for link in links where !usable.contains(link.name) { try link.make(connection) }
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

extension SQLiteConnection {
    /// Removes the link tables of a table, or of all, with the triggers that keep them.
    func dropLinks(ofTable table: String? = nil, but kept: [String] = []) throws {
        for (trigger, link) in try linkTriggers(ofTable: table) where !kept.contains(link) {
            try execute("DROP TRIGGER \(quoted(identifier: trigger))")
            try execute("DROP TABLE IF EXISTS \(quoted(identifier: link))")
        }
    }

    /// The triggers of a table, or of all, with the link tables that they keep.
    fileprivate func linkTriggers(
        ofTable table: String?
    ) throws -> [(trigger: String, link: String)] {
        try parts(withPrefix: SQLiteLink.prefix, ofTable: table).filter { $0.kind == "trigger" }
            .map { ($0.name, SQLiteLink.name(ofTrigger: $0.name)) }
    }
}
