import ModelKitPostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLCopyTests {
    private struct Stop: Error {}

    private let server: PostgreSQLServer
    private let connection: PostgreSQLConnection
    private let table: String
    private var copyIn: String { "COPY \(table) FROM STDIN" }

    init() throws {
        server = try .shared
        connection = try server.connect()
        table = "\(try server.schema()).t"
        try connection.execute("CREATE TABLE \(table) (a bigint PRIMARY KEY)")
    }

    private func expectCount(_ count: Int64) throws {
        let result = try connection.run(PostgreSQLStatement("SELECT count(*) FROM \(table)"))
        expect(result.number(), equals: count)
    }

    /// Gives numbers in so many chunks, and then nothing more.
    private func numbers(_ chunks: Int, of size: Int = 10_000) -> () throws -> [UInt8]? {
        var chunk = 0
        return {
            if chunk == chunks { return nil }
            defer { chunk += 1 }
            return Array((chunk * size..<(chunk + 1) * size).map { "\($0)\n" }.joined().utf8)
        }
    }

    @Test func `rows are written in chunks`() throws {
        for (chunks, count) in [(0, 0), (1, 10), (20, 200_000)] {
            try connection.execute("TRUNCATE \(table)")
            let size = chunks == 0 ? 0 : count / chunks
            expect(try connection.copyIn(copyIn, numbers(chunks, of: size)), equals: count)
            try expectCount(Int64(count))
        }
    }

    @Test func `an error of who gives the rows ends it, and nothing is written`() throws {
        for chunks in [0, 1, 50] {
            let next = numbers(chunks)
            #expect(throws: Stop.self) {
                try connection.copyIn(copyIn) {
                    guard let bytes = try next() else { throw Stop() }
                    return bytes
                }
            }
            expect(!connection.isBroken)
            try expectCount(0)
        }
    }

    @Test func `an error of the server is thrown`() throws {
        for (sql, bytes, state, kind) in [
            (copyIn, "1\n1\n", "23505", PostgreSQLError.Kind.uniqueViolation),
            (copyIn, "x\n", "22P02", .invalidText),
            ("COPY \(table)2 FROM STDIN", "1\n", "42P01", .noSuchTable),
        ] {
            var chunks = [Array(bytes.utf8)] + (0..<30).map { _ in Array("7\n".utf8) }
            let error = #expect(throws: PostgreSQLError.self) {
                try connection.copyIn(sql) { chunks.isEmpty ? nil : chunks.removeFirst() }
            }
            expect(error?.sqlState, equals: state)
            expect(error?.kind, equals: kind)
            expect(error?.sql, equals: sql)
            try expectCount(0)
        }
    }

    @Test func `it ends at the deadline and when it is cancelled`() throws {
        for isCancelled in [true, false] {
            let cancellation = PostgreSQLCancellation()
            let next = numbers(.max, of: 10)
            connection.cancellation = cancellation
            if !isCancelled { connection.deadline = .now + .milliseconds(50) }
            var count = 0
            let error = #expect(throws: PostgreSQLError.self) {
                try connection.copyIn(copyIn) {
                    count += 1
                    if count == 20, isCancelled { cancellation.cancel() }
                    return try next()
                }
            }
            expect(error?.kind, equals: isCancelled ? .cancelled : .timedOut)
            expect(error?.wasSent, equals: true)
            expect(connection.reset())
            try expectCount(0)
        }
    }

    @Test func `a connection that is lost meanwhile says so`() throws {
        let proxy = try PostgreSQLProxy(to: server)
        let connection = try server.connect(proxy.connection())
        proxy.fail(.cut, .toServer, after: 100_000)
        let error = #expect(throws: PostgreSQLError.self) {
            try connection.copyIn(copyIn, numbers(100))
        }
        expect(error?.kind, equals: .connectionLost)
        expect(error?.wasSent, equals: true)
        expect(connection.isBroken)
    }

    @Test func `rows are read one by one`() throws {
        try connection.copyIn(copyIn, numbers(1))
        var rows: [String] = []
        try connection.copyOut("COPY (SELECT * FROM \(table) ORDER BY a) TO STDOUT") {
            rows.append(String(decoding: $0, as: UTF8.self))
        }
        expect(rows, equals: (0..<10_000).map { "\($0)\n" })
    }

    @Test func `who reads them may stop`() throws {
        let endless = "COPY (SELECT generate_series(1, 10000000000)) TO STDOUT"
        var count = 0
        #expect(throws: Stop.self) {
            try connection.copyOut(endless) { _ in
                count += 1
                if count == 1000 { throw Stop() }
            }
        }
        expect(count, equals: 1000)
        expect(connection.reset())
        try expectCount(0)
        connection.deadline = .now + .milliseconds(50)
        let error = #expect(throws: PostgreSQLError.self) {
            try connection.copyOut(endless) { _ in }
        }
        expect(error?.kind, equals: .timedOut)
        expect(error?.sqlState, equals: "57014")
    }

    @Test func `what is no COPY is refused`() throws {
        for isIn in [true, false] {
            let connection = try server.connect()
            #expect(throws: PostgreSQLError.self) {
                if isIn {
                    try connection.copyIn("SELECT 1") { nil }
                } else {
                    try connection.copyOut("SELECT 1") { _ in }
                }
            }
            expect(connection.isBroken)
        }
    }
}
