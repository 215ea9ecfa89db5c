import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

/// Many rows, which libpq gives in parts from version 17 on.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLRowsTests {
    private let server: PostgreSQLServer
    private let connection: PostgreSQLConnection
    private let isSplit: Bool
    private let count = 2_500

    init() throws {
        server = try .shared
        connection = try server.connect()
        isSplit = try PostgreSQLLibrary.system.functions.setChunkedRowsMode != nil
    }

    private struct Refusal: Error {}

    private func numbers(_ expression: String = "i") -> PostgreSQLStatement {
        PostgreSQLStatement("SELECT \(expression) FROM generate_series(1, \(count)::bigint) AS i")
    }

    private func read(
        _ statement: PostgreSQLStatement,
        on connection: PostgreSQLConnection? = nil,
        _ body: @escaping (PostgreSQLResult) throws -> Void = { _ in }
    ) throws -> [Int64] {
        try (connection ?? self.connection).reduce(statement, into: []) { numbers, rows in
            try body(rows)
            numbers += (0..<rows.rowCount).map { rows.number($0) ?? 0 }
        }
    }

    private func expectUse(_ connection: PostgreSQLConnection? = nil) throws {
        expect(try read(numbers(), on: connection).count, equals: count)
        expect(try (connection ?? self.connection).run(numbers()).rowCount, equals: count)
    }

    @Test func `they come in parts where libpq can do that, each freed before the next`() throws {
        // The second time the statement is the first of the answer.
        for _ in 0..<2 {
            var parts: [Int] = []
            weak var last: PostgreSQLResult?
            let numbers = try read(numbers()) { rows in
                expect(last == nil)
                last = rows
                parts.append(rows.rowCount)
            }
            expect(numbers == (1...Int64(count)).map { $0 })
            expect(parts, equals: isSplit ? [1_000, 1_000, 500, 0] : [count])
        }
        expect(try connection.run(numbers()).rowCount, equals: count)
        let none = PostgreSQLStatement("SELECT 1::bigint WHERE false")
        expect(try read(none), equals: [])
        // Also behind the removal of what was dropped, which has an answer of its own.
        let target = try PostgreSQLTarget(server.connection(), library: .system, mode: .direct)
        let small = try PostgreSQLConnection.open(
            target,
            until: .now + .seconds(20),
            statementLimit: 1
        )
        for number in 1...3 {
            try small.run(PostgreSQLStatement("SELECT \(number)"))
            try expectUse(small)
        }
    }

    @Test func `they come as a whole where libpq is older`() throws {
        var functions = try PostgreSQLLibrary.system.functions
        functions.setChunkedRowsMode = nil
        let library = try PostgreSQLLibrary(functions: functions)
        let target = try PostgreSQLTarget(server.connection(), library: library, mode: .direct)
        let connection = try PostgreSQLConnection.open(target, until: .now + .seconds(20))
        var parts: [Int] = []
        _ = try read(numbers(), on: connection) { parts.append($0.rowCount) }
        expect(parts, equals: [count])
    }

    @Test func `an error after some of them is that of the statement`() throws {
        let statement = numbers("1 / (2000 - i)")
        for _ in 0..<2 {
            let error = #expect(throws: PostgreSQLError.self) { try read(statement) }
            expect(error?.sqlState, equals: "22012")
            expect(error?.statementIndex, equals: 0)
            try expectUse()
        }
    }

    @Test func `where some cannot be used the transaction goes on`() throws {
        try connection.execute("BEGIN")
        var seen = 0
        #expect(throws: Refusal.self) {
            _ = try read(numbers()) { _ in
                seen += 1
                throw Refusal()
            }
        }
        expect(seen, equals: 1)
        try expectUse()
        try connection.execute("COMMIT")
    }

    @Test func `a table that was changed is read again as it is`() throws {
        let table = "\(try server.schema()).t"
        try connection.execute(
            "CREATE TABLE \(table) AS SELECT i FROM generate_series(1, \(count)::bigint) AS i"
        )
        let all = PostgreSQLStatement("SELECT * FROM \(table)")
        for columns in 1...2 {
            var found: [Int] = []
            expect(try read(all) { found.append($0.columnCount) }.count, equals: count)
            expect(Set(found), equals: [columns])
            try server.connect().execute("ALTER TABLE \(table) ADD COLUMN b\(columns) text")
        }
    }

    @Test(arguments: [PostgreSQLMode.direct, .pooled])
    func `they are cancelled, and end at the deadline, in the midst of them`(
        mode: PostgreSQLMode
    ) throws {
        let connection = try server.connect(mode: mode)
        let slow = numbers("i + length(pg_sleep(CASE WHEN i > 2000 THEN 0.1 ELSE 0 END)::text)")
        for isCancelled in [false, true] {
            let cancellation = PostgreSQLCancellation()
            connection.cancellation = cancellation
            connection.deadline = .now + .milliseconds(isCancelled ? 20_000 : 200)
            if isCancelled {
                Thread { [server] in
                    server.wait(
                        until: "query LIKE '%pg_sleep(CASE%' AND query NOT LIKE '%activity%' "
                            + "AND wait_event = 'PgSleep'"
                    )
                    cancellation.cancel()
                }.start()
            }
            let error = #expect(throws: PostgreSQLError.self) { try read(slow, on: connection) }
            expect(error?.kind, equals: isCancelled ? .cancelled : .timedOut)
            expect(error?.sqlState, equals: "57014")
            expect(connection.reset())
            connection.deadline = nil
            try expectUse(connection)
        }
    }

    @Test func `a connection that is cut in the midst of them is lost`() throws {
        let proxy = try PostgreSQLProxy(to: server)
        for bytes in stride(from: 1, through: 40_000, by: 3_000) {
            let connection = try server.connect(proxy.connection())
            proxy.fail(.cut, .toClient, after: bytes)
            let error = #expect(throws: PostgreSQLError.self) {
                try read(numbers(), on: connection)
            }
            expect(error?.kind, equals: .connectionLost, "\(bytes)")
            expect(connection.isBroken)
        }
    }

    @Test func `records are made of all of them, and a damaged one is reported`() throws {
        let (database, schema) = (try QueryDatabase(), IndexedOffer.schema)
        let records = (1...Int64(count)).map { number in
            Record(
                identifier: .string("\(number)"),
                revision: number,
                values: [
                    "id": .string("\(number)"), "count": .int(number), "weight": .double(0.5),
                ],
                place: number
            )
        }
        try database.insert(records, of: schema)
        func query(_ filter: RecordFilter? = nil) throws -> PostgreSQLQuery {
            try PostgreSQLQuery(
                RecordQuery(filter: filter),
                of: schema,
                database.connection,
                database.table
            )
        }
        expect(try query().records().map(\.place) == records.map(\.place))
        let table = try database.table(schema)
        let some = records.map(\.identifier).suffix(2_100)
        expect(try table.records(Array(some), database.connection).count, equals: 2_100)
        let sum = RecordAggregate(.sum("weight"))
        expect(try query().totals(sum).value(), equals: .double(Double(count) / 2))
        try database.connection.execute(
            "UPDATE \(table.name) SET weight = 'NaN' WHERE id = '2100'"
        )
        let expected = StoreError.corrupt(
            "\(schema.name).weight of \"2100\" is nan, which is not finite"
        )
        for read in [{ _ = try query().records() }, { _ = try query().totals(sum) }] {
            let error = #expect(throws: StoreError.self) { try read() }
            expect(error, equals: expected)
        }
        var reported: [StoreError] = []
        expect(try query().records { reported.append($0) }.count, equals: count - 1)
        expect(reported, equals: [expected])
    }
}
