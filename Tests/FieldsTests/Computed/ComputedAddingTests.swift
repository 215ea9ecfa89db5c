import ModelKitFields
import TestSupport
import Testing

/// What becomes of observers and bindings that are added while a computation runs.
@Suite(.timeLimit(.minutes(10))) struct ComputedAddingTests {
    let number = Field<Int>(value: 1)
    private let box = Log<Computed<Int>>()

    /// Computes the number; the first time it does something before.
    private func same(after first: @escaping @Sendable () -> Void) -> Computed<Int> {
        let runs = Counter()
        return Computed { [number] in
            runs.increment()
            if runs.value == 1 { first() }
            return number.value
        }
    }

    @Test func `an observer that it adds to itself gets its value and all that follow`() {
        let received = Log<Int?>()
        let same = same { [box] in box.entries.first?.observe { received.add($0) } }
        box.add(same)
        expect(same.value, equals: 1)
        expect(received.entries, equals: [nil, 1])
        number.value = 2
        number.value = 3
        expect(received.entries, equals: [nil, 1, 2, 3])
    }

    @Test func `a field that it binds to itself has its value when it ends`() {
        let target = Field<Int>(value: 7)
        let same = same { [box] in box.entries.first?.bind(to: target) }
        box.add(same)
        expect(same.value, equals: 1)
        expect(target.value, equals: 1)
        number.value = 2
        expect(target.value, equals: 2)
    }

    @Test(arguments: [false, true])
    func `an observer that it adds to what reads it gets what comes of it`(isOutermost: Bool) {
        let received = Log<Int?>()
        let inner = same { [box] in box.entries.first?.observe { received.add($0) } }
        let next = Computed { inner.value.map { $0 * 10 } }
        let last = Computed { next.value.map { $0 + 1 } }
        box.add(last)
        let outer = isOutermost ? inner : Computed { inner.value }
        let codes = Log<Diagnostic.Code>()
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { expect(outer.value, equals: 1) }
        // It is asked for a value when there can be none.
        expect(Set(codes.entries), equals: [.computedCycle])
        expect(received.entries, equals: [nil, 11])
        number.value = 2
        expect(received.entries, equals: [nil, 11, 21])
        expect(last.value, equals: 21)
    }

    @Test func `a field that it binds to what reads it has what comes of it`() {
        let target = Field<Int>(value: 7)
        let inner = same { [box] in box.entries.first?.bind(to: target) }
        let next = Computed { inner.value.map { $0 * 10 } }
        box.add(next)
        ModelKitDiagnostics.withHandler({ _ in }) { expect(inner.value, equals: 1) }
        expect(target.value, equals: 10)
        number.value = 2
        expect(target.value, equals: 20)
    }

    @Test func `one that an observer adds of what it sets gets what comes of it`() {
        let side = Field<Int>(value: 0)
        let inner = Computed { [number] in
            side.value = number.value
            return number.value
        }
        let next = Computed { inner.value.map { $0 * 10 } }
        let received = Log<Int?>()
        let calls = Counter()
        side.observe(when: .changes) { (_: Int?) in
            calls.increment()
            if calls.value == 1 { next.observe { received.add($0) } }
        }
        ModelKitDiagnostics.withHandler({ _ in }) { expect(inner.value, equals: 1) }
        expect(received.entries, equals: [nil, 10])
        number.value = 2
        expect(received.entries, equals: [nil, 10, 20])
    }

    @Test func `one that adds an observer to itself each time comes to rest`() {
        let received = Log<Int?>()
        let same = Tallied { [number, box] in
            box.entries.first?.observe(when: .changes) { (value: Int?) in received.add(value) }
            return number.value
        }
        box.add(same.computed)
        expect(same.value, equals: 1)
        number.value = 2
        expect(same.runs, equals: 2)
        expect(received.entries, equals: [1, 2, 2])
    }

    @Test func `of observed ones that read each other there are few reports`() {
        let codes = Log<Diagnostic.Code>()
        let first = Computed { [number, box] in box.entries.first?.value ?? number.value }
        let second = Computed { first.value }
        box.add(second)
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            let observation = first.observe { (_: Int?) in }
            number.value = 2
            observation.cancel()
        }
        expect(Set(codes.entries), equals: [.computedCycle])
        expect(codes.count < 100)
    }
}
