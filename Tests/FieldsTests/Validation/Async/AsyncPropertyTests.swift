import ModelKitFields
import TestSupport
import Testing

/// Sets, validations, resets, steps of the clock and answers in any order: what is known at the end is
/// what holds for the last value.
@Suite(.timeLimit(.minutes(10))) struct AsyncPropertyTests {
    @Test(arguments: [ValidationMode.onChange, .onDemand])
    func `after any order of sets, resets and answers the last value counts`(
        mode: ValidationMode
    ) async {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed: \(seed)")
        var random = SplitMix(seed: seed)
        for _ in 0..<300 { await play(mode, &random, seed) }
    }

    private func play(_ mode: ValidationMode, _ random: inout SplitMix, _ seed: UInt64) async {
        let clock = ManualClock()
        let (open, received) = (Log<Desk<Int>.Question>(), Log<ValidationStatus>())
        let desk = Desk<Int>()
        let clerk = Task { while let question = await desk.next() { open.add(question) } }
        let field = Field<Int>().require("must be positive") { $0 > 0 }.validates(mode)
            .require(
                AsyncRule("must be even", debounce: .seconds(2), clock: clock) {
                    try await desk.ask($0)
                }
            )
            .require(AsyncRule("must be small") { try await desk.ask($0 + 100) })
        field.observeValidationStatus { received.add($0) }
        var answered = 0
        /// Answers questions that are open, newer ones perhaps before older ones.
        func answer(_ random: inout SplitMix) {
            var questions = Array(open.entries.dropFirst(answered))
            answered += questions.count
            questions.shuffle(using: &random)
            for question in questions {
                if Int.random(in: 0..<8, using: &random) == 0 {
                    question.fail(Offline())
                } else {
                    question.answer(passes(question.value))
                }
            }
        }
        for _ in 0..<Int.random(in: 1..<20, using: &random) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1, 2: field.value = Int.random(in: -2...8, using: &random)
            case 3: field.validate()
            case 4: field.resetValidationState()
            case 5: clock.advance(by: .seconds(1))
            case 6: answer(&random)
            default: for _ in 0..<5 { await Task.yield() }
            }
        }
        field.value = Int.random(in: -2...8, using: &random)
        let last = field.value ?? 0
        let end = Task { await field.validated() }
        let isOver = Counter()
        let watch = Task {
            let state = await end.value
            isOver.increment()
            return state
        }
        while isOver.value == 0 {
            clock.advance(by: .seconds(1))
            for question in open.entries.dropFirst(answered) {
                question.answer(passes(question.value))
                answered += 1
            }
            await Task.yield()
        }
        var expected: [String] = []
        if last <= 0 {
            expected = ["must be positive"]
        } else {
            if last % 2 != 0 { expected.append("must be even") }
            if last > 5 { expected.append("must be small") }
        }
        let state: ValidationState = expected.isEmpty ? .valid : .invalid(expected)
        await expect(watch.value, equals: state, "seed \(seed)")
        expect(field.validationState, equals: state, "seed \(seed)")
        expect(!field.isValidating, "seed \(seed)")
        expect(received.entries.last, equals: field.validationStatus, "seed \(seed)")
        clerk.cancel()
        await clerk.value
        for question in open.entries.dropFirst(answered) { question.answer(true) }
    }

    private func passes(_ question: Int) -> Bool {
        question < 90 ? question % 2 == 0 : question - 100 <= 5
    }

    @Test func `while threads set and others answer, no state of another value is kept`() async {
        for _ in 0..<100 {
            let field = Field<Int>(value: 0).require(
                AsyncRule("must be even") { value in
                    await Task.yield()
                    return value % 2 == 0
                }
            )
            field.observeValidationState { _ in }
            await withTaskGroup { group in
                for start in 0..<3 {
                    group.addTask {
                        for value in 0..<20 {
                            field.value = start + value
                            if value % 7 == 0 { field.resetValidationState() }
                            if value % 5 == 0 { await field.validated() }
                        }
                    }
                }
            }
            let state = await field.validated()
            let isEven = (field.value ?? 0) % 2 == 0
            expect(state, equals: (isEven ? .valid : .invalid(["must be even"])))
            expect(!field.isValidating)
        }
    }
}
