import Foundation
import ModelKitFields
import TestSupport
import Testing

/// A field whose async rule asks at a desk.
@Suite(.timeLimit(.minutes(10))) struct AsyncValidationTests {
    private let desk = Desk<String>()
    private let name: Field<String>

    init() {
        name = Field<String>().require(.notBlank)
            .require(AsyncRule("is taken", code: "taken") { [desk] in try await desk.ask($0) })
    }

    @Test func `while it is asked the state is unknown, then what was answered`() async {
        name.value = "ada"
        expect(name.validate(), equals: .unknown)
        expect(name.isValidating)
        expect(name.validationState, equals: .unknown)
        await desk.next()?.answer(false)
        await expect(name.validated(), equals: .invalid(["is taken"]))
        expect(!name.isValidating)
        expect(name.issues, equals: [Issue(code: "taken", message: "is taken")])
        name.value = "bob"
        expect(name.validationState, equals: .unknown)
        name.validate()
        await desk.next()?.answer(true)
        await expect(name.validated(), equals: .valid)
    }

    @Test func `nobody is asked about a value that the other rules refuse`() async {
        name.value = ""
        await expect(name.validated(), equals: .invalid(["cannot be blank"]))
        expect(!name.isValidating)
        name.value = "ada"
        name.addValidationError("is odd")
        await expect(name.validated(), equals: .invalid(["is odd"]))
        expect(desk.asked.count, equals: 0)
    }

    @Test func `a value that is refused meanwhile ends the asking about it`() async {
        name.value = "ada"
        name.validate()
        let question = await desk.next()
        name.require("is too short") { $0.count > 5 }
        expect(name.validate(), equals: .invalid(["is too short"]))
        expect(!name.isValidating)
        expect(desk.cancelled.value, equals: 1)
        question?.answer(false)
        await letOthersRun()
        expect(name.validationState, equals: .invalid(["is too short"]))
    }

    @Test func `an answer is kept until the field is set, also to the same value`() async {
        name.value = "ada"
        name.validate()
        await desk.next()?.answer(true)
        await name.validated()
        expect(name.validate(), equals: .valid)
        name.require("is too long") { $0.count < 10 }
        expect(name.validate(), equals: .valid)
        expect(desk.asked.count, equals: 1)
        name.value = "ada"
        expect(name.validate(), equals: .unknown)
        await desk.next()?.answer(false)
        await expect(name.validated(), equals: .invalid(["is taken"]))
        expect(name.currentIssues().map(\.code), equals: ["taken"])
    }

    @Test func `a validation while it is asked waits for the same answer`() async {
        name.value = "ada"
        name.validate()
        name.validate()
        async let first = name.validated()
        async let second = name.validated()
        await desk.next()?.answer(true)
        await expect([first, second], equals: [.valid, .valid])
        expect(desk.asked.entries, equals: ["ada"])
    }

    @Test func `an answer for an older value never overwrites the state of a newer one`() async {
        name.value = "ada"
        name.validate()
        let older = await desk.next()
        name.value = "bob"
        expect(desk.cancelled.value, equals: 1)
        expect(!name.isValidating)
        name.validate()
        let newer = await desk.next()
        older?.answer(false)
        await letOthersRun()
        expect(name.isValidating, "the answer for the older value does not end the asking")
        expect(name.validationState, equals: .unknown)
        newer?.answer(true)
        await expect(name.validated(), equals: .valid)
    }

    @Test func `an older answer that comes last is dropped, too`() async {
        name.value = "ada"
        name.validate()
        let older = await desk.next()
        name.value = "bob"
        name.validate()
        await desk.next()?.answer(true)
        await name.validated()
        older?.answer(false)
        await letOthersRun()
        expect(name.validationState, equals: .valid)
        expect(name.issues, equals: [])
    }

    @Test func `an answer that comes after a reset changes nothing`() async {
        name.value = "ada"
        name.validate()
        let question = await desk.next()
        name.resetValidationState()
        expect(!name.isValidating)
        expect(desk.cancelled.value, equals: 1)
        question?.answer(false)
        await letOthersRun()
        expect(name.validationState, equals: .unknown)
        name.validate()
        await desk.next()?.answer(true)
        await expect(name.validated(), equals: .valid, "it is asked again")
    }

    @Test func `after a reset and a new validation only the new answer counts`() async {
        name.value = "ada"
        name.validate()
        let older = await desk.next()
        name.resetValidationState()
        name.validate()
        let newer = await desk.next()
        older?.answer(false)
        await letOthersRun()
        expect(name.isValidating)
        newer?.answer(true)
        await expect(name.validated(), equals: .valid)
    }

    @Test func `it is validating until the last of several rules has answered`() async {
        let other = Desk<String>()
        name.require(AsyncRule("is rude", code: "rude") { try await other.ask($0) })
        let log = Log<ValidationStatus>()
        name.observeValidationStatus { log.add($0) }
        name.value = "ada"
        let (first, second) = (await desk.next(), await other.next())
        second?.answer(false)
        await letOthersRun()
        expect(name.isValidating)
        expect(name.validationState, equals: .unknown)
        first?.answer(false)
        await expect(name.validated(), equals: .invalid(["is taken", "is rude"]), "in their order")
        expect(log.entries.map(\.isValidating), equals: [false, true, false])
    }

    @Test func `listeners see no end of the asking between two values`() async {
        let log = Log<ValidationStatus>()
        name.observeValidationStatus { log.add($0) }
        name.value = "ada"
        let older = await desk.next()
        name.value = "bob"
        let newer = await desk.next()
        older?.answer(true)
        newer?.answer(true)
        await expect(name.validated(), equals: .valid)
        expect(log.entries.map(\.isValidating), equals: [false, true, false])
        expect(log.entries.map(\.state), equals: [.unknown, .unknown, .valid])
    }

    @Test func `what could not be checked blocks, and is asked again by the next validation`() async
    {
        name.value = "ada"
        name.validate()
        await desk.next()?.fail(Offline())
        await until { !name.isValidating }
        expect(name.validationState, equals: .invalid(["could not be checked"]))
        expect(name.issues.map(\.code), equals: ["unavailable"])
        expect(desk.asked.count, equals: 1)
        expect(name.validate(), equals: .unknown)
        await desk.next()?.answer(true)
        await expect(name.validated(), equals: .valid)
    }

    @Test func `waiting for what cannot be checked does not ask for ever`() async {
        name.value = "ada"
        let state = Task { [name] in await name.validated() }
        await desk.next()?.fail(Offline())
        await expect(state.value, equals: .invalid(["could not be checked"]))
        expect(desk.asked.count, equals: 1)
    }

    @Test func `only the rule that could not be asked is asked again`() async {
        let asked = Counter()
        name.require(
            AsyncRule("is rude") { _ in
                asked.increment()
                return false
            }
        )
        name.value = "ada"
        name.validate()
        await desk.next()?.fail(Offline())
        await until { !name.isValidating }
        expect(name.validationState, equals: .invalid(["could not be checked", "is rude"]))
        name.validate()
        await desk.next()?.answer(true)
        await expect(name.validated(), equals: .invalid(["is rude"]))
        expect(asked.value, equals: 1)
    }

    @Test func `that a check is cancelled from elsewhere is reported as unavailable`() async {
        name.value = "ada"
        name.validate()
        await desk.next()?.fail(CancellationError())
        await until { !name.isValidating }
        expect(name.validationState, equals: .invalid(["could not be checked"]))
    }

    @Test func `a superseded check that throws is no issue`() async {
        name.value = "ada"
        name.validate()
        let older = await desk.next()
        name.value = "bob"
        name.validate()
        older?.fail(CancellationError())
        await letOthersRun()
        expect(name.validationState, equals: .unknown)
        await desk.next()?.answer(true)
        await expect(name.validated(), equals: .valid)
    }

    @Test func `waiting follows the field to its newest value`() async {
        name.value = "ada"
        let state = Task { [name] in await name.validated() }
        let older = await desk.next()
        name.value = "bob"
        let newer = await desk.next()
        expect(newer?.value, equals: "bob")
        older?.answer(false)
        newer?.answer(true)
        await expect(state.value, equals: .valid)
    }

    @Test func `who waits may be cancelled, and others get the answer`() async {
        name.value = "ada"
        let waiting = Task { [name] in await name.validated() }
        let question = await desk.next()
        waiting.cancel()
        await expect(waiting.value, equals: .unknown)
        expect(name.isValidating)
        question?.answer(true)
        await expect(name.validated(), equals: .valid)
        expect(desk.asked.count, equals: 1)
    }

    @Test func `a rule added meanwhile is asked about the value, too`() async {
        name.value = "ada"
        let state = Task { [name] in await name.validated() }
        await desk.next()?.answer(true)
        await expect(state.value, equals: .valid)
        name.require(AsyncRule("is rude") { _ in false })
        expect(name.validationState, equals: .unknown)
        await expect(name.validated(), equals: .invalid(["is rude"]))
        expect(desk.asked.count, equals: 1, "the other one has answered")
    }

    @Test func `an error added while it is asked is kept beside the answer`() async {
        name.value = "ada"
        name.validate()
        let question = await desk.next()
        name.addValidationError("is odd")
        expect(name.validationState, equals: .invalid(["is odd"]))
        question?.answer(false)
        await until { !name.isValidating }
        expect(name.validationState, equals: .invalid(["is taken", "is odd"]))
    }

    @Test func `a warning added while it is asked does not make the value valid`() async {
        name.value = "ada"
        name.validate()
        name.addValidationError(Issue(message: "is short", severity: .warning))
        expect(name.validationState, equals: .unknown)
        await desk.next()?.answer(true)
        await expect(name.validated(), equals: .valid)
        expect(name.issues.map(\.message), equals: ["is short"])
    }

    @Test func `on change, a listener has every value asked about that the other rules pass`() async
    {
        let log = Log<ValidationState>()
        name.observeValidationState { log.add($0) }
        name.value = ""
        name.value = "ada"
        await desk.next()?.answer(false)
        // It is notified after the state is set.
        await until { log.entries.count == 4 }
        expect(desk.asked.entries, equals: ["ada"])
        expect(
            log.entries,
            equals: [.unknown, .invalid(["cannot be blank"]), .unknown, .invalid(["is taken"])]
        )
    }

    @Test func `on commit, nobody is asked before the end of editing`() async {
        name.validates(.onCommit)
        name.observeValidationState { _ in }
        name.beginEditing()
        name.value = "a"
        name.value = "ad"
        name.value = "ada"
        await letOthersRun()
        expect(desk.asked.count, equals: 0)
        name.endEditing()
        await desk.next()?.answer(true)
        await expect(name.validated(), equals: .valid)
        expect(desk.asked.entries, equals: ["ada"])
    }

    @Test func `a copy has the rules but no answers`() async {
        name.value = "ada"
        name.validate()
        await desk.next()?.answer(true)
        await name.validated()
        let copy = name.copy()
        expect(copy.validate(), equals: .unknown)
        await desk.next()?.answer(false)
        await expect(copy.validated(), equals: .invalid(["is taken"]))
        expect(name.validationState, equals: .valid)
    }

    @Test func `an answer that comes before the set was reported is dropped`() async {
        let nick = Field<String>(value: "ada")
            .require(AsyncRule("is taken") { [desk] in try await desk.ask($0) })
        let isOver = Counter()
        let waiting = Task {
            let state = await nick.validated()
            isOver.increment()
            return state
        }
        let older = await desk.next()
        let end = startThread {
            batch {
                nick.value = nil
                expect(nick.validate(), equals: .valid)
                older?.answer(false)
                while isOver.value == 0 { Thread.sleep(forTimeInterval: 0.001) }
                expect(nick.currentIssues(), equals: [])
            }
        }
        await expect(waiting.value, equals: .valid)
        end()
    }

    @Test func `a batch lets go of the older question at its end`() async {
        name.value = "ada"
        name.validate()
        let older = await desk.next()
        batch {
            name.value = "bob"
            expect(!name.isValidating)
            older?.answer(false)
        }
        expect(desk.cancelled.value <= 1)
        await letOthersRun()
        expect(name.validationState, equals: .unknown)
    }
}
