import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import ScriptSupport

@testable import ModelKitPostgreSQL

/// Tables in a database whose order of texts is not that of bytes, and whose time is not UTC.
final class QueryDatabase {
    let connection: PostgreSQLConnection
    let space: String
    private var tables: [ModelSchema: PostgreSQLTable] = [:]

    /// - Parameter space: The name of the schema, which is given to be quoted.
    /// - Throws: What the server refuses.
    init(_ space: String = "it's a \"schema\"") throws {
        let server = try PostgreSQLServer.shared
        let maker = try server.connect()
        defer { maker.close() }
        let name = "query_\(UUID().uuidString.prefix(8))"
        // PostgreSQL 14 knows the orders of the system alone.
        let order = maker.serverVersion < 150_000 ? "" : "LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"
        try maker.execute(
            "CREATE DATABASE \"\(name)\" TEMPLATE template0 LOCALE 'C.UTF-8' \(order)"
        )
        try maker.execute("ALTER DATABASE \"\(name)\" SET TimeZone = 'Asia/Kathmandu'")
        connection = try server.connect(server.connection(name))
        self.space = space
        try connection.execute("CREATE SCHEMA \(space.checkedName())")
    }

    deinit { connection.close() }

    /// The table of a type, with its indexes; made where there is none.
    func table(_ schema: ModelSchema) throws -> PostgreSQLTable {
        if let table = tables[schema] { return table }
        let table = try PostgreSQLTable(of: schema, in: space)
        for sql in table.definitions + table.indexes.map({ $0.definition() }) {
            try connection.execute(sql)
        }
        tables[schema] = table
        return table
    }

    /// Adds records, with their places and revisions, by one statement.
    func insert(_ records: [Record], of schema: ModelSchema) throws {
        let table = try table(schema)
        var parameters = PostgreSQLParameters()
        for number in [\Record.place, \Record.revision] {
            parameters.append(.int8Array) { bytes in
                bytes.append(arrayOf: .int8, count: records.count) { index, bytes in
                    bytes.append(bigEndian: records[index][keyPath: number])
                    return true
                }
            }
        }
        for column in table.columns {
            try column.appendArray(to: &parameters, count: records.count) { index in
                records[index][column.key] ?? .null
            }
        }
        let names = table.columns.map { ", \($0.quotedName)" }.joined()
        let arrays = table.columns.enumerated().map { ", $\($0 + 3)::\($1.typeName)[]" }.joined()
        let sql = """
            INSERT INTO \(table.name) ("_order", "_revision"\(names)) \
            SELECT * FROM unnest($1::bigint[], $2::bigint[]\(arrays))
            """
        _ = try connection.run(PostgreSQLStatement(sql, parameters))
    }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) throws -> [Record] {
        try query.check(of: schema)
        return try PostgreSQLQuery(query, of: schema, connection, table).records()
    }

    func totals(_ aggregate: RecordAggregate, of schema: ModelSchema) throws -> RecordTotals {
        let query = RecordQuery(filter: aggregate.filter)
        return try PostgreSQLQuery(query, of: schema, connection, table).totals(aggregate)
    }
}

extension [FieldKey: AttributeValue] {
    /// Those that PostgreSQL keeps: no text has U+0000, and a key is of the kind of its partner's identifiers.
    func keepable(of schema: ModelSchema) -> [FieldKey: AttributeValue] {
        filter { key, value in
            let entry = schema.fields.first { $0.key == key }
            guard let entry, entry.isForeignKey, entry.kind == .any else { return true }
            return value.isStorable(as: entry.partnerSchema?.identifier?.kind ?? .any)
        }
        .mapValues(\.withoutZeros)
    }
}

extension AttributeValue {
    fileprivate var withoutZeros: AttributeValue {
        switch self {
        case .string(let text): .string(text.withoutZeros)
        case .array(let values): .array(values.map(\.withoutZeros))
        case .dictionary(let values):
            .dictionary(
                AttributeDictionary(values.map { ($0.withoutZeros, $1.withoutZeros) }) { $1 }
            )
        default: self
        }
    }
}

extension String {
    var withoutZeros: String { replacing("\u{0}", with: "") }
}
