import ModelKitFields
import TestSupport
import Testing

/// Computations that set fields, which they should not.
@Suite struct ComputedWriteCaseTests {
    let source = Field<Int>(value: 0)
    let side = Field<Int>(value: -1)

    /// Computes the value of the source, and sets the side to ten times as much.
    private func writer() -> Computed<Int> {
        Computed { [source, side] in
            let value = source.value
            side.value = (value ?? 0) * 10
            return value
        }
    }

    @Test func `the field has the value when the read returns, and so has what reads it`() {
        let writer = writer()
        let next = Computed { [side] in side.value.map { $0 + 1 } }
        expect(side.value, equals: -1)
        for value in [0, 1, 2] {
            source.value = value
            expect(writer.value, equals: value)
            expect(side.value, equals: value * 10)
            expect(next.value, equals: value * 10 + 1)
        }
    }

    @Test func `observers of the field are notified`() {
        let writer = writer()
        let log = Log<Int?>()
        side.observe { log.add($0) }
        expect(writer.value, equals: 0)
        source.value = 1
        expect(writer.value, equals: 1)
        expect(log.entries, equals: [-1, 0, 10])
    }

    @Test func `observers of what is computed from the field are not notified of an equal value`() {
        let writer = Computed { [source, side] in
            side.value = 0
            return source.value
        }
        expect(writer.value, equals: 0)
        let watched = Watched { [side] in side.value }
        source.value = 1
        expect(writer.value, equals: 1)
        expect(watched.received, equals: [0])
    }

    @Test func `two fields that it sets fit each other`() {
        let other = Field<Int>(value: 0)
        let writer = Computed { [source, side] in
            side.value = source.value.map { $0 + 1 }
            other.value = source.value.map { $0 + 2 }
            return source.value
        }
        let pair = Computed { [side] in [side.value, other.value] }
        for value in [0, 10] {
            source.value = value
            expect(writer.value, equals: value)
            expect(pair.value, equals: [value + 1, value + 2])
        }
    }

    @Test
    func `in a batch the field has the value at once, and its observers are notified at the end`() {
        let writer = writer()
        expect(writer.value, equals: 0)
        let log = Log<Int?>()
        side.observe { log.add($0) }
        batch {
            source.value = 5
            expect(writer.value, equals: 5)
            expect(side.value, equals: 50)
            expect(log.entries, equals: [0])
        }
        expect(log.entries, equals: [0, 50])
    }

    @Test func `one that is reached no more sets nothing`() {
        let isOn = Field<Bool>(value: true)
        let writer = writer()
        let chosen = Computed { isOn.value == true ? writer.value : 999 }
        expect(chosen.value, equals: 0)
        source.value = 1
        expect(chosen.value, equals: 1)
        isOn.value = false
        expect(chosen.value, equals: 999)
        source.value = 2
        expect(chosen.value, equals: 999)
        expect(side.value, equals: 10)
    }

    @Test func `one that reads another sets fields, too`() {
        let outerSide = Field<Int>(value: 0)
        let inner = Computed { [writer = writer()] in writer.value.map { $0 + 1 } }
        let outer = Computed { () -> Int? in
            let value = inner.value
            outerSide.value = value.map { $0 * 100 }
            return value
        }
        for value in [0, 2] {
            source.value = value
            expect(outer.value, equals: value + 1)
            expect(side.value, equals: value * 10)
            expect(outerSide.value, equals: (value + 1) * 100)
        }
    }

    @Test func `what it has set before it throws stays`() {
        struct Failure: Error {}
        let writer = Computed { [source, side] in
            side.value = (source.value ?? 0) * 10
            if source.value != 0 { throw Failure() }
            return source.value
        }
        expect(writer.value, equals: 0)
        source.value = 1
        #expect(throws: Failure.self) { try writer.get() }
        expect(side.value, equals: 10)
    }

    @Test func `an observer of both is notified of both`() {
        let writer = writer()
        let sum = Watched { [side] in (writer.value ?? 0) + (side.value ?? 0) }
        source.value = 5
        expect(sum.received.last, equals: 55)
    }

    @Test func `one that sets what it has read runs at each read`() {
        let counter = Tallied { [source] in
            source.value = (source.value ?? 0) + 1
            return source.value
        }
        for value in 1...3 {
            expect(counter.value, equals: value)
            expect(source.value, equals: value)
            expect(counter.runs, equals: value)
        }
    }
}
