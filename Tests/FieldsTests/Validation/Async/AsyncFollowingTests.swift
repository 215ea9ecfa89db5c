import ModelKitFields
import TestSupport
import Testing

/// Async rules that name what they follow.
@Suite(.timeLimit(.minutes(10))) struct AsyncFollowingTests {
    private let desk = Desk<String>()
    private let room = Field<String>(value: "A")
    private let day = Field<Int>(value: 1)

    init() {
        day.require(
            AsyncRule("is taken") { [desk, room] day in
                try await desk.ask("\(room.value ?? "") \(day)")
            }
            .following(room)
        )
    }

    @Test func `an answer counts until what is followed has changed, and no longer`() async {
        day.validate()
        await desk.next()?.answer(true)
        await expect(day.validated(), equals: .valid)
        expect(day.validate(), equals: .valid, "nobody is asked again")
        room.value = "A"
        expect(day.validate(), equals: .valid, "it is the same")
        room.value = "B"
        expect(day.validate(), equals: .unknown)
        await desk.next()?.answer(false)
        await expect(day.validated(), equals: .invalid(["is taken"]))
        expect(desk.asked.entries, equals: ["A 1", "B 1"])
    }

    @Test func `an answer that is on its way is dropped`() async {
        day.validate()
        let first = await desk.next()
        room.value = "B"
        expect(day.validate(), equals: .unknown)
        let second = await desk.next()
        first?.answer(false)
        second?.answer(true)
        await expect(day.validated(), equals: .valid)
        expect(desk.cancelled.value, equals: 1)
        expect(desk.asked.entries, equals: ["A 1", "B 1"])
    }

    @Test func `an answer about what has changed meanwhile is no verdict`() async {
        day.validate()
        let question = await desk.next()
        room.value = "B"
        question?.answer(false)
        while day.isValidating { await Task.yield() }
        expect(day.validationState, equals: .unknown)
        day.validate()
        await desk.next()?.answer(true)
        await expect(day.validated(), equals: .valid)
        expect(desk.asked.entries, equals: ["A 1", "B 1"])
    }

    @Test func `a rule that is added leaves the answers of others`() async {
        let other = Desk<Int>()
        let field = Field<Int>(value: 1)
            .require(AsyncRule("is odd") { try await other.ask($0) })
        field.validate()
        await other.next()?.answer(false)
        await field.validated()
        field.require(
            AsyncRule("is taken") { [desk] in try await desk.ask("\($0)") }.following(room)
        )
        expect(field.currentIssues().map(\.message), equals: ["is odd"])
        field.validate()
        await desk.next()?.answer(true)
        await expect(field.validated(), equals: .invalid(["is odd"]))
        expect(other.asked.count, equals: 1)
    }

    @Test func `what is known without a validation leaves out what does not count any more`()
        async
    {
        day.validate()
        await desk.next()?.answer(false)
        await day.validated()
        expect(day.currentIssues().map(\.message), equals: ["is taken"])
        room.value = "B"
        expect(day.currentIssues().isEmpty)
        room.value = "A"
        expect(day.currentIssues().isEmpty, "the answer was about the A of before")
    }

    @Test func `an observed field has it asked at once, in a batch once`() async {
        let states = Log<ValidationState>()
        let observation = day.observeValidationState { states.add($0) }
        day.value = 2
        await desk.next()?.answer(true)
        await expect(day.validated(), equals: .valid)
        batch {
            room.value = "B"
            room.value = "C"
        }
        let question = await desk.next()
        expect(question?.value, equals: "C 2")
        expect(day.validationState, equals: .unknown)
        question?.answer(false)
        await expect(day.validated(), equals: .invalid(["is taken"]))
        expect(desk.asked.entries, equals: ["A 2", "C 2"])
        expect(states.entries.last, equals: .invalid(["is taken"]))
        observation.cancel()
    }

    @Test func `other rules of the field keep their answers`() async {
        let other = Desk<Int>()
        day.require(AsyncRule("is odd") { try await other.ask($0) })
        day.validate()
        await desk.next()?.answer(true)
        await other.next()?.answer(false)
        await expect(day.validated(), equals: .invalid(["is odd"]))
        room.value = "B"
        day.validate()
        await desk.next()?.answer(false)
        await expect(day.validated(), equals: .invalid(["is taken", "is odd"]))
        expect(other.asked.count, equals: 1)
    }

    @Test func `with another message and a condition it follows the same`() async {
        let field = Field<Int>(value: 1).require(
            AsyncRule("is taken") { [desk] in try await desk.ask("\($0)") }
                .following(room).message("is gone").when { $0 != nil }
        )
        field.validate()
        await desk.next()?.answer(true)
        await field.validated()
        room.value = nil
        field.validate()
        await desk.next()?.answer(false)
        await expect(field.validated(), equals: .invalid(["is gone"]))
    }

    @Test func `a field that is gone is no more followed, and was not kept`() async {
        var followed: Field<Int>? = Field(value: 1)
        weak let weakly = followed
        let field = Field<Int>(value: 1)
        if let followed {
            field.require(
                AsyncRule("is taken") { [desk] in try await desk.ask("\($0)") }
                    .following(followed)
            )
        }
        field.validate()
        await desk.next()?.answer(true)
        await field.validated()
        followed = nil
        // Whoever has delivered the answer may have it for a moment more.
        for _ in 0..<60_000 where weakly != nil { try? await Task.sleep(for: .milliseconds(1)) }
        expect(weakly == nil)
        await expect(field.validated(), equals: .valid)
        expect(desk.asked.count, equals: 1)
    }
}
