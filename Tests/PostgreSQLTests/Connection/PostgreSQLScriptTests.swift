import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

/// What a connection sends and makes of answers, without a server.
@Suite struct PostgreSQLScriptTests {
    private let select = PostgreSQLStatement("SELECT 1")
    private let insert = PostgreSQLStatement("INSERT", isPrepared: false)

    private func make(
        _ replies: [PostgreSQLReply?],
        mode: PostgreSQLMode = .portable
    ) -> (ScriptedWire, PostgreSQLConnection) {
        let wire = ScriptedWire(replies)
        let connection = PostgreSQLConnection(
            wire,
            mode: mode,
            statementLimit: 2,
            grace: .milliseconds(20)
        )
        return (wire, connection)
    }

    @Test func `everything is sent before anything is awaited`() throws {
        let (wire, connection) = make([.done(), .end, .done(1), .end, nil, .done(7), .end, .synced])
        let results = try connection.run([select, insert])
        expect(results.map(\.affectedRows), equals: [1, 7])
        expect(wire.sent, equals: ["prepare m1: SELECT 1", "execute m1", "query: INSERT", "sync"])
        expect(wire.waits.count, equals: 1)
        wire.replies = [.done(2), .end, .synced]
        try connection.run(select)
        expect(wire.sent.suffix(2), equals: ["execute m1", "sync"])
    }

    @Test func `what was dropped is removed in a part of its own`() throws {
        let (wire, connection) = make([])
        let statements = (1...3).map { PostgreSQLStatement("SELECT \($0)") }
        wire.replies = statements.flatMap { _ in [.done(), .end, .done(), .end] } + [.synced]
        try connection.run(statements)
        // Not in a transaction, which it might fail.
        wire.transactionStatus = .open
        wire.replies = [.done(), .end, .synced]
        try connection.run(insert)
        expect(wire.sent.suffix(2), equals: ["query: INSERT", "sync"])
        wire.transactionStatus = .idle
        wire.replies = [.failed(state: "26000"), .end, .synced, .done(), .end, .synced]
        try connection.run(insert)
        expect(
            wire.sent.suffix(4),
            equals: ["query: DEALLOCATE m1", "sync", "query: INSERT", "sync"]
        )
    }

    @Test func `that another backend answers is said, and nothing is sent to it again`() throws {
        var stale = PostgreSQLError(.other, "it is not compiled here")
        (stale.sqlState, stale.isStale) = ("26000", true)
        let (wire, connection) = make([
            .done(), .end, .failed(stale), .end, .synced, .done(), .end, .synced,
            .done(), .end, .done(), .end, .synced,
        ])
        connection.backend = PostgreSQLBackend(
            process: 7,
            start: 0,
            isInRecovery: false,
            firstTransaction: 0
        )
        let error = #expect(throws: PostgreSQLError.self) { try connection.run(select) }
        expect(error?.kind, equals: .notSupported)
        expect(error?.message.contains("needs the mode .pooled"), equals: true)
        expect(wire.sent.last, equals: "sync")
        expect(wire.sent.filter { $0.contains("SELECT pg_backend_pid()") }.count, equals: 1)
        expect(connection.isBroken)
    }

    @Test func `a copy whose connection ends with the last bytes is lost`() throws {
        let (wire, connection) = make([.copyIn])
        var rest: [[UInt8]] = [[1]]
        let error = #expect(throws: PostgreSQLError.self) {
            try connection.copyIn("COPY t FROM STDIN") {
                if rest.isEmpty { wire.isOpen = false }
                return rest.popLast()
            }
        }
        expect(error?.kind, equals: .connectionLost)
        expect(error?.wasSent, equals: true)
    }

    @Test func `a statement that was not compiled is compiled at the next use`() throws {
        for reply in [PostgreSQLReply.failed(state: "42P01"), .skipped] {
            let (wire, connection) = make([
                .failed(state: "42601"), .end, reply, .end, .skipped, .end, .synced,
            ])
            let error = #expect(throws: PostgreSQLError.self) {
                try connection.run([insert, select])
            }
            expect(error?.sqlState, equals: "42601")
            expect(error?.statementIndex, equals: 0)
            wire.replies = [.done(), .end, .done(), .end, .synced]
            try connection.run(select)
            expect(wire.sent.suffix(3), equals: ["prepare m2: SELECT 1", "execute m2", "sync"])
        }
    }

    @Test func `a stale statement is tried once more, and not for ever`() throws {
        var stale = PostgreSQLError(.other, "it is gone")
        (stale.sqlState, stale.isStale) = ("26000", true)
        let first: [PostgreSQLReply?] = [.done(), .end, .failed(stale), .end, .synced]
        let (wire, connection) = make(first + [.done(), .end, .done(5), .end, .synced])
        expect(try connection.run(select).affectedRows, equals: 5)
        wire.replies = [.failed(stale), .end, .synced] + first
        let error = #expect(throws: PostgreSQLError.self) { try connection.run(select) }
        expect(error?.isStale, equals: true)
        expect(wire.replies.count, equals: 0)
    }

    @Test func `a failure at the commit is that of the last statement`() throws {
        let (_, connection) = make([
            .done(), .end, .done(), .end, .failed(state: "23503"), .end, .synced,
        ])
        let error = #expect(throws: PostgreSQLError.self) { try connection.run([insert, insert]) }
        expect(error?.kind, equals: .foreignKeyViolation)
        expect(error?.statementIndex, equals: 1)
    }

    private func marks(
        _ connection: PostgreSQLConnection,
        _ body: @escaping (Int) throws -> Void = { _ in }
    ) throws -> [Int] {
        try connection.reduce(select, into: []) { marks, rows in
            try body(rows.affectedRows)
            marks.append(rows.affectedRows)
        }
    }

    @Test func `rows are taken as they come where a value is made of them alone`() throws {
        let (wire, connection) = make([
            .done(), .end, .part(1), nil, .part(2), .done(3), .end, .synced,
        ])
        expect(try marks(connection), equals: [1, 2, 3])
        expect(
            wire.sent,
            equals: ["prepare m1: SELECT 1", "execute m1", "sync", "rows: 1000"]
        )
        wire.replies = [.done(), .end, .synced, .done(), .end, .synced]
        try connection.run(select)
        expect(wire.sent.last, equals: "sync")
        // Parts of a few rows would only take longer.
        let count = try connection.reduce(select, ofAtMost: 1_000, into: 0) { count, _ in
            count += 1
        }
        expect(count, equals: 1)
        expect(wire.sent.last, equals: "sync")
    }

    @Test func `of rows that an error ends nothing is left`() throws {
        var stale = PostgreSQLError(.other, "it is gone")
        (stale.sqlState, stale.isStale) = ("26000", true)
        let (wire, connection) = make([.done(), .end, .part(1), .failed(stale), .end, .synced])
        wire.replies += [.done(), .end, .part(2), .done(3), .end, .synced]
        expect(try marks(connection), equals: [2, 3])
        wire.replies = [.part(1), .failed(state: "22012"), .end, .synced]
        let error = #expect(throws: PostgreSQLError.self) { try marks(connection) }
        expect(error?.sqlState, equals: "22012")
        expect(!connection.isBroken)
        wire.replies = [.part(1)]
        wire.end = PostgreSQLError(.connectionLost, "the server has ended the connection")
        let loss = #expect(throws: PostgreSQLError.self) { try marks(connection) }
        expect(loss?.kind, equals: .connectionLost)
        expect(connection.isBroken)
    }

    @Test func `where rows cannot be used the rest is not, and the connection goes on`() throws {
        struct Refusal: Error {}
        let (wire, connection) = make([.done(), .end])
        let rows: [PostgreSQLReply?] = [.part(1), .part(2), .part(3), .done(4), .end, .synced]
        wire.replies += rows
        var seen: [Int] = []
        #expect(throws: Refusal.self) {
            _ = try marks(connection) { mark in
                seen.append(mark)
                if mark == 2 { throw Refusal() }
            }
        }
        expect(seen, equals: [1, 2])
        expect(wire.replies.count, equals: 0)
        wire.replies = rows
        expect(try marks(connection), equals: [1, 2, 3, 4])
        // Why the server has not given them all is more than that.
        wire.replies = [.part(2), .failed(state: "40001"), .end, .synced]
        let error = #expect(throws: PostgreSQLError.self) {
            try marks(connection) { _ in throw Refusal() }
        }
        expect(error?.sqlState, equals: "40001")
    }

    @Test func `rows that come without a pause end at the deadline, too`() throws {
        for isObeyed in [true, false] {
            let wire = ScriptedWire([.done(), .end])
            let connection = PostgreSQLConnection(
                wire,
                mode: .portable,
                grace: isObeyed ? .seconds(60) : .milliseconds(20)
            )
            connection.deadline = .now + .seconds(60)
            wire.replies.append(.part(1))
            var parts = 0
            let error = #expect(throws: PostgreSQLError.self) {
                try marks(connection) { [unowned wire, unowned connection] _ in
                    connection.deadline = .now
                    wire.sleep()
                    parts += 1
                    let isEnd = isObeyed && wire.cancels.count > 0
                    wire.replies = isEnd ? [.failed(state: "57014"), .end, .synced] : [.part(1)]
                    if parts == 5_000 { wire.replies = [.done(), .end, .synced] }
                }
            }
            expect(error?.kind, equals: .timedOut)
            expect(error?.sqlState, equals: isObeyed ? "57014" : nil)
            expect(connection.isBroken, equals: !isObeyed)
            expect(wire.waits, equals: [])
        }
    }

    @Test func `a server that does not answer is to cancel it, and then is given up`() throws {
        for isCancelled in [false, true] {
            let (wire, connection) = make([])
            let cancellation = PostgreSQLCancellation()
            connection.cancellation = cancellation
            connection.deadline = isCancelled ? nil : .now + .milliseconds(10)
            wire.onWait = { if isCancelled { cancellation.cancel() } }
            let error = #expect(throws: PostgreSQLError.self) { try connection.run(insert) }
            expect(error?.kind, equals: isCancelled ? .cancelled : .timedOut)
            expect(error?.sqlState, equals: nil)
            expect(error?.wasSent, equals: true)
            expect(connection.isBroken)
            expect(!connection.reset())
            for _ in 0..<1000 where wire.cancels.count == 0 { wire.sleep() }
            expect(wire.cancels.count > 0)
        }
    }

    @Test func `a request to cancel that came too early is made again`() throws {
        let wire = ScriptedWire()
        let connection = PostgreSQLConnection(wire, mode: .portable, grace: .seconds(60))
        connection.deadline = .now + .milliseconds(1)
        wire.onWait = { [unowned wire] in
            if wire.cancels.count < 3 { return }
            wire.replies = [.failed(state: "57014"), .end, .synced]
        }
        let error = #expect(throws: PostgreSQLError.self) { try connection.run(insert) }
        expect(error?.kind, equals: .timedOut)
        expect(error?.sqlState, equals: "57014")
        expect(!connection.isBroken)
    }

    @Test func `what has come nevertheless counts`() throws {
        let (wire, connection) = make([nil])
        connection.deadline = .now + .milliseconds(5)
        wire.onWait = { [unowned wire, unowned connection] in
            if connection.deadline.map({ $0 > .now }) ?? true { return }
            wire.replies = [.done(3), .end, .synced]
        }
        expect(try connection.run(insert).affectedRows, equals: 3)
        expect(!connection.isBroken)
    }

    @Test func `a connection that ends takes back nothing and is used no more`() throws {
        for count in 0..<5 {
            let all: [PostgreSQLReply?] = [.done(), .end, .done(), .end, .synced]
            let (wire, connection) = make(Array(all.prefix(count)))
            wire.end = PostgreSQLError(.connectionLost, "the server has ended the connection")
            let error = #expect(throws: PostgreSQLError.self) {
                try connection.run([insert, insert])
            }
            expect(error?.kind, equals: .connectionLost)
            expect(error?.wasSent, equals: true)
            expect(connection.isBroken)
        }
        var fatal = PostgreSQLError(.init(sqlState: "57P01"), "it is shut down")
        (fatal.sqlState, fatal.isFatal) = ("57P01", true)
        let (_, connection) = make([.failed(fatal)])
        let error = #expect(throws: PostgreSQLError.self) { try connection.run(insert) }
        expect(error?.kind, equals: .connectionLost)
        expect(connection.isBroken)
    }

    @Test func `an answer that does not fit ends the connection`() throws {
        for replies: [PostgreSQLReply?] in [
            [.synced, .end], [.end, .end], [.copyIn, .end], [.done(), .done()],
            [.done(), .end, .copyOut],
            [.done(), .end, .done()], [.copied([]), .end],
        ] {
            let (wire, connection) = make(replies)
            wire.end = PostgreSQLError(.other, "there is no more")
            let error = #expect(throws: PostgreSQLError.self) { try connection.run(insert) }
            expect(error?.kind, equals: .connectionLost, "\(replies)")
            expect(connection.isBroken)
        }
    }

    @Test func `what a server says of texts is checked`() throws {
        let (wire, connection) = make([])
        try connection.checkSession()
        for (name, value) in [
            ("server_encoding", "LATIN1"), ("client_encoding", "SQL_ASCII"),
            ("standard_conforming_strings", "off"),
        ] {
            let before = wire.parameters
            wire.parameters[name] = value
            let error = #expect(throws: PostgreSQLError.self) { try connection.checkSession() }
            expect(error?.kind, equals: .notSupported)
            expect(error?.message.contains("\(name) has to be"), equals: true)
            wire.parameters = before
        }
        expect(wire.sent, equals: [])
    }

    @Test func `a migration that is cancelled while it commits may be committed`() throws {
        let pool = PostgreSQLPool(PostgreSQLOptions(mode: .portable)) {
            _ throws(PostgreSQLError) in throw PostgreSQLError(.cannotConnect, "there is none")
        }
        let log = try PostgreSQLLog(in: "space", .portable)
        let opener = try PostgreSQLOpener(pool, "space", log)
        let (wire, connection) = make([.done(), .done(), .end])
        let cancellation = PostgreSQLCancellation()
        connection.cancellation = cancellation
        // Of the commit there is never an answer.
        wire.onWait = { cancellation.cancel() }
        let schema = PostgreSQLMigratedSchema(connection: connection, space: "space", log: log) {
            try opener.locking(connection, $0)
        }
        let error = #expect(throws: StoreError.self) { try schema.transaction {} }
        expect(wire.sent.last, equals: "simple: COMMIT")
        expect(error?.outcome, equals: .unknown, "\(error as Any)")
        // One that is cancelled before is not.
        let (second, other) = make([.done(), .done(), .end])
        other.cancellation = PostgreSQLCancellation()
        let before = PostgreSQLMigratedSchema(connection: other, space: "space", log: log) {
            try opener.locking(other, $0)
        }
        #expect(throws: PostgreSQLError.cancellation) {
            try before.transaction { _ = other.cancellation?.cancel() }
        }
        expect(!second.sent.contains("simple: COMMIT"))
    }
}
