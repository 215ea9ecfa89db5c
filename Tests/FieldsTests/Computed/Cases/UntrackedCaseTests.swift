import ModelKitFields
import TestSupport
import Testing

@Suite struct UntrackedCaseTests {
    @Test(arguments: [false, true])
    func `what is read in it does not make a computation run`(isBatch: Bool) {
        let (tracked, other) = (Field<Int>(value: 0), Field<Int>(value: 10))
        let sum = Tallied { (tracked.value ?? 0) + (untracked { other.value } ?? 0) }
        let watched = Watched(sum.computed)
        let set = { @Sendable (field: Field<Int>, value: Int) in
            if isBatch { batch { field.value = value } } else { field.value = value }
        }
        set(tracked, 1)
        set(other, 20)
        expect(sum.value, equals: 11)
        expect(sum.runs, equals: 2)
        set(tracked, 2)
        expect(watched.received, equals: [10, 11, 22])
    }

    @Test func `a computed field that is read in it is right`() {
        let number = Field<Int>(value: 0)
        let double = Computed { number.value.map { $0 * 2 } }
        expect(double.value, equals: 0)
        number.value = 5
        expect(untracked { double.value }, equals: 10)
    }

    @Test func `nor does what a computed field has read that is read in it`() {
        let number = Field<Int>(value: 0)
        let double = Computed { number.value.map { $0 * 2 } }
        let first = Tallied { untracked { double.value } }
        let watched = Watched(first.computed)
        for value in 1...2 { number.value = value }
        expect(first.runs, equals: 1)
        expect(watched.received, equals: [0])
    }
}
