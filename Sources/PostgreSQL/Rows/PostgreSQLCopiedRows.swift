import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// Rows that are added by COPY, as the bytes of its binary format.
///
/// Those of a row lack what is known when it is sent: its revision, and an identifier that is made.
struct PostgreSQLCopiedRows {
    struct Row {
        /// That of the write among others.
        let place: Int
        let identifier: Identifier?
        fileprivate let bytes: Range<Int>
    }

    /// What a row is given.
    struct Made {
        let revision: Int64
        /// For a row without an identifier.
        var number: Int64?
    }

    private static let header =
        Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + Array(repeating: 0, count: 8)
    private static let sizeOfChunks = 1 << 16
    /// What the server takes no more of in a row, with room for what is added to it.
    private static let mostBytes = 1 << 30 - 1 << 16

    let table: PostgreSQLTable
    private(set) var rows: [Row] = []
    private var bytes: [UInt8] = []

    /// The places of the columns in the order in which they are copied: an identifier that is made comes at the end.
    private let order: [Int]

    init(of table: PostgreSQLTable) {
        self.table = table
        order = table.columns.indices.filter { $0 != table.identity } + [table.identity]
    }

    /// Adds what a creation makes.
    ///
    /// - Parameters:
    ///   - write: The creation.
    ///   - place: Its place among others.
    /// - Throws: Why it cannot be stored.
    mutating func append(_ write: RecordWrite, at place: Int) throws {
        let given = write.creation.map {
            PostgreSQLNewRow(identifier: $0.identifier, values: $0.row)
        }
        guard let row = try given ?? table.newRow(write) else { return }
        let start = bytes.count
        do {
            bytes.append(bigEndian: Int16(table.columns.count + 1))
            let identifier = row.identifier?.attributeValue ?? table.noIdentifier
            let given = identifier.isNull ? order.dropLast() : order[...]
            func value(_ index: Int) -> AttributeValue {
                index == table.identity ? identifier : row.values[index] ?? .null
            }
            let texts = write.texts
            let plain =
                texts.isEmpty
                ? AttributeKind.plainElements(given.count) { place in
                    (table.columns[given[place]].stored, value(given[place]))
                } : nil
            if let plain {
                bytes += plain.bytes
            } else {
                for index in given {
                    let column = table.columns[index]
                    if let text = texts[index] {
                        try column.appendCopied(json: text, to: &bytes)
                    } else {
                        try column.appendCopied(value(index), to: &bytes)
                    }
                }
            }
            if bytes.count - start > Self.mostBytes {
                throw StoreError.unsupported("a \(table.schema.name) takes 1 GB, and is too large")
            }
        } catch {
            bytes.removeSubrange(start...)
            throw error
        }
        rows.append(Row(place: place, identifier: row.identifier, bytes: start..<bytes.count))
    }

    /// Gives what is sent of some of the rows, chunk after chunk.
    func chunks(of rows: [Row], _ made: [Made]) -> () throws -> [UInt8]? {
        var next = 0
        return {
            if next > rows.count { return nil }
            var chunk = next == 0 ? Self.header : []
            while next < rows.count, chunk.count < Self.sizeOfChunks {
                let (row, made) = (rows[next], made[next])
                chunk += bytes[row.bytes]
                if let number = made.number {
                    try table.identifierColumn.appendCopied(.int(number), to: &chunk)
                }
                chunk.append(bigEndian: 8 as Int32)
                chunk.append(bigEndian: made.revision)
                next += 1
            }
            if next == rows.count {
                chunk.append(bigEndian: -1 as Int16)
                next += 1
            }
            return chunk
        }
    }
}

extension PostgreSQLTable {
    /// What takes the bytes of rows.
    var copy: String {
        let names = columns.indices.filter { $0 != identity }.map { columns[$0].quotedName }
        return """
            COPY \(name) (\((names + [identifierColumn.quotedName]).joined(separator: ", ")), "_revision") \
            FROM STDIN (FORMAT binary)
            """
    }

    /// What makes the revisions of some rows, and the numbers of some of them.
    func making(_ count: Int, numbers: Int) -> PostgreSQLStatement {
        var parameters = PostgreSQLParameters()
        parameters.append(Int64(count))
        var sql = "SELECT nextval(\(revisions))"
        if numbers > 0 {
            sql += ", CASE WHEN i <= $2 THEN nextval(\(self.numbers)) END"
            parameters.append(Int64(numbers))
        }
        return PostgreSQLStatement("\(sql) FROM generate_series(1, $1) AS i", parameters)
    }
}
