import ModelKitFields
import TestSupport
import Testing

@Suite struct EvaluationCaseTests {
    @Test func `the computation waits for the first read, and its result is kept`() {
        let number = Field<Int>(value: 0)
        let unread = Tallied { number.value }
        let same = Tallied { number.value }
        expect(same.runs, equals: 0)
        expect(same.value, equals: 0)
        expect(same.value, equals: 0)
        expect(same.runs, equals: 1)
        number.value = 1
        expect(same.value, equals: 1)
        expect(unread.runs, equals: 0)
    }

    @Test func `it is right after every set`() {
        let number = Field<Int>(value: 0)
        let double = Computed { number.value.map { $0 * 2 } }
        for value in [0, 1, 5] {
            number.value = value
            expect(double.value, equals: value * 2)
        }
    }

    @Test func `several sets before a read are one run`() {
        let (left, right) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let sum = Tallied { (left.value ?? 0) + (right.value ?? 0) }
        expect(sum.value, equals: 0)
        left.value = 1
        right.value = 1
        expect(sum.value, equals: 2)
        expect(sum.runs, equals: 2)
    }

    @Test func `an observer at the end of a chain is notified before the value is read again`() {
        let number = Field<Int>(value: 0)
        let same = Computed { number.value }
        let watched = Watched { same.value }
        number.value = 1
        expect(watched.received, equals: [0, 1])
        expect(watched.computed.value, equals: 1)
        expect(watched.received, equals: [0, 1])
    }

    @Test func `two that read one field run in the order in which they are read`() {
        let number = Field<Int>(value: 0)
        let order = Log<String>()
        let nodes = ["a", "b"].map { name in
            Computed { () -> Int? in
                order.add(name)
                return number.value
            }
        }
        for node in nodes { expect(node.value, equals: 0) }
        number.value = 1
        for node in nodes.reversed() { expect(node.value, equals: 1) }
        expect(order.entries, equals: ["a", "b", "b", "a"])
    }

    @Test func `one that reads nothing runs once`() {
        let constant = Tallied { 42 }
        expect(constant.value, equals: 42)
        Field<Int>(value: 1).value = 2
        expect(constant.value, equals: 42)
        expect(constant.runs, equals: 1)
    }

    @Test func `it is right without an observer as with one that was`() {
        let number = Field<Int>(value: 0)
        let double = Computed { number.value.map { $0 * 2 } }
        Watched(double).observation.cancel()
        for value in [5, 10] {
            number.value = value
            expect(double.value, equals: value * 2)
        }
    }

    @Test func `nil is a result like others`() {
        let number = Field<Int>(value: 0)
        let nonzero = Tallied { number.value == 0 ? nil : number.value }
        let watched = Watched(nonzero.computed)
        expect(nonzero.value, equals: nil)
        expect(nonzero.value, equals: nil)
        expect(nonzero.runs, equals: 1)
        number.value = 1
        number.value = 0
        expect(watched.received, equals: [nil, 1, nil])
    }

    @Test func `it may make fields and computed fields of its own`() {
        let number = Field<Int>(value: 0)
        let times10 = Watched { () -> Int? in
            let own = Field<Int>(value: (number.value ?? 0) * 10)
            return Computed { own.value }.value
        }
        number.value = 3
        number.value = 4
        expect(times10.received, equals: [0, 30, 40])
    }

    @Test func `one that is made after a set reads what was set`() {
        let number = Field<Int>(value: 0)
        let double = Computed { number.value.map { $0 * 2 } }
        number.value = 5
        let next = Computed { double.value.map { $0 + 1 } }
        expect(next.value, equals: 11)
        number.value = 10
        expect(next.value, equals: 21)
    }

    @Test func `what comes after runs only when a result differs`() {
        let number = Field<Int>(value: 0)
        let clamped = Computed { number.value.map { min(10, max(0, $0)) } }
        let after = Tallied { clamped.value }
        let last = Tallied { after.value }
        for (value, runs) in [(0, 1), (-1, 1), (5, 2), (11, 3), (20, 3)] {
            number.value = value
            expect(last.value, equals: min(10, max(0, value)))
            expect(after.runs, equals: runs)
            expect(last.runs, equals: runs)
        }
    }

    @Test func `an observer behind a constant is notified once`() {
        let number = Field<Int>(value: 0)
        let same = Computed { number.value }
        let watched = Watched { () -> Int? in
            _ = same.value
            return 5
        }
        number.value = 1
        number.value = 2
        expect(watched.received, equals: [5])
    }

    @Test func `two NaN are the same`() {
        let number = Field<Double>(value: 1)
        let broken = Computed { () -> Double? in (number.value ?? 0) > 1 ? .nan : 5 }
        let after = Tallied { broken.value }
        expect(after.value, equals: 5)
        number.value = 2
        expect(after.value?.isNaN, equals: true)
        number.value = 3
        expect(after.value?.isNaN, equals: true)
        expect(after.runs, equals: 2)
    }

    @Test func `an object that is equal by identity is the same`() {
        let object = Object()
        let number = Field<Int>(value: 0)
        let constant = Computed { () -> Object? in
            _ = number.value
            return object
        }
        let after = Tallied { constant.value }
        expect(after.value === object)
        number.value = 1
        expect(after.value === object)
        expect(after.runs, equals: 1)
    }
}

private final class Object: Equatable, Sendable {
    static func == (left: Object, right: Object) -> Bool { left === right }
}
