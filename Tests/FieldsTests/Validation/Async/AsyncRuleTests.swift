import ModelKitFields
import TestSupport
import Testing

/// What an async rule says, asked by a field without other rules.
@Suite(.timeLimit(.minutes(10))) struct AsyncRuleTests {
    private static let even = AsyncRule<Int>("must be even", code: "even") { $0 % 2 == 0 }

    private func issues(of value: Int?, by rule: AsyncRule<Int>) async -> [Issue] {
        let field = Field<Int>(value: value).require(rule)
        await field.validated()
        return field.issues
    }

    @Test func `a value that fails is reported with the message`() async {
        await expect(issues(of: 2, by: Self.even), equals: [])
        let issue = Issue(code: "even", message: "must be even")
        await expect(issues(of: 3, by: Self.even), equals: [issue])
    }

    @Test func `nil passes unasked, or is required unasked`() {
        let asked = Counter()
        let test: @Sendable (Int) async -> Bool = { _ in
            asked.increment()
            return true
        }
        expect(Field<Int>().require(AsyncRule("is taken", test)).validate(), equals: .valid)
        let strict = Field<Int>().require(AsyncRule("is taken", allowNil: false, test))
        expect(strict.validate(), equals: .invalid(["is required"]))
        expect(strict.issues.map(\.code), equals: ["required"])
        expect(asked.value, equals: 0)
    }

    @Test func `a function that lists issues decides about nil itself`() async {
        let rule = AsyncRule<Int> { value in
            value == nil
                ? [Issue(message: "is missing")]
                : [Issue(path: ["sum"], message: "is odd"), Issue(message: "hm", severity: .info)]
        }
        await expect(issues(of: nil, by: rule), equals: [Issue(message: "is missing")])
        await expect(issues(of: 1, by: rule).map(\.description), equals: ["sum is odd", "hm"])
    }

    @Test func `message, code and severity may be others`() async {
        let rule = Self.even.message("is odd").code("odd").severity(.warning)
        let issue = Issue(code: "odd", message: "is odd", severity: .warning)
        let field = Field<Int>(value: 3).require(rule)
        await expect(field.validated(), equals: .valid)
        expect(field.issues, equals: [issue])
    }

    @Test func `what could not be checked keeps its message and code, and may be a warning`() async
    {
        let rule = AsyncRule<Int> { _ in throw Offline() }.message("is odd").code("odd")
        let issue = Issue(
            code: "unavailable",
            message: "could not be checked",
            parameters: ["reason": "Offline()"]
        )
        await expect(issues(of: 3, by: rule), equals: [issue])
        let field = Field<Int>(value: 3).require(rule.severity(.warning))
        await expect(field.validated(), equals: .valid)
        expect(field.issues.map(\.code), equals: ["unavailable"])
    }

    @Test func `under a condition only some values are asked about`() async {
        let asked = Log<Int>()
        let rule = AsyncRule<Int>("is bad") {
            asked.add($0)
            return false
        }.when { $0 ?? 0 > 10 }
        expect(Field<Int>(value: 3).require(rule).validate(), equals: .valid)
        await expect(issues(of: 11, by: rule).map(\.message), equals: ["is bad"])
        expect(asked.entries, equals: [11])
    }

    @Test func `each element is asked about once, and has its index`() async {
        let desk = Desk<Int>()
        let field = Field<[Int]>(value: [1, 2, 3, 4])
            .require(AsyncRule("is taken") { try await desk.ask($0) }.each(atOnce: 2))
        // Begun before any answer: what could not be checked is asked again by who comes later.
        async let checked = field.validated()
        for _ in 0..<4 {
            let question = await desk.next()
            expect(field.validate(), equals: .unknown)
            expect(desk.asked.count <= 4)
            if question?.value == 3 {
                question?.fail(Offline())
            } else {
                question?.answer(question?.value != 2)
            }
        }
        let state = await checked
        expect(state, equals: .invalid(["[1] is taken", "[2] could not be checked"]))
        expect(desk.asked.entries.sorted(), equals: [1, 2, 3, 4])
        expect(Field<[Int]>(value: []).require(Self.even.each()).validate(), equals: .valid)
        expect(Field<[Int]>().require(Self.even.each()).validate(), equals: .valid)
    }

    @Test func `no more elements are asked about at once than is said`() async {
        let (running, most) = (Counter(), Log<Int>())
        let rule = AsyncRule<Int> { _ in
            running.increment()
            most.add(running.value)
            for _ in 0..<10 { await Task.yield() }
            running.decrement()
            return true
        }
        let field = Field<[Int]>(value: Array(0..<50)).require(rule.each(atOnce: 3))
        await expect(field.validated(), equals: .valid)
        expect(most.count, equals: 50)
        expect(most.entries.max() ?? 0 <= 3)
    }

    @Test func `the async rule of an inner field is asked about every element`() async {
        let numbers = Field<Int>().require(Self.even)*
        numbers.value = [1, 2, 3]
        await expect(
            numbers.validated(),
            equals: .invalid(["[0] must be even", "[2] must be even"])
        )
        await expect(numbers.copy().validated(), equals: numbers.validationState)
        expect(numbers.copy().asyncRules.count, equals: 1)
    }
}
