import Foundation
import ModelKitFields
import TestSupport
import Testing

/// A thread has one loop, which delivers all that observers set, of whatever field.
@Suite(.timeLimit(.minutes(5))) struct DeliveryLoopTests {
    @Test func `what several observers set is reported after them, in the order of the sets`() {
        let field = Field<Int>(value: 0)
        let others = (0..<4).map { _ in Field<Int>(value: 0) }
        let log = Log<String>()
        for (index, other) in others.enumerated() {
            other.observe(when: .changes) { log.add("got \(index): \($0 ?? -1)") }
        }
        for (first, second) in [(2, 0), (3, 1)] {
            field.observe(when: .changes) { (value: Int?) in
                for index in [first, second] {
                    others[index].value = value
                    log.add("set \(index)")
                }
            }
        }
        field.value = 1
        expect(
            log.entries,
            equals: [
                "set 2", "set 0", "set 3", "set 1", "got 2: 1", "got 0: 1", "got 3: 1",
                "got 1: 1",
            ]
        )
    }

    @Test func `no call runs within another, however deep the sets go`() {
        let fields = (0..<6).map { _ in Field<Int>(value: 0) }
        let texts = (0..<6).map { _ in Field<String>(value: "") }
        let (depth, nested) = (Counter(), Counter())
        let log = Log<Int>()
        @Sendable func enter(_ index: Int, _ body: () -> Void) {
            depth.increment()
            if depth.value > 1 { nested.increment() }
            log.add(index)
            body()
            depth.decrement()
        }
        for index in 0..<6 {
            fields[index].observe(when: .changes) { (value: Int?) in
                enter(index) { texts[index].value = value.map(String.init) }
            }
            texts[index].observe(when: .changes) { (text: String?) in
                enter(10 + index) {
                    if index < 5 { fields[index + 1].value = text.flatMap { Int($0) } }
                }
            }
        }
        fields[0].value = 1
        expect(nested.value, equals: 0)
        expect(log.entries, equals: (0..<6).flatMap { [$0, 10 + $0] })
    }

    @Test func `only the outermost set delivers; one in an observer returns before`() {
        let (outer, inner) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let sum = Computed { (outer.value ?? 0) + (inner.value ?? 0) }
        let (received, sums) = (Log<Int?>(), Log<Int?>())
        inner.observe(when: .changes) { received.add($0) }
        sum.observe(when: .changes) { sums.add($0) }
        outer.observe(when: .changes) { (value: Int?) in
            inner.value = 10
            inner.modify { $0 = 20 }
            batch { inner.value = 30 }
            expect(inner.value, equals: 30)
            expect(sum.value, equals: 31)
            expect(received.entries.isEmpty)
        }
        outer.value = 1
        expect(received.entries, equals: [10, 20, 30])
        expect(sums.entries, equals: [1, 11, 21, 31])
    }

    @Test func `a first call is a part of the loop as well`() {
        let (field, other) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let log = Log<String>()
        other.observe(when: .changes) { log.add("other \($0 ?? -1)") }
        field.observe { (value: Int?) in
            other.value = (value ?? 0) + 1
            log.add("end \(value ?? -1)")
        }
        expect(log.entries, equals: ["end 0", "other 1"])
    }

    @Test func `another thread has its own loop, and does not wait for this one`() {
        let (mine, theirs) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let (afterMine, afterTheirs) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let gate = Gate(at: 1)
        let log = Log<String>()
        let thread = Log<ObjectIdentifier>()
        mine.observe(when: .changes) { (_: Int?) in
            afterMine.value = 1
            gate.pass()
            log.add("mine")
        }
        theirs.observe(when: .changes) { (_: Int?) in
            afterTheirs.value = 1
            log.add("theirs")
        }
        for (field, name) in [(afterMine, "after mine"), (afterTheirs, "after theirs")] {
            field.observe(when: .changes) { (_: Int?) in
                log.add(name)
                thread.add(ObjectIdentifier(Thread.current))
            }
        }
        let waiting = Log<ObjectIdentifier>()
        let end = startWork {
            waiting.add(ObjectIdentifier(Thread.current))
            mine.value = 1
        }
        gate.awaitEntry()
        theirs.value = 1
        expect(log.entries, equals: ["theirs", "after theirs"])
        gate.open()
        expect(end())
        expect(log.entries, equals: ["theirs", "after theirs", "mine", "after mine"])
        expect(thread.entries, equals: [ObjectIdentifier(Thread.current)] + waiting.entries)
    }

    @Test func `what is set of a field that another thread delivers is left to that thread`() {
        let (shared, own) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let gate = Gate(at: 1)
        let log = Log<String>()
        shared.observe(when: .changes) { (value: Int?) in
            gate.pass()
            log.add("shared \(value ?? -1)")
        }
        own.observe(when: .changes) { (value: Int?) in
            shared.value = 2
            log.add("own \(value ?? -1)")
        }
        let end = startWork { shared.value = 1 }
        gate.awaitEntry()
        own.value = 1
        expect(shared.value, equals: 2)
        expect(log.entries, equals: ["own 1"])
        gate.open()
        expect(end())
        expect(log.entries, equals: ["own 1", "shared 1", "shared 2"])
    }
}
