import Foundation
import ModelKitPostgreSQL
import ModelKitSQL
import TestSupport
import Testing

/// Deadlines, cancellation, and servers that do not answer.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLTimeTests {
    private let server: PostgreSQLServer
    private let connection: PostgreSQLConnection
    private let one = PostgreSQLStatement("SELECT 1::bigint")
    private let sleep = PostgreSQLStatement("SELECT pg_sleep(600)")

    init() throws {
        server = try .shared
        connection = try server.connect()
    }

    private func failure(
        _ statements: [PostgreSQLStatement],
        on connection: PostgreSQLConnection? = nil
    ) throws -> PostgreSQLError {
        try #require(throws: PostgreSQLError.self) {
            try (connection ?? self.connection).run(statements)
        }
    }

    @Test func `a statement is cancelled on the server at the deadline`() throws {
        for mode in [PostgreSQLMode.direct, .pooled] {
            let connection = try server.connect(mode: mode)
            connection.deadline = .now + .milliseconds(50)
            let error = try failure([one, sleep], on: connection)
            expect(error.kind, equals: .timedOut)
            expect(error.sqlState, equals: "57014")
            expect(error.statementIndex, equals: 1)
            expect(error.wasSent)
            expect(connection.reset())
            expect(try connection.run(one).number(), equals: 1)
        }
    }

    @Test func `behind a pooler the server itself ends a statement at the deadline`() throws {
        var functions = try PostgreSQLLibrary.system.functions
        // Nobody cancels anything.
        functions.getCancel = { _ in nil }
        functions.cancelling = nil
        let target = try PostgreSQLTarget(
            server.connection(),
            library: PostgreSQLLibrary(functions: functions),
            mode: .pooled
        )
        let connection = try PostgreSQLConnection.open(target, until: .now + .seconds(20))
        connection.grace = .seconds(60)
        connection.deadline = .now + .milliseconds(50)
        let error = try failure([sleep], on: connection)
        expect(error.kind, equals: .timedOut)
        expect(error.sqlState, equals: "57014")
    }

    @Test func `nothing is sent after the deadline`() throws {
        connection.deadline = .now
        let before = connection.roundTrips
        let error = try failure([one])
        expect(error.kind, equals: .timedOut)
        expect(!error.wasSent)
        expect(connection.roundTrips, equals: before)
        connection.deadline = nil
        expect(try connection.run(one).number(), equals: 1)
    }

    @Test func `a statement is cancelled from another thread`() throws {
        for isSimple in [false, true] {
            let cancellation = PostgreSQLCancellation()
            connection.cancellation = cancellation
            Thread { [server, process = connection.backend?.process ?? 0] in
                server.wait(
                    until: "query LIKE '%pg_sleep(600)%' AND state = 'active' AND pid = \(process)"
                )
                cancellation.cancel()
            }.start()
            let error = try #require(throws: PostgreSQLError.self) {
                if isSimple { try connection.execute(sleep.sql) } else { try connection.run(sleep) }
            }
            expect(error.kind, equals: .cancelled)
            expect(error.sqlState, equals: "57014")
            // What comes after it is not sent.
            let next = try failure([one])
            expect(next.kind, equals: .cancelled)
            expect(!next.wasSent)
            expect(connection.reset())
            expect(try connection.run(one).number(), equals: 1)
        }
    }

    @Test func `what was cancelled never hits what is run later`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        for round in 0..<150 {
            let cancellation = PostgreSQLCancellation()
            connection.cancellation = cancellation
            let pause = UInt32.random(in: 0...400, using: &random)
            let done = DispatchSemaphore(value: 0)
            Thread {
                usleep(pause)
                cancellation.cancel()
                done.signal()
            }.start()
            let result = Result { try connection.run([PostgreSQLStatement("BEGIN"), one]) }
            if case .failure(let error) = result {
                expect((error as? PostgreSQLError)?.kind, equals: .cancelled, "seed \(seed)")
            }
            expect(connection.reset(), "seed \(seed), round \(round)")
            for _ in 0..<3 {
                #expect(throws: Never.self, "seed \(seed), round \(round)") {
                    try connection.run(one)
                }
            }
            done.wait()
        }
    }

    @Test func `a newer libpq cancels by what it has for that`() throws {
        // The older functions in the shape of the newer ones.
        typealias Question = @convention(c) (OpaquePointer?) -> Int32
        let start: Question = { handle in
            (try? PostgreSQLLibrary.system)?.functions.cancel(handle, nil, 0) ?? 0
        }
        let (poll, socket): (Question, Question) = ({ _ in 3 }, { _ in 1 })
        let names = PostgreSQLLibrary.Functions.systemNames
        let functions = try DynamicLibrary.load(names) { library in
            try PostgreSQLLibrary.Functions { name in
                switch name {
                case "PQcancelCreate": library.address("PQgetCancel")
                case "PQcancelStart": unsafeBitCast(start, to: UnsafeRawPointer.self)
                case "PQcancelPoll": unsafeBitCast(poll, to: UnsafeRawPointer.self)
                case "PQcancelSocket": unsafeBitCast(socket, to: UnsafeRawPointer.self)
                case "PQcancelFinish": library.address("PQfreeCancel")
                default: library.address(name)
                }
            }
        } notFound: {
            PostgreSQLLibraryError.notFound($0)
        }
        expect(functions.cancelling != nil)
        let target = try PostgreSQLTarget(
            server.connection(),
            library: PostgreSQLLibrary(functions: functions),
            mode: .direct
        )
        let connection = try PostgreSQLConnection.open(target, until: .now + .seconds(20))
        connection.grace = .seconds(60)
        for _ in 0..<2 {
            connection.deadline = .now + .milliseconds(50)
            expect(try failure([sleep], on: connection).sqlState, equals: "57014")
            expect(connection.reset())
        }
    }

    @Test func `a transaction that is left open is rolled back`() throws {
        for end in [[], [PostgreSQLStatement("SELECT 1/0")]] {
            _ = try? connection.run([PostgreSQLStatement("BEGIN"), one] + end)
            expect(connection.isInTransaction)
            expect(connection.reset())
            expect(!connection.isInTransaction)
        }
        let before = connection.roundTrips
        expect(connection.reset())
        expect(connection.roundTrips, equals: before)
    }

    @Test func `a server that stands still is given up soon after the deadline`() throws {
        let server = try PostgreSQLServer()
        let connection = try server.connect()
        connection.grace = .seconds(1)
        server.signal(SIGSTOP)
        connection.deadline = .now + .milliseconds(50)
        let error = try failure([one], on: connection)
        expect(error.kind, equals: .timedOut)
        expect(error.sqlState, equals: nil)
        expect(error.wasSent)
        expect(connection.isBroken)
        expect(!connection.reset())
        let target = try PostgreSQLTarget(server.connection(), library: .system, mode: .direct)
        let refusal = #expect(throws: PostgreSQLError.self) {
            try PostgreSQLConnection.open(target, until: .now + .milliseconds(50))
        }
        expect(refusal?.kind, equals: .cannotConnect)
        expect(refusal?.wasSent, equals: false)
        server.signal(SIGCONT)
        expect(try server.connect().run(one).number(), equals: 1)
    }

    @Test func `a connection that has ended says so`() throws {
        let proxy = try PostgreSQLProxy(to: server)
        for isCut in [true, false] {
            let connection = try server.connect(proxy.connection())
            expect(connection.checkIdle())
            if isCut {
                proxy.cutAll()
            } else {
                let process = connection.backend?.process ?? 0
                try server.connect().execute("SELECT pg_terminate_backend(\(process), 5000)")
            }
            let error = try failure([one], on: connection)
            expect(error.kind, equals: .connectionLost)
            expect(error.wasSent)
            expect(connection.isBroken)
            let next = try failure([one], on: connection)
            expect(next.kind, equals: .connectionLost)
            expect(!next.wasSent)
        }
    }

    @Test func `an idle connection that has ended is found without asking the server`() throws {
        let proxy = try PostgreSQLProxy(to: server)
        let connection = try server.connect(proxy.connection())
        let before = proxy.count(.toServer)
        expect(connection.checkIdle())
        let process = connection.backend?.process ?? 0
        try server.connect().execute("SELECT pg_terminate_backend(\(process), 5000)")
        while connection.checkIdle() { usleep(1000) }
        expect(connection.isBroken)
        expect(proxy.count(.toServer), equals: before)
    }

    @Test func `an answer that is cut at any byte is a lost connection`() throws {
        let proxy = try PostgreSQLProxy(to: server)
        let size: Int = try {
            let connection = try server.connect(proxy.connection())
            let before = proxy.count(.toClient)
            try connection.run(one)
            return proxy.count(.toClient) - before
        }()
        for count in 0..<size {
            let connection = try server.connect(proxy.connection())
            proxy.fail(.cut, .toClient, after: count)
            let error = try failure([one], on: connection)
            expect(error.kind, equals: .connectionLost, "\(count)")
            expect(error.wasSent)
        }
        let connection = try server.connect(proxy.connection())
        connection.grace = .seconds(1)
        proxy.fail(.swallow, .toClient, after: size / 2)
        connection.deadline = .now + .milliseconds(50)
        let error = try failure([one], on: connection)
        expect(error.kind, equals: .timedOut)
        expect(error.sqlState, equals: nil)
    }

    @Test func `what is known of a write whose connection is cut at any byte is true`() throws {
        let table = "\(try server.schema()).t"
        let judge = try server.connect()
        try judge.execute("CREATE TABLE \(table) (a bigint)")
        let proxy = try PostgreSQLProxy(to: server)
        func insert(_ number: Int) -> [PostgreSQLStatement] {
            let sql = "INSERT INTO \(table) VALUES ($1)"
            return [PostgreSQLStatement(sql, PostgreSQLParameters(number)), one]
        }
        for direction in [PostgreSQLProxy.Direction.toServer, .toClient] {
            let probe = try server.connect(proxy.connection())
            let before = proxy.count(direction)
            try probe.run(insert(-1))
            for count in 0...proxy.count(direction) - before {
                let connection = try server.connect(proxy.connection())
                proxy.fail(.cut, direction, after: count)
                let result = Result { try connection.run(insert(count)) }
                // What it has begun has ended then.
                try judge.execute(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                        + "WHERE pid = \(connection.backend?.process ?? 0)"
                )
                let found = try judge.run(
                    PostgreSQLStatement(
                        "DELETE FROM \(table) WHERE a = $1",
                        PostgreSQLParameters(count)
                    )
                ).affectedRows
                switch result {
                case .success: expect(found, equals: 1, "\(direction) \(count)")
                case .failure(let error as PostgreSQLError):
                    expect(error.kind, equals: .connectionLost, "\(direction) \(count)")
                    expect(error.wasSent)
                    // Nothing was there to be done.
                    if direction == .toServer, count == 0 { expect(found, equals: 0) }
                case .failure(let error): Issue.record(error)
                }
            }
        }
    }
}
