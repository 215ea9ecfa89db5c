import ModelKitFields
import TestSupport
import Testing

/// Evaluations within evaluations, each of which asks through a long chain first.
@Suite struct ComputedStackTests {
    // The thread sanitizer has no room for more nested calls.
    @Test(arguments: [1, 5, 40])
    func `nested evaluations that ask through long chains need no stack`(depth: Int) async {
        await #expect(processExitsWith: .success) { [depth] in
            let number = Field<Int>(value: 0)
            var last = Computed { number.value }
            for _ in 0..<depth {
                // The field is asked first, so this runs before what is below is asked.
                last = Computed { [last] () -> Int? in
                    let value = number.value ?? 0
                    return value + (last.value ?? 0)
                }
                for _ in 0..<63 { last = Computed { [last] in last.value } }
            }
            let all = last
            onSmallStack(64 * 1024 * 1024) { _ = all.value }
            number.value = 1
            onSmallStack { precondition(all.value == depth + 1) }
        }
    }

    @Test func `what an observer sets on another stack is computed of all that it is made of`() {
        let (signal, number) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let double = Computed { number.value.map { $0 * 2 } }
        let seen = Log<Int?>()
        double.observe { (value: Int?) in seen.add(value) }
        signal.observe(when: .changes) { (value: Int?) in
            DeepStack.run { number.value = value }
        }
        // It is smaller than what is kept for closures of the user.
        onSmallStack(96 * 1024) {
            signal.value = 1
            signal.value = 2
        }
        expect(seen.entries, equals: [0, 2, 4])
    }

    @Test func `what is read first on another stack is followed from then on`() {
        let (signal, isOn, number) = (Field<Int>(), Field<Int>(value: 0), Field<Int>(value: 1))
        let double = Computed { number.value.map { $0 * 2 } }
        let shown = Computed { isOn.value == 0 ? 0 : double.value }
        let seen = Log<Int?>()
        shown.observe { (value: Int?) in seen.add(value) }
        signal.observe(when: .changes) { (value: Int?) in
            DeepStack.run { isOn.value = value }
        }
        onSmallStack(96 * 1024) {
            signal.value = 1
            number.value = 2
        }
        number.value = 3
        expect(seen.entries, equals: [0, 2, 4, 6])
    }
}
