import ModelKitFields
import Observation
import TestSupport
import Testing

@Suite struct ComputedEdgeTests {
    @Test func `a value that came and went within a batch is not reported, though it was read`() {
        let number = Field<Int>(value: 1)
        let same = Computed { number.value }
        let log = Log<Int?>()
        same --> { log.add($0) }
        batch {
            number.value = 2
            expect(same.value, equals: 2)
            number.value = 1
        }
        expect(log.entries, equals: [1])
        number.value = 3
        expect(log.entries, equals: [1, 3])
    }

    @Test func `one that was read in a cycle is right when the cycle is gone`() {
        let isCycle = Field<Bool>(value: true)
        let box = Log<Computed<Int>>()
        let left = Computed { isCycle.value == true ? box.entries.first?.value : 1 }
        let right = Computed { (left.value ?? 0) + 1 }
        box.add(right)
        ModelKitDiagnostics.withHandler({ _ in }) {
            expect(left.value, equals: 1, "right has nothing to add to")
            isCycle.value = false
            expect(left.value, equals: 1)
            expect(right.value, equals: 2)
            isCycle.value = true
            expect(left.value, equals: 1)
            isCycle.value = false
            expect(right.value, equals: 2)
        }
        box.clear()
    }

    @Test func `a cycle is found also by way of an untracked read`() async {
        await #expect(processExitsWith: .success) {
            let codes = Log<Diagnostic.Code>()
            let box = Log<Computed<Int>>()
            let loop = Computed { untracked { (box.entries.first?.value ?? 0) + 1 } }
            box.add(loop)
            let value = ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { loop.value }
            precondition(value == 1 && codes.entries == [.computedCycle])
        }
    }

    @Test func `one that observes itself in its computation comes to rest`() async {
        await #expect(processExitsWith: .success) {
            let number = Field<Int>(value: 1)
            let box = Log<Computed<Int>>()
            let loop = Computed { () -> Int? in
                box.entries.first?.observe(when: .changes) { _, _ in }
                return untracked { box.entries.first?.observed } ?? number.value
            }
            box.add(loop)
            ModelKitDiagnostics.withHandler({ _ in }) {
                precondition(loop.value == 1)
                number.value = 2
                precondition(loop.value == 2)
            }
        }
    }

    @Test func `a long chain of untracked reads needs no stack`() async {
        await #expect(processExitsWith: .success) {
            onSmallStack {
                let top = Field<Int>(value: 0)
                var last = Computed { top.value }
                // The thread sanitizer has no room for more nested calls.
                for _ in 1..<3000 {
                    last = Computed { [last] in untracked { last.value }.map { $0 + 1 } }
                }
                precondition(last.value == 2999)
            }
        }
    }

    @Test func `one that has ended gives a new observer and a bound field its last value`() {
        let number = Field<Int>(value: 1)
        let same = Computed { number.value }
        expect(same.value, equals: 1)
        same.dispose()
        let log = Log<Int?>()
        same.observe { log.add($0) }
        expect(log.entries, equals: [1])
        let target = Field<Int>(value: 7)
        same --> target
        expect(target.value, equals: 1)
    }

    @Test func `one that ends while it is evaluated keeps none of what it reads`() {
        let box = Log<Computed<Int>>()
        weak var weakly: Field<Int>?
        do {
            let number = Field<Int>(value: 1)
            weakly = number
            box.add(
                Computed {
                    box.entries.first?.dispose()
                    return number.value
                }
            )
            expect(box.entries.first?.value, equals: 1)
        }
        expect(weakly == nil)
        box.clear()
    }

    @Test func `when all observers are removed, a bound field keeps it alive no longer`() {
        let number = Field<Int>(value: 1)
        let target = Field<Int>()
        weak var weakly: Computed<Int>?
        do {
            let same = Computed { number.value }
            weakly = same
            same --> target
            same.removeAllObservers()
        }
        expect(weakly == nil)
    }

    @Test func `it does not run for a bound field that is gone`() {
        let number = Field<Int>(value: 1)
        let runs = Counter()
        let same = Computed { () -> Int? in
            runs.increment()
            return number.value
        }
        do {
            let target = Field<Int>()
            target <-- same
        }
        expect(runs.value, equals: 1)
        for value in 2...5 { number.value = value }
        expect(runs.value, equals: 1)
        expect(same.observerCount, equals: 0)
    }

    @Test func `what its computation reads is not tracked by whoever reads the value`() async {
        await #expect(processExitsWith: .success) {
            FieldTracking.enable()
            let number = Field<Int>(value: 1)
            let isOdd = Computed { number.value.map { $0 % 2 == 1 } }
            let notifications = Counter()
            withObservationTracking {
                _ = isOdd.value
            } onChange: {
                notifications.increment()
            }
            number.value = 3
            precondition(notifications.value == 0)
            number.value = 4
            precondition(notifications.value == 1)
        }
    }

    @Test func `what is read when a value dies that it reads no more is nothing to it`() {
        let number = Field<Int>(value: 1)
        let (other, last) = (Field<Int>(value: 1), Field<Int>(value: 1))
        let box = Log<Field<LastReader>>()
        box.add(Field(value: LastReader(of: other)))
        let runs = Counter()
        let sum = Computed { () -> Int? in
            runs.increment()
            if number.value == 1 { return box.entries.first?.value == nil ? nil : 1 }
            return (last.value ?? 0) + (number.value ?? 0)
        }
        expect(sum.value, equals: 1)
        box.clear()
        number.value = 2
        expect(sum.value, equals: 3)
        expect(runs.value, equals: 2)
        other.value = 2
        expect(sum.value, equals: 3)
        expect(runs.value, equals: 2)
        last.value = 2
        expect(sum.value, equals: 4)
    }
}

/// A value that reads a field when it dies.
private final class LastReader: Equatable, Sendable {
    private let field: Field<Int>

    init(of field: Field<Int>) { self.field = field }

    deinit { _ = field.value }

    static func == (left: LastReader, right: LastReader) -> Bool { left === right }
}
