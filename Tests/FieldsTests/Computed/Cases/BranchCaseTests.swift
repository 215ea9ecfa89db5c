import ModelKitFields
import TestSupport
import Testing

/// Computations that read now this and now that.
@Suite struct BranchCaseTests {
    @Test func `only the branch that is taken makes it run, before and after the switch`() {
        let isLeft = Field<Bool>(value: true)
        let left = Field<String>(value: "a")
        let right = Field<String>(value: "b")
        let chosen = Tallied { isLeft.value == true ? left.value : right.value }
        expect(chosen.value, equals: "a")
        right.value = "bb"
        expect(chosen.value, equals: "a")
        expect(chosen.runs, equals: 1)
        left.value = "aa"
        expect(chosen.value, equals: "aa")
        isLeft.value = false
        expect(chosen.value, equals: "bb")
        expect(chosen.runs, equals: 3)
        left.value = "aaa"
        expect(chosen.value, equals: "bb")
        expect(chosen.runs, equals: 3)
        right.value = "bbb"
        expect(chosen.value, equals: "bbb")
        expect(chosen.runs, equals: 4)
    }

    @Test func `an observer is notified by the branch that is taken`() {
        let isOn = Field<Bool>(value: false)
        let text = Field<String>(value: "a")
        let shown = Watched { isOn.value == true ? text.value : "off" }
        text.value = "b"
        isOn.value = true
        text.value = "c"
        isOn.value = false
        text.value = "d"
        isOn.value = true
        expect(shown.received, equals: ["off", "b", "c", "off", "d"])
    }

    @Test func `a source that is new is up to date when it is read`() {
        let isSum = Field<Bool>(value: false)
        let (number, other) = (Field<Int>(value: 1), Field<Int>(value: 10))
        let same = Computed { number.value }
        let chosen = Computed { isSum.value == true ? same.value : other.value }
        expect(chosen.value, equals: 10)
        isSum.value = true
        number.value = 2
        expect(chosen.value, equals: 2)
        other.value = 11
        expect(chosen.value, equals: 2)
    }

    @Test func `a source may be read directly and through another, by turns`() {
        let number = Field<Int>(value: 0)
        let same = Computed { number.value }
        let chosen = Computed { (number.value ?? 0) > 0 ? number.value : same.value }
        for value in [0, 1, 0, -1, 2] {
            number.value = value
            expect(chosen.value, equals: value)
        }
    }

    @Test func `dropping a source does not take it from another`() {
        let isOn = Field<Bool>(value: true)
        let state = Field<Int>(value: 1)
        let chosen = Watched { isOn.value == true ? state.value : 111 }
        let other = Watched { state.value }
        isOn.value = false
        state.value = 2
        expect(chosen.received, equals: [1, 111])
        expect(other.received, equals: [1, 2])
    }

    @Test func `one that is reached no more does not run`() {
        let number = Field<Int>(value: 1)
        let same = Computed { number.value }
        let skipped = Tallied { same.value.map { $0 + 1 } }
        let last = Computed { same.value == nil ? 0 : skipped.value }
        expect(last.value, equals: 2)
        number.value = nil
        expect(last.value, equals: 0)
        expect(skipped.runs, equals: 1)
    }

    @Test(arguments: [true, false])
    func `nor does it after several sets, in a batch or not`(isBatch: Bool) {
        let (gate, other) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let skipped = Tallied { other.value }
        let last = Computed { () -> Int? in
            guard gate.value == 0 else { return -1 }
            return skipped.value
        }
        expect(last.value, equals: 0)
        let set = { @Sendable in
            other.value = 1
            gate.value = 1
        }
        if isBatch { batch { set() } } else { set() }
        expect(last.value, equals: -1)
        expect(skipped.runs, equals: 1)
        gate.value = 0
        other.value = 2
        expect(last.value, equals: 2)
        expect(skipped.runs, equals: 2)
    }

    @Test func `a gate between them lets through what differs`() {
        let items = Field<[Int]>()
        let isLoaded = Computed { items.value != nil }
        let text = Computed { isLoaded.value == true ? "loaded" : "not loaded" }
        expect(text.value, equals: "not loaded")
        items.value = [1, 2]
        expect(isLoaded.value, equals: true)
        expect(text.value, equals: "loaded")
        let watched = Watched(text)
        items.value = [3]
        items.value = nil
        items.value = [4]
        expect(watched.received, equals: ["loaded", "not loaded", "loaded"])
    }

    @Test func `it runs when one of its sources differs, whichever it is`() {
        let (first, second) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let same = Computed { first.value }
        let mixed = Computed { (first.value ?? 0) % 2 + (second.value ?? 0) }
        let sum = Tallied { (same.value ?? 0) + (mixed.value ?? 0) }
        expect(sum.value, equals: 0)
        first.value = 2
        expect(sum.value, equals: 2)
        second.value = 1
        expect(sum.value, equals: 3)
        expect(sum.runs, equals: 3)
    }

    @Test func `an equal result stops it, however many sets there are`() {
        let number = Field<Int>(value: 0)
        let isOdd = Tallied { number.value.map { $0 % 2 } }
        let after = Tallied { isOdd.value.map { $0 + 1 } }
        let watched = Watched(after.computed)
        for value in [2, 4, 6] { number.value = value }
        expect(isOdd.runs, equals: 4)
        expect(after.runs, equals: 1)
        expect(watched.received, equals: [1])
    }

    @Test func `two that share sources and feed each other follow their own`() {
        let (a, b, step) = (Field<Int>(value: 1), Field<Int>(value: 2), Field<Int>(value: 0))
        let (firstOut, secondOut) = (Field<Int>(), Field<Int>())
        let first = Tallied { () -> Int? in
            let step = step.value ?? 0
            return (step < 2 ? a.value ?? 0 : 0) + (step > 1 ? b.value ?? 0 : 0)
        }
        firstOut <-- first.computed
        let second = Tallied { () -> Int? in
            let step = step.value ?? 0
            return (step > 1 ? a.value ?? 0 : 0) + (step < 3 ? b.value ?? 0 : 0)
                + (firstOut.value ?? 0)
        }
        secondOut <-- second.computed
        expect([firstOut.value, secondOut.value], equals: [1, 3])
        let before = [first.runs, second.runs]
        b.value = 3
        expect([firstOut.value, secondOut.value], equals: [1, 4])
        expect([first.runs, second.runs], equals: [before[0], before[1] + 1])
        step.value = 2
        expect([firstOut.value, secondOut.value], equals: [3, 7])
    }
}
