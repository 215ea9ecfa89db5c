import ModelKitFields
import TestSupport
import Testing

/// What becomes of the fields that a computation sets, which it should not.
@Suite(.timeLimit(.minutes(10))) struct ComputedSettingTests {
    let source = Field<Int>(value: 0)
    let side = Field<Int>(value: 0)

    /// Computes the value of the source, and sets the side to ten times as much.
    private func writer(passing gate: Gate? = nil) -> Computed<Int> {
        Computed { [source, side] in
            let value = source.value ?? 0
            if value != 0 { gate?.pass() }
            side.value = value * 10
            return value
        }
    }

    @Test func `what reads the side and then the computation finds no cycle`() {
        let writer = writer()
        let codes = Log<Diagnostic.Code>()
        let chosen = Watched { [side] in side.value == 50 ? writer.value : -1 }
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            source.value = 5
            expect(writer.value, equals: 5)
        }
        expect(chosen.computed.value, equals: 5)
        expect(chosen.received, equals: [-1, 5])
        expect(codes.entries.isEmpty)
    }

    @Test func `nor does it while another thread is in the computation`() {
        let gate = Gate(at: 1)
        let writer = writer(passing: gate)
        let both = Watched { [side] in [writer.value ?? -1, side.value ?? -1] }
        let codes = Log<Diagnostic.Code>()
        let end = ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            batch {
                source.value = 5
                let end = startWork {
                    ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { _ = writer.value }
                }
                gate.awaitEntry()
                return end
            }
        }
        gate.open()
        expect(end())
        expect(both.computed.value, equals: [5, 50])
        expect(both.received.first, equals: [0, 0])
        expect(both.received.last, equals: [5, 50])
        expect(both.received.allSatisfy { $0?.first != -1 })
        expect(codes.entries.isEmpty)
    }

    @Test func `what is set within a computation that another reads waits for the outer one`() {
        let writer = writer()
        let outer = Computed { writer.value.map { $0 + 1 } }
        let sum = Watched { [side] in side.value == 50 ? outer.value : -1 }
        source.value = 5
        expect(outer.value, equals: 6)
        expect(sum.received, equals: [-1, 6])
    }

    @Test func `what an observer sets within a computation is reported when that ends`() {
        let other = Field<Int>(value: 0)
        let writer = writer()
        side.observe(when: .changes) { other.value = $0 }
        let sum = Watched { other.value == 50 ? writer.value : -1 }
        source.value = 5
        expect(writer.value, equals: 5)
        expect(sum.received, equals: [-1, 5])
    }

    @Test func `what is set untracked, in a batch or deep in a chain waits, too`() {
        let writer = Computed { [source, side] in
            let value = source.value ?? 0
            untracked { batch { side.value = value * 10 } }
            return value
        }
        let sum = Watched { [side] in side.value == 50 ? writer.value : -1 }
        onSmallStack { [source] in
            var last = writer
            for _ in 1..<2000 { last = Computed { [last] in last.value } }
            source.value = 5
            expect(last.value, equals: 5)
        }
        expect(sum.received, equals: [-1, 5])
    }

    @Test func `what is set again and again is reported once`() {
        let writer = Computed { [source, side] in
            let value = source.value ?? 0
            for step in 0...1000 where value > 0 { side.value = value * step }
            return value
        }
        let sum = Watched { [side] in side.value }
        source.value = 5
        expect(writer.value, equals: 5)
        expect(sum.received, equals: [0, 5000])
    }

    @Test func `one that an observer has read in the computation is right when that is done`() {
        let writer = writer()
        let sum = Computed { [side] in (writer.value ?? -1) + (side.value ?? 0) }
        let next = Computed { sum.value }
        expect(next.value, equals: 0)
        side.observe(when: .changes) { _ in _ = next.value }
        source.value = 5
        let codes = Log<Diagnostic.Code>()
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { expect(writer.value, equals: 5) }
        expect(Set(codes.entries), equals: [.computedCycle])
        expect(sum.value, equals: 55)
        expect(next.value, equals: 55)
    }

    @Test(arguments: [10, 100, 1000])
    func `observers of a chain get what a computation sets`(length: Int) {
        let last = Watched(chain(of: length))
        side.value = 1
        expect(writer().value, equals: 0)
        source.value = 5
        expect(writer().value, equals: 5)
        expect(last.received, equals: [0, 1, 0, 50])
    }

    @Test(arguments: [10, 100, 1000])
    func `a computation reads from a chain what it has set`(length: Int) {
        let last = chain(of: length)
        let inner = writer()
        let outer = Computed { () -> [Int?] in
            let value = inner.value
            return [value, last.value]
        }
        for value in [5, 6] {
            let before = side.value
            source.value = value
            // It is right when the computation begins.
            expect(last.value, equals: before)
            expect(outer.value, equals: [value, value * 10])
            expect(outer.value, equals: [value, value * 10])
        }
    }

    @Test(arguments: [10, 100, 1000])
    func `a computation reads from a chain what an observer of another's side has set`(length: Int)
    {
        let other = Field<Int>(value: 0)
        other.observe(when: .changes) { [side] in side.value = $0 }
        let last = chain(of: length)
        let inner = Computed { [source] in
            other.value = source.value
            return source.value
        }
        let outer = Computed { [inner.value, last.value] }
        for value in [5, 6] {
            let before = side.value
            source.value = value
            expect(last.value, equals: before)
            expect(outer.value, equals: [value, value])
        }
    }

    @Test(arguments: [10, 100, 1000])
    func `an observer that a computation adds to a chain misses nothing`(length: Int) {
        let last = chain(of: length)
        let log = Log<Int?>()
        let adder = Computed { [source, side] in
            let value = source.value
            if value == 5 {
                let end = startWork { side.value = 50 }
                expect(end())
                last.observe { log.add($0) }
            }
            return value
        }
        source.value = 5
        expect(last.value, equals: 0)
        expect(adder.value, equals: 5)
        expect(log.entries, equals: [50])
        side.value = 60
        expect(log.entries, equals: [50, 60])
    }

    /// The side, read by computed fields that read each other.
    private func chain(of length: Int) -> Computed<Int> {
        var last = Computed { [side] in side.value }
        for _ in 1..<length { last = Computed { [last] in last.value } }
        return last
    }
}
