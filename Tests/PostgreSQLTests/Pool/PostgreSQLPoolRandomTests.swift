import Foundation
import ModelKitPostgreSQL
import ModelKitPromises
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLPoolRandomTests {
    private struct Stop: Error {}

    /// What a use does to its connection.
    private enum Use: CaseIterable {
        case answer, twice, leavesTransaction, fails, endsConnection, isLate, isCancelled
        case leavesFailure
    }

    @Test func `each use gets its own answer, whatever others do to their connections`()
        async throws
    {
        let server = try PostgreSQLServer.shared
        let name = "random-\(UUID().uuidString)"
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let pool = try PostgreSQLPool(
            server.connection() + " application_name=\(name)",
            PostgreSQLOptions(connections: 4, deadline: .seconds(120), idleTime: .milliseconds(20))
        )
        var all: [(Use, Int, Promise<Int64?>)] = []
        for number in 0..<600 {
            let use = random.pick(Use.allCases + Array(repeating: .answer, count: 8))
            let promise = start(use, number, pool)
            if use == .isCancelled {
                let pause = UInt32.random(in: 0...3000, using: &random)
                Thread {
                    usleep(pause)
                    promise.cancel()
                }.start()
            }
            all.append((use, number, promise))
            if number % 50 == 0 { try await Task.sleep(for: .milliseconds(30)) }
        }
        for (use, number, promise) in all {
            let comment = "\(use) \(number), seed \(seed)"
            let result: Result<Int64?, any Error>
            do { result = .success(try await promise.value) } catch { result = .failure(error) }
            switch (use, result) {
            case (.isCancelled, .failure(let error as PostgreSQLError)):
                expect(error.kind, equals: .cancelled, comment)
            case (.isLate, .failure(let error as PostgreSQLError)):
                expect(error.kind, equals: .timedOut, comment)
            case (.endsConnection, .failure(let error as PostgreSQLError)):
                expect(error.kind, equals: .connectionLost, comment)
            case (.fails, .failure(let error)): expect(error is Stop, comment)
            case (.isLate, .success), (.endsConnection, .success), (.fails, .success):
                Issue.record("it has succeeded: \(comment)")
            case (_, .success(let value)): expect(value, equals: Int64(number), comment)
            case (_, .failure(let error)): Issue.record("\(error): \(comment)")
            }
        }
        try await pool.close().value
        let count = PostgreSQLStatement(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1",
            PostgreSQLParameters(name)
        )
        let judge = try server.connect()
        while try judge.run(count).number() ?? 0 > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    private func start(_ use: Use, _ number: Int, _ pool: PostgreSQLPool) -> Promise<Int64?> {
        let select = PostgreSQLStatement("SELECT $1::bigint", PostgreSQLParameters(number))
        switch use {
        case .answer: return pool.run { try $0.run(select).number() }
        case .twice: return pool.run { try $0.run([select, select])[1].number() }
        case .leavesTransaction:
            return pool.run { connection in
                expect(!connection.isInTransaction)
                return try connection.run([PostgreSQLStatement("BEGIN"), select])[1].number()
            }
        case .leavesFailure:
            return pool.run { connection in
                let number = try connection.run([PostgreSQLStatement("BEGIN"), select])[1].number()
                try? connection.execute("SELECT 1/0")
                return number
            }
        case .fails:
            return pool.run { connection in
                _ = try connection.run(select)
                throw Stop()
            }
        case .endsConnection:
            return pool.run { connection in
                try connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
                return nil
            }
        case .isLate:
            return pool.run { connection in
                connection.deadline = .now + .milliseconds(5)
                try connection.execute("SELECT pg_sleep(600)")
                return nil
            }
        case .isCancelled:
            return pool.run(isCancellable: true) { connection in
                try connection.execute("SELECT pg_sleep(0.001)")
                return try connection.run(select).number()
            }
        }
    }
}
