import ModelKitFields
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CycleCaseTests {
    @Test func `an observer that always counts up is cut off, with a report`() {
        let number = Field<Int>(value: 0)
        let codes = Log<Diagnostic.Code>()
        let calls = Counter()
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            _ = number.observe { (value: Int?) in
                calls.increment()
                number.value = (value ?? 0) + 1
            }
        }
        expect(codes.entries, equals: [.endlessDelivery])
        expect(calls.value <= 200)
    }

    @Test func `one that begins to later is cut off, too`() {
        let (isOn, number) = (Field<Bool>(value: false), Field<Int>(value: 0))
        let codes = Log<Diagnostic.Code>()
        let calls = Counter()
        let both = Computed { [isOn.value == true ? 1 : 0, number.value ?? 0] }
        both.observe { (values: [Int]?) in
            calls.increment()
            if let values, values[0] == 1 { number.value = values[1] + 1 }
        }
        expect(calls.value, equals: 1)
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { isOn.value = true }
        expect(codes.entries, equals: [.endlessDelivery])
        expect(both.value, equals: [1, number.value ?? -1], "it is right all the same")
    }

    @Test func `a computation that catches its own cycle is right when that is gone`() throws {
        let number = Field<Int>(value: 0)
        let box = Log<Computed<Int>>()
        let loop = Computed { () -> Int? in
            guard number.value == 0, let this = box.entries.first else { return number.value }
            do {
                return try this.get()
            } catch {
                return -1
            }
        }
        box.add(loop)
        let codes = Log<Diagnostic.Code>()
        let caught = try ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { try loop.get() }
        expect(caught, equals: -1)
        expect(codes.entries, equals: [.computedCycle])
        number.value = 1
        try expect(loop.get(), equals: 1)
        box.clear()
    }

    @Test(arguments: [2, 3, 7])
    func `fields that count each other up to a limit come to rest there`(length: Int) {
        let fields = (0..<length).map { _ in Field<Int>(value: 0) }
        let calls = Counter()
        for index in fields.indices {
            fields[index].observe(when: .changes) { (value: Int?) in
                calls.increment()
                let isLast = index == length - 1
                guard let value, value < 100 else { return }
                fields[(index + 1) % length].value = isLast ? value + 1 : value
            }
        }
        fields[0].value = 1
        expect(fields[0].value, equals: 100)
        expect(calls.value, equals: 99 * length + 1)
    }

    @Test func `so do those with a computed field in between`() {
        let (a, b) = (Field<Int>(value: 0), Field<Int>(value: 0))
        a.observe(when: .changes) { b.value = $0 }
        let same = Computed { b.value }
        same.observe(when: .changes) { (value: Int?) in
            if let value, value < 100 { a.value = value + 1 }
        }
        a.value = 1
        expect([a.value, b.value, same.value], equals: [100, 100, 100])
    }

    @Test func `those that never rest are cut off, also with a computed field in between`() {
        let (a, b) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let codes = Log<Diagnostic.Code>()
        a.observe(when: .changes) { b.value = $0 }
        let same = Computed { b.value }
        same.observe(when: .changes) { (value: Int?) in a.value = (value ?? 0) + 1 }
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) { a.value = 1 }
        expect(Set(codes.entries), equals: [.endlessDelivery])
        expect(same.value, equals: b.value)
    }

    @Test func `one that sets what it has made and read comes to rest when it is observed`() {
        let number = Field<Int>(value: 1)
        let runs = Counter()
        let twice = Computed { () -> Int? in
            runs.increment()
            // Else it would never end.
            if runs.value >= 1000 { return nil }
            let sum = Field<Int>(value: 0)
            for _ in 0..<2 { sum.value = (sum.value ?? 0) + (number.value ?? 0) }
            return sum.value
        }
        let codes = Log<Diagnostic.Code>()
        let log = Log<Int?>()
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            twice --> { log.add($0) }
            number.value = 2
        }
        expect(log.entries, equals: [2, 4])
        expect(runs.value < 1000)
        expect(Set(codes.entries), equals: [.computedCycle])
    }
}
