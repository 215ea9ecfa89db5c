import ModelKitFields
import TestSupport
import Testing

@Suite struct BatchCaseTests {
    let a = Field<Int>(value: 0)
    let b = Field<Int>(value: 0)

    @Test func `only the end of the outermost notifies, and only of the last values`() {
        let watched = Watched { [a] in a.value }
        batch {
            a.value = 1
            batch {
                a.value = 2
                expect(a.value, equals: 2)
            }
            expect(watched.received, equals: [0])
            a.value = 3
        }
        expect(watched.received, equals: [0, 3])
    }

    @Test func `a chain is right when it is read inside`() {
        let first = Computed { [a] in a.value.map { $0 + 1 } }
        let second = Computed { first.value.map { $0 * 2 } }
        batch {
            a.value = 5
            expect(second.value, equals: 12)
            expect(first.value, equals: 6)
        }
    }

    @Test func `a closure that throws reports what it set, and the next batch is like others`() {
        struct Stop: Error {}
        let watched = Watched { [a] in a.value }
        #expect(throws: Stop.self) {
            try batch {
                a.value = 1
                throw Stop()
            }
        }
        expect(watched.received, equals: [0, 1])
        a.value = 2
        batch { a.value = 3 }
        a.value = 4
        expect(watched.received, equals: [0, 1, 2, 3, 4])
        expect(a.value, equals: 4)
    }

    @Test func `an observer that is added inside gets at once what was set before`() {
        batch {
            a.value = 42
            let watched = Watched { [a] in a.value }
            expect(watched.received, equals: [42])
        }
    }

    @Test func `two fields are one call`() {
        let both = Watched { [a, b] in [a.value ?? 0, b.value ?? 0] }
        batch {
            a.value = 1
            b.value = 1
        }
        expect(both.received, equals: [[0, 0], [1, 1]])
    }

    @Test func `an equal result is no call`() {
        let sum = Watched { [a, b] in (a.value ?? 0) + (b.value ?? 0) }
        batch {
            a.value = 1
            b.value = -1
        }
        expect(sum.received, equals: [0])
        expect(sum.computed.value, equals: 0)
    }

    @Test func `sets that are taken back are no call, and no run after the first`() {
        let double = Tallied { [a] in a.value.map { $0 * 2 } }
        let last = Tallied { double.value }
        let watched = Watched(last.computed)
        let changes = Counter()
        a.observe(when: .changes) { changes.increment() }
        for value in 1...3 {
            batch {
                a.value = value
                a.value = 0
            }
        }
        expect(watched.received, equals: [0])
        expect(changes.value, equals: 0)
        // A field does not keep what it held before the batch: its reader runs again to find that out.
        expect(double.runs <= 4)
        expect(last.runs, equals: 1)
    }

    @Test func `of a field that was set back and one that was not, the latter notifies`() {
        b.value = 10
        let double = Computed { [a] in a.value.map { $0 * 2 } }
        let sum = Watched { [b] in (double.value ?? 0) + (b.value ?? 0) }
        batch {
            a.value = 5
            a.value = 0
            b.value = 20
        }
        expect(sum.received, equals: [10, 20])
    }

    @Test(arguments: [false, true])
    func `an observer that is cancelled inside is not notified`(isSetAfter: Bool) {
        let watched = Watched { [a] in a.value }
        let direct = Log<Int?>()
        let observation = a.observe { direct.add($0) }
        batch {
            a.value = 1
            watched.observation.cancel()
            observation.cancel()
            if isSetAfter { a.value = 2 }
        }
        expect(watched.received, equals: [0])
        expect(direct.entries, equals: [0])
    }

    @Test func `reading one does not notify the observers of another early`() {
        let next = Computed { [a] in a.value.map { $0 + 1 } }
        let double = Watched { [a] in a.value.map { $0 * 2 } }
        batch {
            a.value = 5
            expect(next.value, equals: 6)
            expect(double.computed.value, equals: 10)
            expect(double.received, equals: [0])
        }
        expect(double.received, equals: [0, 10])
    }

    @Test func `what an observer sets at its end is reported, too`() {
        a.observe { [b] in b.value = $0 }
        let watched = Watched { [b] in b.value }
        batch { a.value = 1 }
        expect(watched.received, equals: [0, 1])
    }

    @Test func `one that throws at its end does not keep others from being notified`() {
        struct Failure: Error {}
        let broken = Watched { [a] () throws -> Int? in
            if let value = a.value, value > 0 { throw Failure() }
            return a.value
        }
        let watched = Watched { [a] in a.value }
        batch { a.value = 1 }
        expect(broken.received, equals: [0, nil])
        expect(watched.received, equals: [0, 1])
    }

    @Test func `it returns what the closure returns, in an untracked closure as well`() {
        let watched = Watched { [a] in a.value }
        let result = untracked {
            batch {
                for value in 1...3 { a.value = value }
                return 42
            }
        }
        expect(result, equals: 42)
        expect(watched.received, equals: [0, 3])
    }
}
