import Libpq

/// Contacts by libpq, in a table with nothing but their columns, or in the store's.
struct RawContacts: Sendable {
    let connection = Libpq()
    private static let part = 1_000

    init(_ table: String = "contact") {
        connection.execute(
            """
            CREATE TABLE IF NOT EXISTS contact (id bigint PRIMARY KEY, "firstName" text COLLATE "C", \
            "lastName" text COLLATE "C", email text COLLATE "C", city text COLLATE "C", \
            notes text COLLATE "C", age bigint, visits bigint, weight float8, "isActive" boolean)
            """
        )
        let columns = """
            id, "firstName", "lastName", email, city, notes, age, visits, weight, "isActive"
            """
        let types: [UInt32] = [20, 25, 25, 25, 25, 25, 20, 20, 701, 16]
        let isOfStore = table != "contact"
        for (name, count) in [("one", 1), ("insert", Self.part)] {
            let rows = (0..<count).map { row in
                let values = (1...10).map { "$\(row * 10 + $0)" }.joined(separator: ",")
                return isOfStore ? "(\(values),1)" : "(\(values))"
            }
            connection.prepare(
                name,
                """
                INSERT INTO \(table) (\(columns)\(isOfStore ? ", \"_revision\"" : "")) \
                VALUES \(rows.joined(separator: ","))
                """,
                (0..<count).flatMap { _ in types }
            )
        }
        let select = "SELECT \(columns) FROM \(table)"
        connection.prepare("list", select, [])
        connection.prepare("find", "\(select) WHERE id = ANY($1)", [1016])
    }

    /// In one transaction, by statements of 1000 rows.
    func insert(_ contacts: [PlainContact]) {
        precondition(contacts.count % Self.part == 0)
        connection.execute("BEGIN")
        for start in stride(from: 0, to: contacts.count, by: Self.part) {
            var values = LibpqValues()
            for contact in contacts[start..<start + Self.part] { values.append(contact) }
            connection.run("insert", values)
        }
        connection.execute("COMMIT")
    }

    func insertOne(_ contact: PlainContact) {
        var values = LibpqValues()
        values.append(contact)
        connection.run("one", values)
    }

    /// By COPY.
    func copy(_ contacts: [PlainContact]) {
        var next = 0
        connection.copy("COPY contact FROM STDIN (FORMAT binary)") { bytes in
            if next == contacts.count { return false }
            bytes.append(contacts[next])
            next += 1
            return true
        }
    }

    func find(_ keys: [Int64]) -> [PlainContact] {
        var values = LibpqValues()
        values.append(keys)
        return contacts("find", values)
    }

    func list() -> [PlainContact] { contacts("list", LibpqValues()) }

    private func contacts(_ name: String, _ values: LibpqValues) -> [PlainContact] {
        var contacts: [PlainContact] = []
        connection.run(name, values) { rows in
            contacts = (0..<rows.count).map { row in
                PlainContact(
                    id: rows.int(row, 0),
                    firstName: rows.text(row, 1),
                    lastName: rows.text(row, 2),
                    email: rows.text(row, 3),
                    city: rows.text(row, 4),
                    notes: rows.text(row, 5),
                    age: rows.int(row, 6),
                    visits: rows.int(row, 7),
                    weight: rows.double(row, 8),
                    isActive: rows.bool(row, 9)
                )
            }
        }
        return contacts
    }
}

extension LibpqValues {
    fileprivate mutating func append(_ contact: PlainContact) {
        append(contact.id)
        for text in [
            contact.firstName, contact.lastName, contact.email, contact.city, contact.notes,
        ] {
            append(text)
        }
        append(contact.age)
        append(contact.visits)
        append(contact.weight)
        append(contact.isActive)
    }
}

extension [UInt8] {
    /// A row of a COPY.
    fileprivate mutating func append(_ contact: PlainContact) {
        func append(_ number: some FixedWidthInteger) {
            self.append(bigEndian: Int32(number.bitWidth / 8))
            self.append(bigEndian: number)
        }
        self.append(bigEndian: Int16(10))
        append(contact.id)
        for text in [
            contact.firstName, contact.lastName, contact.email, contact.city, contact.notes,
        ] {
            self.append(bigEndian: Int32(text.utf8.count))
            self.append(contentsOf: text.utf8)
        }
        append(contact.age)
        append(contact.visits)
        append(contact.weight.bitPattern)
        append(UInt8(contact.isActive ? 1 : 0))
    }
}
