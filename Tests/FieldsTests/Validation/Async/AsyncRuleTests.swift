import ModelKitFields
import Testing

/// What an async rule says, asked by a field without other rules.
@Suite(.timeLimit(.minutes(10))) struct AsyncRuleTests {
    private static let even = AsyncRule<Int>("must be even", code: "even") { $0 % 2 == 0 }

    private func issues(of value: Int?, by rule: AsyncRule<Int>) async -> [Issue] {
        let field = Field<Int>(value: value).require(rule)
        await field.validated()
        return field.issues
    }

    @Test func `a value that fails is told the message`() async {
        #expect(await issues(of: 2, by: Self.even) == [])
        let issue = Issue(code: "even", message: "must be even")
        #expect(await issues(of: 3, by: Self.even) == [issue])
    }

    @Test func `nil passes unasked, or is required unasked`() {
        let asked = Counter()
        let test: @Sendable (Int) async -> Bool = { _ in
            asked.increment()
            return true
        }
        #expect(Field<Int>().require(AsyncRule("is taken", test)).validate() == .valid)
        let strict = Field<Int>().require(AsyncRule("is taken", allowNil: false, test))
        #expect(strict.validate() == .invalid(["is required"]))
        #expect(strict.issues.map(\.code) == ["required"])
        #expect(asked.value == 0)
    }

    @Test func `a function that lists issues decides about nil itself`() async {
        let rule = AsyncRule<Int> { value in
            value == nil
                ? [Issue(message: "is missing")]
                : [Issue(path: ["sum"], message: "is odd"), Issue(message: "hm", severity: .info)]
        }
        #expect(await issues(of: nil, by: rule) == [Issue(message: "is missing")])
        #expect(await issues(of: 1, by: rule).map(\.description) == ["sum is odd", "hm"])
    }

    @Test func `message, code and severity may be others`() async {
        let rule = Self.even.message("is odd").code("odd").severity(.warning)
        let issue = Issue(code: "odd", message: "is odd", severity: .warning)
        let field = Field<Int>(value: 3).require(rule)
        #expect(await field.validated() == .valid)
        #expect(field.issues == [issue])
    }

    @Test func `what could not be checked keeps its message and code, and may be a warning`() async
    {
        let rule = AsyncRule<Int> { _ in throw Offline() }.message("is odd").code("odd")
        let issue = Issue(
            code: "unavailable",
            message: "could not be checked",
            parameters: ["reason": "Offline()"]
        )
        #expect(await issues(of: 3, by: rule) == [issue])
        let field = Field<Int>(value: 3).require(rule.severity(.warning))
        #expect(await field.validated() == .valid)
        #expect(field.issues.map(\.code) == ["unavailable"])
    }

    @Test func `under a condition only some values are asked about`() async {
        let asked = Log<Int>()
        let rule = AsyncRule<Int>("is bad") {
            asked.add($0)
            return false
        }.when { $0 ?? 0 > 10 }
        #expect(Field<Int>(value: 3).require(rule).validate() == .valid)
        #expect(await issues(of: 11, by: rule).map(\.message) == ["is bad"])
        #expect(asked.entries == [11])
    }

    @Test func `each element is asked about once, and has its index`() async {
        let desk = Desk<Int>()
        let field = Field<[Int]>(value: [1, 2, 3, 4])
            .require(AsyncRule("is taken") { try await desk.ask($0) }.each(atOnce: 2))
        #expect(field.validate() == .unknown)
        for _ in 0..<4 {
            let question = await desk.next()
            #expect(desk.asked.count <= 4)
            if question?.value == 3 {
                question?.fail(Offline())
            } else {
                question?.answer(question?.value != 2)
            }
        }
        let state = await field.validated()
        #expect(state == .invalid(["[1] is taken", "[2] could not be checked"]))
        #expect(desk.asked.entries.sorted() == [1, 2, 3, 4])
        #expect(Field<[Int]>(value: []).require(Self.even.each()).validate() == .valid)
        #expect(Field<[Int]>().require(Self.even.each()).validate() == .valid)
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
        #expect(await field.validated() == .valid)
        #expect(most.count == 50)
        #expect(most.entries.max() ?? 0 <= 3)
    }

    @Test func `the async rule of an inner field is asked about every element`() async {
        let numbers = Field<Int>().require(Self.even)*
        numbers.value = [1, 2, 3]
        #expect(await numbers.validated() == .invalid(["[0] must be even", "[2] must be even"]))
        #expect(await numbers.copy().validated() == numbers.validationState)
        #expect(numbers.copy().asyncRules.count == 1)
    }
}
