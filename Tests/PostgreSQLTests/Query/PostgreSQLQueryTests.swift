import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLQueryTests {
    private let database: QueryDatabase
    private let schema = IndexedOffer.schema

    init() throws {
        database = try QueryDatabase()
        let accounts = ["P", "p"].map { id in
            Record(identifier: .string(id), revision: 1, values: ["id": .string(id)], place: 1)
        }
        _ = try database.table(Purse.schema)
        for (place, account) in accounts.enumerated() {
            var account = account
            account.place = Int64(place + 1)
            try database.insert([account], of: Purse.schema)
        }
        let offers = (1...300).map { index in
            let values: [FieldKey: AttributeValue] = [
                "id": .string("\(index)"), "text": .string("t\(index % 7)"),
                "price": index % 5 == 0 ? .null : .string("\(index % 30)"),
                "count": .int(Int64(index)), "account": .string(index % 2 == 0 ? "P" : "p"),
                "accounts": .array([.string(index % 50 == 0 ? "P" : "x")]),
                "prices": .array([.string("1"), .int(Int64(index % 3))]),
            ]
            return Record(
                identifier: .string("\(index)"),
                revision: 1,
                values: values,
                place: Int64(index)
            )
        }
        try database.insert(offers, of: schema)
    }

    private func query(_ query: RecordQuery) throws -> PostgreSQLQuery {
        try PostgreSQLQuery(query, of: schema, database.connection, database.table)
    }

    private func plan(_ query: RecordQuery) throws -> String {
        try self.query(query).explanation().joined(separator: "\n")
    }

    @Test func `queries are answered by the indexes of their fields`() throws {
        try database.connection.execute("ANALYZE; SET enable_seqscan = off")
        let cases: [(RecordQuery, field: String)] = [
            (RecordQuery(filter: .compare("price", .equal, 7.0)), "price"),
            (RecordQuery(filter: .compare("count", .less, 3.5)), "count"),
            (RecordQuery(filter: .isIn("count", [1, 2, 99])), "count"),
            (RecordQuery(filter: .isNull("price")), "price"),
            (RecordQuery(filter: .hasPrefix("text", "t1")), "text"),
            (RecordQuery(filter: .contains("accounts", "P")), "accounts"),
            (
                RecordQuery(filter: .or([.contains("accounts", "P"), .contains("accounts", "Q")])),
                "accounts"
            ),
            (RecordQuery(order: [.init("price")], limit: 5), "price"),
            (RecordQuery(order: [.init("price", isDescending: true)], limit: 5), "price"),
            (RecordQuery(order: [.init("count", isDescending: true)], limit: 5), "count"),
            (
                RecordQuery(
                    filter: .compare("flag", .notEqual, true),
                    order: [.init("text"), .init("count")],
                    limit: 5
                ), "text"
            ),
        ]
        for (query, field) in cases {
            let plan = try plan(query)
            expect(
                plan.contains("_\(schema.name)_\(field)_") && !plan.contains("Seq Scan"),
                "\(query): \(plan)"
            )
        }
        let query = RecordQuery(order: [.init("id", isDescending: true)], limit: 5)
        let plan = try plan(query)
        expect(plan.contains("Index Scan Backward") && !plan.contains("Sort"), plan)
    }

    @Test func `a page begins in the index where the one before has ended`() throws {
        try database.connection.execute("ANALYZE; SET enable_seqscan = off")
        let none = Record(identifier: "7", revision: 1, values: [:])
        for isDescending in [false, true] {
            var query = RecordQuery(
                order: [.init("count", isDescending: isDescending)],
                limit: 5
            )
            let last = try #require(self.query(query).records().last)
            query.after = PageCursor(after: last, in: query, of: schema)
            let plan = try plan(query)
            let begin = "Index Cond: ((count \(isDescending ? "<=" : ">=")"
            expect(plan.contains(begin), plan)
            // Those without a value are in the order of the index, too.
            query.after = PageCursor(after: none, in: query, of: schema)
            let end = try self.plan(query)
            expect(end.contains("count IS NULL") && !end.contains("Sort"), end)
        }
    }

    @Test func `related records are read together, and each once`() throws {
        let filters: [(RecordFilter, trips: Int)] = [
            (.has("account", Purse.schema, .compare("id", .equal, "P")), 1),
            // The elements of arrays are tested here, between the begin and the end of a transaction.
            (.hasAny("accounts", Purse.schema, .compare("id", .equal, "P")), 3),
            (
                .and([
                    .contains("prices", 1.5),
                    .not(.hasAny("accounts", Purse.schema, .isNull("balance"))),
                ]), 3
            ),
        ]
        for (filter, trips) in filters {
            let before = database.connection.roundTrips
            _ = try query(RecordQuery(filter: filter)).records()
            expect(database.connection.roundTrips - before, equals: trips, "\(filter)")
        }
    }

    @Test func `rows are tested here in parts, until there are enough`() throws {
        let offers = (301...3_500).map { index in
            let text = AttributeValue.string("\(index)")
            return Record(
                identifier: .string("\(index)"),
                revision: 1,
                values: ["id": text, "count": .int(Int64(index)), "prices": [2.5]],
                place: Int64(index)
            )
        }
        try database.insert(offers, of: schema)
        var query = RecordQuery(filter: .contains("prices", 2.5), order: [.init("count")])
        func trips() throws -> (Int, [Identifier]) {
            let before = database.connection.roundTrips
            let found = try self.query(query).records().map(\.identifier)
            expect(!database.connection.isInTransaction)
            return (database.connection.roundTrips - before, found)
        }
        let all = offers.map(\.identifier)
        // Four parts, the first of which begins a transaction, and its end.
        expect(try trips() == (5, all))
        (query.limit, query.offset) = (10, 5)
        expect(try trips() == (2, Array(all[5..<15])))
        query.offset = 700
        expect(try trips() == (3, Array(all[700..<710])))
        // In a transaction of somebody, which goes on.
        let connection = database.connection
        try connection.execute("BEGIN")
        for _ in 0..<2 {
            expect(try self.query(query).records().map(\.identifier), equals: Array(all[700..<710]))
            expect(connection.isInTransaction)
        }
        try connection.execute("COMMIT")
        try connection.execute(
            "UPDATE \(database.table(schema).name) SET weight = 'NaN' WHERE id = '7'"
        )
        #expect(throws: StoreError.self) { try self.query(query).records() }
        expect(!connection.isInTransaction && !connection.isBroken)
    }

    @Test func `records are counted, and looked for`() throws {
        let cases: [(RecordFilter?, Int)] = [
            (nil, 300), (.compare("count", .greater, 290), 10), (.compare("count", .less, 0), 0),
            (.contains("prices", 2), 100), (.contains("prices", 2.5), 0),
            (.hasAny("accounts", Purse.schema, .compare("id", .equal, "P")), 6),
        ]
        for (filter, count) in cases {
            let query = try query(RecordQuery(filter: filter))
            expect(try query.count(), equals: count)
            expect(try query.exists(), equals: count > 0)
        }
    }

    @Test func `a cursor with what no column can have is an error`() throws {
        let query = RecordQuery(order: [.init("text")], limit: 1)
        for (text, id) in [("a\u{0}", "b"), ("a", "b\u{0}")] {
            let record = Record(
                identifier: .string(id),
                revision: 1,
                values: ["text": .string(text)]
            )
            var next = query
            next.after = PageCursor(after: record, in: query, of: schema)
            let error = #expect(throws: StoreError.self) { try self.query(next).records() }
            expect(
                error,
                equals: .unsupported(
                    """
                    the cursor belongs to a page of another store: a value in it contains U+0000, \
                    which PostgreSQL does not store
                    """
                )
            )
        }
    }

    /// What another program has written, and the error that says so.
    private static let damage: [(field: String, sql: String, reason: String)] = [
        ("weight", "'NaN'", "is nan, which is not finite"),
        ("price", "'Infinity'", "is not finite"),
        ("wide", "-1", "is -1, which its field cannot have"),
        ("wide", "0.5", "is 0.5, which its field cannot have"),
        ("date", "'infinity'", "is a date outside of the years 1 to 9999"),
        ("date", "'4000-01-01 BC'", "is a date outside of the years 1 to 9999"),
        ("tags", "'{\"a\":1}'", "holds a dictionary in JSON, not array"),
        ("tags", "'null'", "holds null in JSON, not array"),
        ("home", "'[1]'", "holds an array in JSON, not dictionary"),
    ]

    @Test(arguments: damage.indices)
    func `a damaged row is reported with its field, and left out`(index: Int) throws {
        let (field, sql, reason) = Self.damage[index]
        let table = try database.table(schema)
        try database.connection.execute(
            "UPDATE \(table.name) SET \"\(field)\" = \(sql) WHERE id = '7'"
        )
        let expected = StoreError.corrupt(
            "\(schema.name).\(field) of \"7\" \(reason)"
        )
        let error = #expect(throws: StoreError.self) { try self.query(RecordQuery()).records() }
        expect(error, equals: expected)
        var reported: [StoreError] = []
        let query = RecordQuery(order: [.init("count")], limit: 8)
        let records = try self.query(query).records { reported.append($0) }
        expect(records.map(\.identifier), equals: ["1", "2", "3", "4", "5", "6", "8", "9"])
        expect(reported, equals: [expected])
        if field != "weight", field != "price" { return }
        let failure = #expect(throws: StoreError.self) {
            try self.query(RecordQuery()).totals(RecordAggregate(.sum(FieldKey(field))))
        }
        expect(failure, equals: expected)
    }
}
