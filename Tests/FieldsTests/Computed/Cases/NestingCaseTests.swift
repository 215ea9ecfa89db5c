import ModelKitFields
import TestSupport
import Testing

/// Observers that observers add.
@Suite struct NestingCaseTests {
    @Test func `the outer is notified first, and the inner sees what it received`() {
        let number = Field<Int>(value: 0)
        let log = Log<String>()
        number.observe { (outer: Int?) in
            log.add("outer \(outer ?? -1)")
            number.observe { (inner: Int?) in log.add("inner \(outer ?? -1) \(inner ?? -1)") }
        }
        expect(log.entries, equals: ["outer 0", "inner 0 0"])
        number.value = 1
        expect(log.entries.dropFirst(2), equals: ["outer 1", "inner 1 1", "inner 0 1"])
    }

    @Test(arguments: [false, true])
    func `the inner is notified of its own field only, and so is the outer`(isUntracked: Bool) {
        let (outer, inner) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let (outerLog, innerLog) = (Log<Int?>(), Log<Int?>())
        let same = Computed { outer.value }
        same.observe { (value: Int?) in
            outerLog.add(value)
            let add = { @Sendable in _ = inner.observe { innerLog.add($0) } }
            if isUntracked { untracked { add() } } else { add() }
        }
        for value in 1...3 { inner.value = value }
        expect(outerLog.entries, equals: [0])
        expect(innerLog.entries, equals: [0, 1, 2, 3])
        outer.value = 1
        expect(outerLog.entries, equals: [0, 1])
    }

    @Test func `a field that is read twice is one source`() {
        let number = Field<Int>(value: 0)
        let sum = Watched { (number.value ?? 0) + (number.value ?? 0) }
        number.value = 1
        expect(sum.received, equals: [0, 2])
    }

    @Test func `one that sets its field when it is added is notified of that`() {
        let number = Field<Int>(value: 0)
        let log = Log<Int?>()
        number.observe { (value: Int?) in
            log.add(value)
            if value == 0 { number.value = 1 }
        }
        expect(log.entries, equals: [0, 1])
        expect(number.value, equals: 1)
    }

    @Test func `a field that the outer makes and sets does not call the outer`() {
        let number = Field<Int>(value: 0)
        let (outer, inner) = (Log<Int?>(), Log<Int?>())
        number.observe { (value: Int?) in
            outer.add(value)
            let child = Field<Int>(value: 0)
            child.observe { inner.add($0) }
            child.value = 1
        }
        number.value = 1
        expect(outer.entries, equals: [0, 1])
        expect(inner.entries, equals: [0, 1, 0, 1])
    }

    @Test func `the inner of a computed field with an equal result is not notified`() {
        let number = Field<Int>(value: 0)
        let isOdd = Computed { number.value.map { $0 % 2 } }
        let log = Log<Int?>()
        Computed { 1 }.observe { (_: Int?) in isOdd.observe { log.add($0) } }
        number.value = 2
        expect(log.entries, equals: [0])
    }

    // An observer belongs to nobody unless somebody holds it as scoped.

    @Test func `the end of the outer ends those that its closure holds, at any depth`() {
        let number = Field<Int>(value: 0)
        let log = Log<String>()
        let observation = number.observe { [middle = Log<ScopedObservation>()] (_: Int?) in
            log.add("outer")
            middle.clear()
            middle.add(
                number.observe { [inner = Log<ScopedObservation>()] (_: Int?) in
                    log.add("middle")
                    inner.clear()
                    inner.add(number.observe { (_: Int?) in log.add("inner") }.scoped())
                }.scoped()
            )
        }
        expect(log.entries, equals: ["outer", "middle", "inner"])
        observation.cancel()
        number.value = 1
        expect(log.entries, equals: ["outer", "middle", "inner"])
    }

    @Test func `each call of the outer may end those of the call before`() {
        let (number, first, second) = (
            Field<Int>(value: 0), Field<Int>(value: 0), Field<Int>(value: 0)
        )
        let log = Log<String>()
        number.observe { [scope = Log<ScopedObservation>()] (_: Int?) in
            scope.clear()
            scope.add(first.observe { (_: Int?) in log.add("first") }.scoped())
            scope.add(second.observe { (_: Int?) in log.add("second") }.scoped())
        }
        number.value = 1
        log.clear()
        first.value = 1
        second.value = 1
        expect(log.entries, equals: ["first", "second"])
    }
}
