import ModelKitFields
import TestSupport
import Testing

/// For whom a computed field is computed, as observers, bound fields and readers come and go.
@Suite struct ComputedDemandTests {
    private let number = Field<Int>(value: 1)
    private let evaluations = Counter()

    private func makeDouble() -> Computed<Int> {
        Computed { [number, evaluations] in
            evaluations.increment()
            return number.value.map { $0 * 2 }
        }
    }

    /// Sets the number, and says how many evaluations that takes.
    private func set(_ value: Int) -> Int {
        let before = evaluations.value
        number.value = value
        return evaluations.value - before
    }

    @Test func `each set takes one evaluation while there is somebody, and then none`() {
        let double = makeDouble()
        let log = Log<Int?>()
        expect(set(2), equals: 0)
        let observation = double.observe { (value: Int?) in log.add(value) }
        expect(set(3), equals: 1)
        // More than a list of bindings holds without an index.
        let fields = (0..<40).map { _ in Field<Int>() }
        for (index, field) in fields.enumerated() {
            double --> field
            expect(set(10 + index), equals: 1)
            expect(field.value, equals: 20 + 2 * index)
        }
        expect(fields.allSatisfy { $0.value == 98 })
        for (index, field) in fields.enumerated() {
            double -/-> field
            expect(set(50 + index), equals: 1)
            expect(field.value, equals: index == 0 ? 98 : 98 + 2 * index)
        }
        expect(log.entries, equals: [4, 6] + (10..<90).map { 2 * $0 })
        observation.cancel()
        expect(set(100), equals: 0)
        expect(set(101), equals: 0)
        expect(log.count, equals: 82)
        expect(double.value, equals: 202)
        // All at once, where no set brings the list up to date in between.
        for field in fields { double --> field }
        expect(set(102), equals: 1)
        for field in fields { double -/-> field }
        expect(set(103), equals: 0)
        expect(fields.allSatisfy { $0.value == 204 })
    }

    @Test func `one that is bound and disposed of stays as it is for all`() {
        let double = makeDouble()
        let (bound, log) = (Field<Int>(), Log<Int?>())
        double --> bound
        let next = Computed { double.value.map { $0 + 1 } }
        next.observe { (value: Int?) in log.add(value) }
        double.dispose()
        expect(set(2), equals: 0)
        expect(bound.value, equals: 2)
        expect(log.entries, equals: [3])
    }

    @Test func `one that dies with the last field bound to it serves who has read it`() {
        let log = Log<Int?>()
        let box = Log<Computed<Int>>()
        box.add(makeDouble())
        var bound: Field<Int>? = Field()
        if let bound { box.entries.first?.bind(to: bound) }
        let next = Computed { box.entries.first?.value }
        next.observe { (value: Int?) in log.add(value) }
        box.clear()
        expect(bound?.value, equals: 2)
        bound = nil
        // Nobody reads it any more once it was different.
        expect(set(2), equals: 1)
        expect(set(3), equals: 0)
        expect(log.entries, equals: [2, nil])
    }

    @Test func `an observer that comes to what is left of one has nothing computed`() {
        let double = Log<Computed<Int>>()
        double.add(makeDouble())
        let next = Computed { double.entries.first?.value }
        expect(next.value, equals: 2)
        let kept = double.entries.first?.onMain
        double.clear()
        let observation = kept?.observe(when: .changes) { (_: Int?) in }
        expect(set(2), equals: 0)
        expect(observation?.isCancelled, equals: true)
        expect(next.value, equals: nil)
    }

    @Test func `what reads two fields of a batch is computed once`() {
        let other = Field<Int>(value: 1)
        let log = Log<Int?>()
        let sum = Computed { [number, evaluations] () -> Int? in
            evaluations.increment()
            return (number.value ?? 0) + (other.value ?? 0)
        }
        sum.observe { (value: Int?) in log.add(value) }
        batch {
            number.value = 10
            other.value = 20
        }
        expect(evaluations.value, equals: 2)
        expect(log.entries, equals: [2, 30])
    }
}
