import ModelKitModels

/// The table in which the rows of a type stand by the elements of one of their columns: an array of keys whose
/// other side is derived.
///
/// Triggers keep it, so that it is right whoever writes the rows. What is no JSON array, as another program may
/// have written, has no elements in it.
struct SQLiteLink: Sendable {
    static let prefix = "_modelkit_links:"

    let name: String
    /// The name as it is written in SQL.
    let quotedName: String
    let column: SQLiteColumn
    /// What it is made of, in the order in which it is made.
    let parts: [Part]
    /// Fills it with the elements of the rows that are there.
    let fill: String

    /// The table, its index or a trigger, and what makes it, as SQLite keeps it.
    struct Part: Sendable {
        let name: String
        let sql: String
    }

    /// The end of the name of a trigger, and when it runs.
    private enum Trigger: String, CaseIterable {
        case insert, update, delete

        func event(_ column: SQLiteColumn) -> String {
            switch self {
            case .insert: "AFTER INSERT"
            // By each name that a statement may give the order.
            case .update: "AFTER UPDATE OF _order, rowid, _rowid_, oid, \(column.quotedName)"
            case .delete: "AFTER DELETE"
            }
        }

        func condition(_ column: SQLiteColumn) -> String {
            if self != .update { return "" }
            let name = column.quotedName
            return "WHEN old.\(name) IS NOT new.\(name) OR old._order <> new._order "
        }

        /// Which rows of the table it takes away.
        var owners: String {
            switch self {
            case .insert: "\"owner\" = new._order"
            case .update: "\"owner\" IN (old._order, new._order)"
            case .delete: "\"owner\" = old._order"
            }
        }
    }

    init(_ column: SQLiteColumn, of schema: ModelSchema, _ table: String) throws {
        let name = "\(Self.prefix)\(schema.name).\(column.name)"
        let quotedName = try quoted(identifier: name)
        // A type may have any other name.
        let each = "_modelkit_each"
        func insertion(_ owner: String, _ array: String, from source: String) -> String {
            """
            INSERT INTO \(quotedName) ("key", "owner", "place") \
            SELECT \(each).value, \(owner), \(each).key FROM \(source)json_each(CASE \
            WHEN typeof(\(array)) = 'text' AND json_valid(\(array)) \
            THEN CASE WHEN json_type(\(array)) = 'array' THEN \(array) END END) AS \(each) \
            WHERE \(each).type IN ('text', 'integer', 'real')
            """
        }
        func part(_ kind: String, _ name: String, _ rest: String) throws -> Part {
            Part(name: name, sql: "CREATE \(kind) \(try quoted(identifier: name)) \(rest)")
        }
        var parts = [
            // Without a type, by which a number would be its text.
            try part(
                "TABLE",
                name,
                """
                ("key" NOT NULL, "owner" INTEGER NOT NULL, "place" INTEGER NOT NULL, \
                PRIMARY KEY ("key", "owner", "place")) WITHOUT ROWID
                """
            ),
            try part("INDEX", "\(name):owner", "ON \(quotedName) (\"owner\", \"place\")"),
        ]
        for trigger in Trigger.allCases {
            // A row that takes the place of another one runs no trigger for that, but may have its order.
            var steps = ["DELETE FROM \(quotedName) WHERE \(trigger.owners)"]
            if trigger != .delete {
                steps.append(insertion("new._order", "new.\(column.quotedName)", from: ""))
            }
            let rest = """
                \(trigger.event(column)) ON \(table) \(trigger.condition(column))\
                BEGIN \(steps.joined(separator: "; ")); END
                """
            parts.append(try part("TRIGGER", "\(name):\(trigger)", rest))
        }
        self.name = name
        self.quotedName = quotedName
        self.column = column
        self.parts = parts
        fill = insertion("\(table)._order", column.sql, from: "\(table), ")
    }

    /// The name of the table that a trigger keeps.
    static func name(ofTrigger trigger: String) -> String {
        trigger.lastIndex(of: ":").map { String(trigger[..<$0]) } ?? trigger
    }

    /// Makes it anew, with the elements of the rows that are there.
    func make(_ connection: SQLiteConnection) throws {
        // The table of a type that had the name may have its triggers still.
        for trigger in Trigger.allCases {
            let trigger = try quoted(identifier: "\(name):\(trigger)")
            try connection.execute("DROP TRIGGER IF EXISTS \(trigger)")
        }
        try connection.execute("DROP TABLE IF EXISTS \(quotedName)")
        for part in parts { try connection.execute(part.sql) }
        try connection.execute(fill)
    }
}
