import ModelKitFields
import TestSupport
import Testing

@Suite struct UntouchedCaseTests {
    @Test(arguments: [false, true])
    func `a set of the value that was there makes nothing run`(isObserved: Bool) {
        let number = Field<Int>(value: 1)
        let same = Tallied { number.value }
        let watched = isObserved ? Watched(same.computed) : nil
        expect(same.value, equals: 1)
        number.value = 1
        expect(same.value, equals: 1)
        expect(same.runs, equals: 1)
        _ = watched
    }

    @Test func `what an observer reads that a computation adds is nothing to the computation`() {
        let (number, side, other) = (
            Field<Int>(value: 1), Field<Int>(value: 1), Field<Int>(value: 1)
        )
        let same = Tallied { () -> Int? in
            side.observe { (_: Int?) in _ = other.value }.cancel()
            return number.value
        }
        expect(same.value, equals: 1)
        other.value = 2
        expect(same.value, equals: 1)
        expect(same.runs, equals: 1)
    }

    @Test func `what an observer reads that a computation calls by a set is nothing to it`() {
        let (number, side, other) = (
            Field<Int>(value: 1), Field<Int>(value: 1), Field<Int>(value: 1)
        )
        side.observe { (_: Int?) in _ = other.value }
        let same = Tallied { () -> Int? in
            side.value = number.value
            return number.value
        }
        expect(same.value, equals: 1)
        other.value = 2
        expect(same.value, equals: 1)
        expect(same.runs, equals: 1)
    }
}
