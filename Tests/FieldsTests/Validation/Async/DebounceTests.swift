import ModelKitFields
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DebounceTests {
    private let clock = ManualClock()
    private let desk = Desk<String>()
    private let name: Field<String>

    init() {
        name = Field<String>()
            .require(
                AsyncRule("is taken", debounce: .milliseconds(300), clock: clock) { [desk] in
                    try await desk.ask($0)
                }
            )
    }

    @Test func `nothing is asked before the value has stayed`() async {
        name.value = "ada"
        expect(name.validate(), equals: .unknown)
        expect(name.isValidating, "from the start of the debounce")
        await until { clock.sleeping == 1 }
        clock.advance(by: .milliseconds(299))
        await letOthersRun()
        expect(desk.asked.count, equals: 0)
        clock.advance(by: .milliseconds(1))
        await desk.next()?.answer(false)
        await expect(name.validated(), equals: .invalid(["is taken"]))
    }

    @Test func `of values in quick succession only the last is asked about`() async {
        name.observeValidationState { _ in }
        for value in ["a", "ad", "ada"] {
            name.value = value
            await until { clock.sleeping == 1 }
            clock.advance(by: .milliseconds(200))
        }
        clock.advance(by: .milliseconds(100))
        await desk.next()?.answer(true)
        await expect(name.validated(), equals: .valid)
        expect(desk.asked.entries, equals: ["ada"])
    }

    @Test func `a validation again does not begin the debounce anew`() async {
        name.value = "ada"
        name.validate()
        await until { clock.sleeping == 1 }
        clock.advance(by: .milliseconds(200))
        name.validate()
        clock.advance(by: .milliseconds(100))
        await desk.next()?.answer(true)
        await expect(name.validated(), equals: .valid)
    }

    @Test func `a set and a reset end the sleep`() async {
        name.value = "ada"
        name.validate()
        await until { clock.sleeping == 1 }
        name.value = "bob"
        expect(clock.sleeping, equals: 0)
        name.validate()
        await until { clock.sleeping == 1 }
        name.resetValidationState()
        expect(clock.sleeping, equals: 0)
        clock.advance(by: .seconds(1))
        await letOthersRun()
        expect(desk.asked.count, equals: 0)
    }

    @Test func `a sleep that does not end with its task asks about no older value`() async {
        struct Deaf: Clock {
            let clock: ManualClock
            var now: ManualClock.Instant { clock.now }
            var minimumResolution: Swift.Duration { .zero }
            func sleep(until deadline: ManualClock.Instant, tolerance: Swift.Duration?) async throws
            {
                try await Task { try await clock.sleep(until: deadline, tolerance: nil) }.value
            }
        }
        let field = Field<String>()
            .require(
                AsyncRule(debounce: .seconds(1), clock: Deaf(clock: clock)) { [desk] in
                    try await desk.ask($0)
                }
            )
        field.value = "ada"
        field.validate()
        await until { clock.sleeping == 1 }
        field.value = "bob"
        clock.advance(by: .seconds(1))
        await letOthersRun()
        expect(desk.asked.count, equals: 0)
    }

    @Test func `rules with debounces of their own are asked each in its time`() async {
        let slow = Desk<String>()
        name.require(
            AsyncRule("is rude", debounce: .seconds(1), clock: clock) { try await slow.ask($0) }
        )
        name.value = "ada"
        name.validate()
        await until { clock.sleeping == 2 }
        clock.advance(by: .milliseconds(300))
        await desk.next()?.answer(true)
        expect(slow.asked.count, equals: 0)
        clock.advance(by: .milliseconds(700))
        await slow.next()?.answer(false)
        await expect(name.validated(), equals: .invalid(["is rude"]))
    }

    @Test func `a field is freed while a check waits, and ends the wait`() async {
        weak var freed: Field<String>?
        do {
            let field = Field<String>(value: "ada").require(name.asyncRules[0])
            freed = field
            field.validate()
            await until { clock.sleeping == 1 }
        }
        expect(freed == nil)
        expect(clock.sleeping, equals: 0)
        clock.advance(by: .seconds(1))
        await letOthersRun()
        expect(desk.asked.count, equals: 0)
    }

    @Test func `a field is freed while it is asked about, and cancels the question`() async {
        weak var freed: Field<String>?
        let question: Desk<String>.Question?
        do {
            let field = Field<String>(value: "ada")
                .require(AsyncRule { [desk] in try await desk.ask($0) })
            field.observeValidationState { _ in }
            freed = field
            field.validate()
            question = await desk.next()
        }
        expect(freed == nil)
        await until { desk.cancelled.value == 1 }
        question?.answer(false)
    }
}
