import ModelKitFields
import TestSupport
import Testing

/// A set returns when all that is bound has its value or a newer one, also where another thread has
/// brought that and is still on its way.
@Suite(.timeLimit(.minutes(10))) struct TransformRaceTests {
    @Test func `a value that overtakes a transform is brought to the end`() {
        let source = Field<Int>(value: 0)
        let fields = (0..<3).map { _ in Field<Gated>(value: Gated(number: 0)) }
        fields[0] --> fields[1] --> fields[2]
        // Called when the fields are bound and for the set.
        let converting = Gate(at: 2)
        source.bind(to: fields[0]) { number in
            converting.pass()
            return number.map { Gated(number: $0) }
        }
        let older = startWork { source.value = 1 }
        converting.awaitEntry()
        let gate = Gate(at: 3)
        let newer = startWork { fields[0].value = Gated(number: 2, gate: gate) }
        gate.awaitEntry()
        expect(fields.map(\.value?.number), equals: [2, 2, 0])
        converting.open()
        expect(older())
        expect(fields.map(\.value?.number), equals: [2, 2, 2])
        gate.open()
        expect(newer())
        expect(fields.map(\.value?.number), equals: [2, 2, 2])
    }

    @Test func `a value that another thread has brought through a transform is carried on`() {
        let source = Field<Int>(value: 0)
        let middle = Field<Int>(value: 0)
        let fields = (0..<2).map { _ in Field<Gated>(value: Gated(number: 0)) }
        fields[0] --> fields[1]
        let gate = Gate(at: 2)
        middle.bind(to: fields[0]) { number in
            number.map { Gated(number: $0, gate: $0 == 2 ? gate : nil) }
        }
        let converting = Gate(at: 2)
        source.bind(to: middle) { number in
            converting.pass()
            return number
        }
        let older = startWork { source.value = 1 }
        converting.awaitEntry()
        let newer = startWork { middle.value = 2 }
        gate.awaitEntry()
        expect(fields.map(\.value?.number), equals: [2, 0])
        converting.open()
        expect(older())
        expect(fields.map(\.value?.number), equals: [2, 2])
        gate.open()
        expect(newer())
        expect(fields.map(\.value?.number), equals: [2, 2])
    }

    @Test func `a value that overtakes another ahead of a transform is carried on behind it`() {
        let first = Field<Gated>(value: Gated(number: 0))
        let middle = Field<Gated>(value: Gated(number: 0))
        let last = Field<Int>(value: 0)
        let end = Field<Gated>(value: Gated(number: 0))
        first --> middle
        let late = Gate(at: 1)
        last.bind(to: end) { number in number.map { Gated(number: $0, gate: $0 == 2 ? late : nil) }
        }
        middle.bind(to: last) { $0?.number }
        // Compared in the first field, then in the middle.
        let early = Gate(at: 2)
        let older = startWork { first.value = Gated(number: 1, gate: early) }
        early.awaitEntry()
        let newer = startWork { middle.value = Gated(number: 2) }
        late.awaitEntry()
        expect([last.value, end.value?.number], equals: [2, 0])
        early.open()
        expect(older())
        expect([last.value, end.value?.number], equals: [2, 2])
        late.open()
        expect(newer())
        expect(end.value?.number, equals: 2)
    }
}
