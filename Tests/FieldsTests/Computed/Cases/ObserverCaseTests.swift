import ModelKitFields
import TestSupport
import Testing

@Suite struct ObserverCaseTests {
    @Test func `it is notified when it is added, at each change, and no more when it is cancelled`()
    {
        let text = Field<String>(value: "a")
        let watched = Watched { text.value }
        expect(watched.received, equals: ["a"])
        text.value = "b"
        text.value = "c"
        watched.observation.cancel()
        text.value = "d"
        text.value = "e"
        expect(watched.received, equals: ["a", "b", "c"])
    }

    // There is no cleanup: an observer is handed the old value, and what its closure holds is released at the end.

    @Test func `it is handed the value that it has to clean up after`() {
        let number = Field<Int>(value: 0)
        let same = Computed { number.value }
        let log = Log<String>()
        same.observe { old, new in
            if let old { log.add("end \(old)") }
            log.add("run \(new ?? -1)")
        }
        number.value = 1
        number.value = 2
        expect(log.entries, equals: ["run 0", "end 0", "run 1", "end 1", "run 2"])
    }

    @Test func `what it holds is released when it is cancelled, once`() {
        let number = Field<Int>(value: 0)
        let same = Computed { number.value }
        let ends = Counter()
        let observation = same.observe { [last = Last { ends.increment() }] (_: Int?) in
            withExtendedLifetime(last) {}
        }
        number.value = 1
        expect(ends.value, equals: 0)
        observation.cancel()
        expect(ends.value, equals: 1)
        observation.cancel()
        expect(ends.value, equals: 1)
    }

    @Test func `what it reads, and what is read when it ends, makes nothing call it`() {
        let (number, other) = (Field<Int>(value: 0), Field<Int>(value: 100))
        let same = Computed { number.value }
        let inner = same.observe { [last = Last { _ = other.value }] (_: Int?) in
            withExtendedLifetime(last) { _ = other.value }
        }
        let calls = Counter()
        same.observe { (value: Int?) in
            calls.increment()
            if value == 1 { inner.cancel() }
        }
        number.value = 1
        expect(calls.value, equals: 2)
        other.value = 200
        expect(calls.value, equals: 2)
    }

    @Test func `it may cancel itself`() {
        let number = Field<Int>(value: 0)
        let same = Computed { number.value }
        let (log, box) = (Log<Int?>(), Log<Observation>())
        box.add(
            same.observe { (value: Int?) in
                log.add(value)
                if value == 1 { box.entries.first?.cancel() }
            }
        )
        number.value = 1
        number.value = 2
        expect(log.entries, equals: [0, 1])
        box.clear()
    }

    @Test func `a computation that ends its own computed field goes on, and does not run again`() {
        let (first, second) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let box = Log<Computed<Int>>()
        let sum = Tallied { () -> Int? in
            if first.value == 1 { box.entries.first?.dispose() }
            return (first.value ?? 0) + (second.value ?? 0)
        }
        box.add(sum.computed)
        let watched = Watched(sum.computed)
        first.value = 1
        second.value = 1
        first.value = 2
        expect(sum.runs, equals: 2)
        expect(watched.received, equals: [0])
        box.clear()
    }

    @Test func `one that a computation cancels does not get its result; others do`() {
        let number = Field<Int>(value: 0)
        let box = Log<Observation>()
        let same = Computed { () -> Int? in
            if number.value == 1 { box.entries.first?.cancel() }
            return number.value
        }
        let (first, second) = (Watched(same), Watched(same))
        box.add(first.observation)
        for value in 1...3 { number.value = value }
        expect(first.received, equals: [0])
        expect(second.received, equals: [0, 1, 2, 3])
        box.clear()
    }

    @Test func `one may be cancelled by a computation beside one with an equal result`() {
        let number = Field<Int>(value: 0)
        let box = Log<Observation>()
        let constant = Computed { number.value.map { $0 * 0 } }
        let ending = Computed { () -> Int? in
            if number.value == 1 { box.entries.first?.cancel() }
            return number.value
        }
        let both = Watched { () -> Int? in
            (_, _) = (constant.value, ending.value)
            return 0
        }
        box.add(both.observation)
        number.value = 1
        number.value = 2
        expect(both.received, equals: [0])
        expect(ending.value, equals: 2)
        box.clear()
    }

    @Test func `several are notified in the order in which they were added`() {
        let number = Field<Int>(value: 0)
        let same = Computed { number.value }
        let log = Log<Int>()
        for place in 1...3 { same.observe { (_: Int?) in log.add(place) } }
        log.clear()
        number.value = 1
        number.value = 2
        expect(log.entries, equals: [1, 2, 3, 1, 2, 3])
    }

    @Test func `one that comes after another has ended is notified as if that had not been`() {
        let number = Field<Int>(value: 0)
        let same = Computed { number.value }
        let first = Watched(same)
        first.observation.cancel()
        number.value = 1
        let second = Watched(same)
        number.value = 2
        expect(first.received, equals: [0])
        expect(second.received, equals: [1, 2])
    }

    @Test func `a computed field that it makes is right`() {
        let number = Field<Int>(value: 1)
        let made = Log<Computed<Int>>()
        let same = Computed { number.value }
        same.observe { (_: Int?) in made.add(Computed { number.value }) }
        for value in 2...3 {
            number.value = value
            expect(made.entries.map(\.value), equals: Array(repeating: value, count: value))
        }
    }
}
