import GRDB

// The same contacts in GRDB, with the same durability: WAL, synchronous FULL.

/// Whose columns are written and read by Codable.
struct CodableContact: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "contact"

    var id: Int64
    var firstName: String
    var lastName: String
    var email: String
    var city: String
    var notes: String
    var age: Int64
    var visits: Int64
    var weight: Double
    var isActive: Bool
}

/// Whose columns are written and read by hand.
struct RowContact: FetchableRecord, PersistableRecord {
    static let databaseTableName = "contact"

    var plain: PlainContact

    init(plain: PlainContact) { self.plain = plain }

    init(row: Row) {
        plain = PlainContact(
            id: row[0],
            firstName: row[1],
            lastName: row[2],
            email: row[3],
            city: row[4],
            notes: row[5],
            age: row[6],
            visits: row[7],
            weight: row[8],
            isActive: row[9]
        )
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = plain.id
        container["firstName"] = plain.firstName
        container["lastName"] = plain.lastName
        container["email"] = plain.email
        container["city"] = plain.city
        container["notes"] = plain.notes
        container["age"] = plain.age
        container["visits"] = plain.visits
        container["weight"] = plain.weight
        container["isActive"] = plain.isActive
    }
}

struct PeerDatabase: Sendable {
    let pool: DatabasePool

    init(path: String) throws {
        pool = try DatabasePool(path: path)
        try pool.writeWithoutTransaction { database in
            // A pool has set NORMAL.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: RawDatabase.table)
        }
    }

    func insert(_ contacts: [PlainContact]) throws {
        let records = contacts.map(RowContact.init)
        try pool.write { database in for record in records { try record.insert(database) } }
    }

    func find(_ id: Int) throws -> RowContact? {
        try pool.read { try RowContact.fetchOne($0, key: id) }
    }

    func findAwaited(_ id: Int) async throws -> RowContact? {
        try await pool.read { try RowContact.fetchOne($0, key: id) }
    }

    func list() throws -> [RowContact] { try pool.read { try RowContact.fetchAll($0) } }

    func listByCodable() throws -> [CodableContact] {
        try pool.read { try CodableContact.fetchAll($0) }
    }
}
