import ModelKitModels
import ModelKitStores

/// The column of a relation that was kept in the owner's record, before it was derived from a key.
///
/// What is in it alone is noted once in the life of a file, when the owner's table is first opened: so neither
/// a large table is looked through at each opening, nor is what is deleted later taken for lost.
struct SQLiteOldColumn {
    let relation: DerivedRelation
    let owner: ModelSchema
    let column: SQLiteTableColumn
    let connection: SQLiteConnection

    /// Nil where the table has no such column.
    init?(
        _ relation: DerivedRelation,
        of owner: ModelSchema,
        _ connection: SQLiteConnection
    ) throws {
        let name = relation.entry.key.columnName
        let column = try connection.columns(ofTable: owner.name).first { $0.isNamed(name) }
        guard let column, ["", "TEXT"].contains(column.type.uppercased()) else { return nil }
        (self.relation, self.owner, self.column) = (relation, owner, column)
        self.connection = connection
    }

    /// What people call it.
    var label: String { "\(owner.name).\(relation.entry.name)" }

    /// Its type and its name, as the notes have them.
    private var key: [AttributeValue] { [.string(owner.name), .string(column.name)] }

    private static let ofColumn =
        "\(SQLiteOldNotes.table) WHERE \"type\" = ?1 COLLATE NOCASE AND \"field\" = ?2 COLLATE NOCASE"

    /// Notes what it alone has, unless that was done.
    func note() throws {
        if try isNoted() { return }
        try connection.atomically {
            try connection.execute(
                """
                CREATE TABLE IF NOT EXISTS \(SQLiteOldNotes.table) ("type" TEXT NOT NULL, \
                "field" TEXT NOT NULL, "owner" INTEGER, "identifier", "child" TEXT)
                """
            )
            // Another process may have done it meanwhile.
            if try isNoted() { return }
            try connection.run(
                """
                INSERT INTO \(SQLiteOldNotes.table) ("type", "field", "owner", "identifier", "child") \
                SELECT ?1, ?2, "owner", "identifier", "child" FROM (\(try lost()))
                """,
                key
            )
            try SQLiteChildren(connection).forgetKnown(self)
            try connection.run(
                "INSERT INTO \(SQLiteOldNotes.table) (\"type\", \"field\") VALUES (?1, ?2)",
                key
            )
        }
    }

    private func isNoted() throws -> Bool {
        try !connection.columns(ofTable: SQLiteOldNotes.table).isEmpty
            && connection.number(
                "SELECT count(*) FROM \(Self.ofColumn) AND \"owner\" IS NULL",
                key[...]
            )
                > 0
    }

    func noteCount() throws -> Int64 {
        try connection.number(
            "SELECT count(*) FROM \(Self.ofColumn) AND \"owner\" IS NOT NULL",
            key[...]
        )
    }

    /// Forgets what was noted; that it was stays.
    func forgetNotes() throws {
        try connection.run("DELETE FROM \(Self.ofColumn) AND \"owner\" IS NOT NULL", key)
    }

    func forget(note: Int64) throws {
        try connection.run("DELETE FROM \(SQLiteOldNotes.table) WHERE rowid = ?1", [.int(note)])
    }

    /// Calls a closure with each note whose owner is there.
    func forEachNote(_ body: (Note) throws -> Void) throws {
        let identity = try quoted(identifier: try owner.identity().key.columnName)
        // Read apart, as the owner may have fields of the same names.
        try connection.withStatement(
            """
            SELECT note."number", note."owner", owner.\(identity), note."identifier", note."child" \
            FROM (SELECT rowid AS "number", * FROM \(Self.ofColumn)) AS note \
            JOIN \(quoted(identifier: owner.name)) AS owner ON owner."_order" = note."owner" ORDER BY 1
            """
        ) { notes in
            try notes.bind(key)
            while try notes.step() { try body(Note(notes)) }
        }
    }

    /// One of what a column has, as it was noted.
    struct Note {
        let number: Int64
        /// The owner's `_order` and identifier.
        let owner: (order: Int64, identifier: AttributeValue)
        /// The child's identifier, or null.
        let identifier: AttributeValue
        /// Its JSON, if an identifier is not all there is; nil for what cannot be read.
        private let json: AttributeValue?

        fileprivate init(_ row: SQLiteStatement) throws {
            number = row.int64(at: 0)
            owner = (row.int64(at: 1), try row.value(at: 2))
            identifier = try row.value(at: 3)
            json = try row.readableValue(at: 4)
        }

        /// The child, or its identifier; throws for one that cannot be read.
        func element() throws(StoreError) -> AttributeValue {
            if json == .null { return identifier }
            guard case .string(let text)? = json else {
                throw .schema("it is no text that can be read")
            }
            do throws(ImportError) {
                let child = try StoredJSON.value(of: text)
                if case .dictionary = child { return child }
            } catch {
                throw .schema(error.description)
            }
            throw .schema("it is no object")
        }
    }

    /// What to throw for a note that cannot be stored; what has other causes stays as it is.
    func failure(_ error: any Error, of note: Note) -> any Error {
        let failure = StoreError(error)
        switch failure {
        case .unavailable, .cancelled, .corrupt: return error
        default: break
        }
        func named(_ identifier: AttributeValue) -> String {
            (try? Identifier(attributeValue: identifier)).map { " \($0)" }
                ?? " without an identifier"
        }
        var identifier = note.identifier
        if case .dictionary(let child)? = try? note.element() {
            identifier = child.identifier(relation.partner)
        }
        return StoreError.schema(
            "\(relation.partner.name)\(named(identifier)) in the column \(column.name) of "
                + "\(owner.name)\(named(note.owner.identifier)) cannot be stored: \(failure)"
        )
    }

    /// How many models are in it alone, and how many rows lack the key that it has for them.
    func counts(noted: Bool) throws -> (models: Int, keys: Int) {
        let source =
            noted
            // Some may have got a row since, or lost their owner.
            ? """
            SELECT "identifier", "child" FROM (SELECT * FROM \(Self.ofColumn)) AS note \
            WHERE EXISTS (SELECT 1 FROM \(try quoted(identifier: owner.name)) AS owner \
            WHERE owner."_order" = note."owner") \
            AND CASE WHEN "child" IS NULL THEN \(try lacksKey("note.\"identifier\"")) \
            ELSE NOT \(try hasRow("note.\"identifier\"")) END
            """ : try lost()
        let counts = try connection.rows(
            """
            SELECT count(DISTINCT CASE WHEN "child" IS NOT NULL THEN "identifier" END) \
            + coalesce(sum("child" IS NOT NULL AND "identifier" IS NULL), 0), \
            count(DISTINCT CASE WHEN "child" IS NULL THEN "identifier" END) FROM (\(source))
            """,
            noted ? key : []
        ) { (Int($0.int64(at: 0)), Int($0.int64(at: 1))) }
        return counts.first ?? (0, 0)
    }
}
