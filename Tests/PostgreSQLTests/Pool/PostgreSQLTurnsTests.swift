import ModelKitPostgreSQL
import ModelKitPromises
import TestSupport
import Testing

/// Whose turn it is, without connections or time.
@Suite struct PostgreSQLTurnsTests {
    private static let start = ContinuousClock.now

    /// Turns with names for what they are about, and a clock that is set.
    private final class Table {
        var turns: PostgreSQLTurns
        var now = start
        var uses: [(name: String, use: PostgreSQLUse)] = []
        var leases: [PostgreSQLLease] = []
        /// Why uses have failed.
        var reasons: [String] = []

        init(limit: Int = 2, patience: Int? = nil) {
            turns = PostgreSQLTurns(
                limit: limit,
                idleTime: .seconds(60),
                patience: patience.map { .seconds($0) },
                backoff: .constant(.seconds(1))
            )
        }

        func wait(_ name: String, seconds: Int = 30) {
            let use = PostgreSQLUse(deadline: now + .seconds(seconds)) { _ in
                {}
            } fail: { _ in
            }
            uses.append((name, use))
            turns.wait(use)
        }

        func cancel(_ name: String) {
            for use in uses where use.name == name { use.use.cancellation.cancel() }
        }

        func opened() {
            leases.append(PostgreSQLLease())
            turns.opened(leases[leases.count - 1], now)
        }

        func lost(hasEnded: Bool = false) { turns.lost(hasEnded: hasEnded) }

        func returned(_ lease: Int) { turns.returned(leases[lease], now) }

        func refused(
            _ kind: PostgreSQLError.Kind,
            _ message: String = "because",
            isSilence: Bool = false
        ) {
            var error = PostgreSQLError(kind, message)
            error.isSilence = isSilence
            turns.refused(error, now)
        }

        func pass(_ seconds: Int) { now += .seconds(seconds) }

        /// All that is to be done now.
        var steps: [String] {
            var steps: [String] = []
            while let step = turns.next(now) {
                switch step {
                case .serve(let use, let lease): steps.append("\(name(use)) on \(number(lease))")
                case .fail(let use, let error):
                    steps.append("\(name(use)): \(error.kind)")
                    reasons.append(error.message)
                case .connect: steps.append("connect")
                case .close(let lease): steps.append("close \(number(lease))")
                case .end: steps.append("end")
                }
            }
            return steps
        }

        private func name(_ use: PostgreSQLUse) -> String {
            uses.first { $0.use === use }?.name ?? "?"
        }

        private func number(_ lease: PostgreSQLLease) -> Int {
            leases.firstIndex { $0 === lease } ?? -1
        }
    }

    @Test func `connections are made as they are needed, up to the limit`() {
        let table = Table()
        expect(table.steps, equals: [])
        for name in ["a", "b", "c"] { table.wait(name) }
        expect(table.steps, equals: ["connect", "connect"])
        table.opened()
        expect(table.steps, equals: ["a on 0"])
        table.returned(0)
        expect(table.steps, equals: ["b on 0"])
        table.opened()
        expect(table.steps, equals: ["c on 1"])
        table.returned(1)
        table.returned(0)
        // The one that was used last.
        table.wait("d")
        expect(table.steps, equals: ["d on 0"])
        table.wait("e")
        expect(table.steps, equals: ["e on 1"])
        table.wait("f")
        expect(table.steps, equals: [])
    }

    @Test func `where a connection ends in a use, those that nobody uses are closed`() {
        let table = Table(limit: 3)
        for name in ["a", "b", "c"] { table.wait(name) }
        expect(table.steps, equals: ["connect", "connect", "connect"])
        for _ in 0..<3 { table.opened() }
        expect(table.steps, equals: ["a on 2", "b on 1", "c on 0"])
        table.returned(1)
        table.returned(2)
        table.lost(hasEnded: true)
        table.wait("d")
        expect(table.steps, equals: ["close 2", "close 1", "connect"])
        table.lost()
        table.lost()
        table.opened()
        expect(table.steps, equals: ["d on 3"])
    }

    @Test func `uses come in their order, without those that were cancelled`() {
        let table = Table(limit: 1)
        for name in ["a", "b", "c", "d"] { table.wait(name) }
        expect(table.steps, equals: ["connect"])
        for name in ["a", "c"] { table.cancel(name) }
        table.opened()
        expect(table.steps, equals: ["a: cancelled", "b on 0", "c: cancelled"])
        table.wait("e")
        // One whose connection turned out to be gone is the first again.
        table.turns.lost(table.uses[1].use)
        expect(table.steps, equals: ["connect"])
        table.opened()
        expect(table.steps, equals: ["b on 1"])
        table.returned(1)
        expect(table.steps, equals: ["d on 1"])
        table.returned(1)
        expect(table.steps, equals: ["e on 1"])
    }

    @Test func `who waits in vain fails at its deadline`() {
        let table = Table(limit: 1)
        table.wait("a")
        _ = table.steps
        table.opened()
        expect(table.steps, equals: ["a on 0"])
        table.wait("b", seconds: 20)
        table.wait("c", seconds: 10)
        expect(table.turns.wake, equals: Self.start + .seconds(10))
        table.pass(10)
        expect(table.steps, equals: ["c: timedOut"])
        expect(table.turns.wake, equals: Self.start + .seconds(20))
        table.returned(0)
        expect(table.steps, equals: ["b on 0"])
    }

    @Test func `while there is no server, one asks for all, and each waits until its deadline`() {
        let table = Table(limit: 8)
        for name in ["a", "b", "c"] { table.wait(name, seconds: 10) }
        expect(table.steps, equals: ["connect", "connect", "connect"])
        for _ in 0..<3 { table.refused(.cannotConnect) }
        expect(table.steps, equals: [])
        expect(table.turns.wake, equals: Self.start + .seconds(1))
        table.pass(1)
        expect(table.steps, equals: ["connect"])
        table.wait("d", seconds: 20)
        expect(table.steps, equals: [])
        table.pass(9)
        expect(
            table.steps.sorted(),
            equals: ["a: cannotConnect", "b: cannotConnect", "c: cannotConnect"]
        )
        table.opened()
        expect(table.steps, equals: ["d on 0"])
        // Then all of them are asked for again.
        for name in ["e", "f"] { table.wait(name) }
        expect(table.steps, equals: ["connect", "connect"])
    }

    @Test func `where there was never a server, nobody waits longer than one may take to connect`()
    {
        let table = Table(limit: 1, patience: 5)
        table.wait("a")
        expect(table.steps, equals: ["connect"])
        table.pass(4)
        table.refused(.cannotConnect)
        expect(table.steps, equals: [])
        table.pass(1)
        expect(table.steps, equals: ["connect"])
        table.refused(.cannotConnect)
        expect(table.steps, equals: ["a: cannotConnect"])
        // Whoever comes later has that time again.
        table.wait("b")
        expect(table.steps, equals: ["connect"])
        table.refused(.cannotConnect)
        expect(table.steps, equals: [])
        table.pass(1)
        expect(table.steps, equals: ["connect"])
        table.opened()
        expect(table.steps, equals: ["b on 0"])
        // One that was there is waited for.
        table.lost()
        table.wait("c")
        expect(table.steps, equals: ["connect"])
        table.pass(6)
        table.refused(.cannotConnect)
        expect(table.steps, equals: [])
        table.pass(24)
        expect(table.steps, equals: ["c: cannotConnect"])
    }

    @Test func `silence is less of a reason than an answer`() {
        let table = Table(limit: 1, patience: 5)
        table.wait("a")
        expect(table.steps, equals: ["connect"])
        table.refused(.cannotConnect, "silence", isSilence: true)
        table.pass(1)
        expect(table.steps, equals: ["connect"])
        table.refused(.cannotConnect, "it is refused")
        table.pass(4)
        expect(table.steps, equals: ["connect"])
        table.refused(.cannotConnect, "silence", isSilence: true)
        expect(table.steps, equals: ["a: cannotConnect"])
        expect(table.reasons, equals: ["there was no connection in time: it is refused"])
    }

    @Test func `whoever comes when nobody waits any more has all of that time`() {
        let table = Table(limit: 1, patience: 5)
        table.wait("a", seconds: 1)
        expect(table.steps, equals: ["connect"])
        table.refused(.cannotConnect)
        table.pass(1)
        expect(table.steps.last, equals: "a: cannotConnect")
        table.pass(10)
        table.wait("b", seconds: 1)
        expect(table.steps, equals: ["connect"])
        table.refused(.cannotConnect)
        expect(table.steps, equals: [])
        table.pass(1)
        expect(table.steps.last, equals: "b: cannotConnect")
    }

    @Test func `a refusal that stays fails who waits, unless there are connections`() {
        let table = Table(limit: 3)
        for name in ["a", "b"] { table.wait(name) }
        _ = table.steps
        table.refused(.authentication)
        expect(table.steps.sorted(), equals: ["a: authentication", "b: authentication"])
        table.refused(.authentication)
        // Whoever comes next tries again.
        table.wait("c")
        expect(table.steps, equals: ["connect"])
        table.opened()
        expect(table.steps, equals: ["c on 0"])
        table.wait("d")
        expect(table.steps, equals: ["connect"])
        table.refused(.authentication)
        expect(table.steps, equals: [])
        table.returned(0)
        expect(table.steps, equals: ["d on 0"])
    }

    @Test func `a server that has no room for more is used as it is`() {
        let table = Table(limit: 3)
        for name in ["a", "b"] { table.wait(name) }
        _ = table.steps
        table.opened()
        expect(table.steps, equals: ["a on 0"])
        table.refused(.tooManyConnections)
        expect(table.steps, equals: [])
        table.returned(0)
        expect(table.steps, equals: ["b on 0"])
    }

    @Test func `what nobody uses is closed after a time, the last used last`() {
        let table = Table()
        for name in ["a", "b"] { table.wait(name) }
        _ = table.steps
        table.opened()
        table.opened()
        expect(table.steps, equals: ["a on 1", "b on 0"])
        table.returned(1)
        table.pass(10)
        table.returned(0)
        expect(table.turns.wake, equals: Self.start + .seconds(60))
        table.pass(50)
        expect(table.steps, equals: ["close 1"])
        table.turns.lost()
        table.pass(10)
        expect(table.steps, equals: ["close 0"])
        table.turns.lost()
        expect(table.turns.wake, equals: nil)
        table.wait("c")
        expect(table.steps, equals: ["connect"])
    }

    @Test func `everything that was asked for before is done before the end`() {
        let table = Table(limit: 1)
        for name in ["a", "b"] { table.wait(name) }
        expect(table.steps, equals: ["connect"])
        table.turns.close()
        expect(table.steps, equals: [])
        table.opened()
        expect(table.steps, equals: ["a on 0"])
        table.returned(0)
        expect(table.steps, equals: ["b on 0"])
        table.returned(0)
        expect(table.steps, equals: ["close 0"])
        table.turns.lost()
        expect(table.steps, equals: ["end"])
        expect(table.steps, equals: [])
        let empty = Table()
        empty.turns.close()
        expect(empty.steps, equals: ["end"])
    }
}
