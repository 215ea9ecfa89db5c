import ModelKitFields
import TestSupport
import Testing

/// Observers that set fields, also those that they observe.
@Suite struct ObserverWriteCaseTests {
    @Test(arguments: [false, true])
    func `what it sets holds the value when the set returns`(isUntracked: Bool) {
        let (number, double) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let watched = Computed { number.value.map { $0 * 2 } }
        watched.observe { (value: Int?) in
            if isUntracked { untracked { double.value = value } } else { double.value = value }
        }
        number.value = 5
        expect(double.value, equals: 10)
    }

    @Test func `the last of several sets is what it gets last`() {
        let number = Field<Int>(value: 0)
        let same = Computed { number.value }
        let direct = Log<Int?>()
        number.observe { direct.add($0) }
        let watched = Watched(same)
        for value in 1...3 { number.value = value }
        expect(direct.entries, equals: [0, 1, 2, 3])
        expect(watched.received, equals: [0, 1, 2, 3])
    }

    @Test func `one that sets what it depends on is notified until it is content`() {
        let (a, b) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let both = Computed { [a.value ?? 0, b.value ?? 0] }
        let log = Log<[Int]?>()
        both.observe { (values: [Int]?) in
            log.add(values)
            if let values, values[0] > 0, values[1] == 0 { b.value = values[0] }
        }
        a.value = 5
        expect(log.entries, equals: [[0, 0], [5, 0], [5, 5]])
    }

    @Test func `one that sets a constant comes to rest`() {
        let number = Field<Int>(value: 0)
        let log = Log<Int?>()
        number.observe(when: .changes) { (value: Int?) in
            log.add(value)
            number.value = 999
        }
        number.value = 1
        expect(log.entries, equals: [1, 999])
    }

    @Test func `one that counts up to a limit comes to rest there`() {
        let number = Field<Int>(value: 0)
        let log = Log<Int?>()
        number.observe { (value: Int?) in
            log.add(value)
            if let value, value < 5 { number.value = value + 1 }
        }
        expect(log.entries, equals: [0, 1, 2, 3, 4, 5])
    }

    // Every change is reported, also one that an observer takes back: nothing is joined outside a batch.

    @Test(arguments: [0, 10])
    func `others get what it changes, after what it received`(corrected: Int) {
        let number = Field<Int>(value: 0)
        number.observe { (value: Int?) in if value == 1 { number.value = corrected } }
        let log = Log<Int?>()
        number.observe { log.add($0) }
        let watched = Watched { number.value }
        number.value = 1
        expect(number.value, equals: corrected)
        expect(log.entries, equals: [0, 1, corrected])
        expect(watched.received, equals: [0, 1, corrected])
    }

    @Test func `one that resets by way of a computed field is notified of both, each time`() {
        let isOn = Field<Bool>(value: false)
        let same = Computed { isOn.value }
        let log = Log<Bool?>()
        same.observe { (value: Bool?) in
            log.add(value)
            if value == true { isOn.value = false }
        }
        for _ in 0..<2 {
            isOn.value = true
            expect(isOn.value, equals: false)
        }
        expect(log.entries, equals: [false, true, false, true, false])
    }

    @Test(arguments: [0, 1])
    func `one that resets when it is added, or later, goes on to`(start: Int) {
        let number = Field<Int>(value: start)
        let same = Computed { number.value }
        same.observe { (value: Int?) in if let value, value > 0 { number.value = 0 } }
        expect(number.value, equals: 0)
        for value in 1...3 {
            number.value = value
            expect(number.value, equals: 0)
        }
    }

    @Test func `what is computed from what one sets and from what it gets is right at the end`() {
        let (a, b) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let first = Watched { a.value }
        first.computed.observe { (value: Int?) in if value == 1 { b.value = 10 } }
        let sum = Watched { (a.value ?? 0) + (b.value ?? 0) }
        a.value = 1
        expect(sum.received.last, equals: 11)
        expect(sum.computed.value, equals: 11)
    }

    @Test func `what is computed from what two set is right at the end`() {
        let a = Field<Int>(value: 0)
        let outs = [Field<Int>(value: 0), Field<Int>(value: 0)]
        let same = Computed { a.value }
        for (index, out) in outs.enumerated() {
            same.observe { (value: Int?) in if value == 1 { out.value = (index + 1) * 10 } }
        }
        let sum = Watched { outs.reduce(0) { $0 + ($1.value ?? 0) } }
        a.value = 1
        expect(sum.received.last, equals: 30)
    }

    @Test func `its sets are reported one by one, or together in a batch`() {
        let number = Field<Int>(value: 0)
        let outs = [Field<Int>(value: 1), Field<Int>(value: 2)]
        let isBatch = Field<Bool>(value: false)
        number.observe(when: .changes) { (value: Int?) in
            let set = { @Sendable in
                for (index, out) in outs.enumerated() { out.value = (value ?? 0) + index + 1 }
            }
            if isBatch.value == true { batch { set() } } else { set() }
        }
        let pair = Watched { outs.map { $0.value ?? 0 } }
        number.value = 10
        expect(pair.received, equals: [[1, 2], [11, 2], [11, 12]])
        isBatch.value = true
        number.value = 20
        expect(pair.received.dropFirst(3), equals: [[21, 22]])
    }

    @Test func `a batch of its own joins what it sets`() {
        let (number, out) = (Field<Int>(value: 0), Field<Int>(value: 0))
        number.observe { (_: Int?) in
            batch {
                out.value = (out.value ?? 0) + 10
                out.value = (out.value ?? 0) + 1
            }
        }
        let log = Log<Int?>()
        out.observe { log.add($0) }
        number.value = 1
        expect(log.entries, equals: [11, 22])
    }

    @Test func `it reads what it has set, and so do those that are notified after it`() {
        let (isOn, number) = (Field<Bool>(value: false), Field<Int>(value: 0))
        let log = Log<Int?>()
        isOn.observe(when: .changes) { (_: Bool?) in
            number.value = 1
            log.add(number.value)
        }
        isOn.observe(when: .changes) { (_: Bool?) in log.add(number.value) }
        isOn.value = true
        expect(log.entries, equals: [1, 1])
    }

    @Test(arguments: [1, 40])
    func `an observer that a computation adds reads what it has set`(depth: Int) {
        let (bottom, side) = (Field<Int>(value: 0), Field<Int>(value: 0))
        var deep = Computed { bottom.value }
        for _ in 0..<depth { deep = Computed { [deep] in deep.value } }
        expect(deep.value, equals: 0)
        let log = Log<Int?>()
        let adding = Computed { [deep] in
            side.observe { (_: Int?) in
                bottom.value = 5
                log.add(deep.value)
            }.cancel()
            return side.value
        }
        expect(adding.value, equals: 0)
        expect(log.entries, equals: [5])
    }
}
