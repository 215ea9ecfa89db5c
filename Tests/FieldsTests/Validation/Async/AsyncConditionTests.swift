import ModelKitFields
import Synchronization
import TestSupport
import Testing

private final class Switch: Sendable {
    private let state = Atomic<Bool>(false)
    var isOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }
}

/// Async rules under conditions that change while the value does not.
@Suite struct AsyncConditionTests {
    @Test func `a rule whose condition holds by now is asked, though it was none before`() async {
        let isStrict = Switch()
        let field = Field<String>(value: "X").require(
            AsyncRule("is wrong") { _ in false }.when { _ in isStrict.isOn }
        )
        await expect(field.validated(), equals: .valid)
        isStrict.isOn = true
        await expect(field.validated(), equals: .invalid(["is wrong"]))
        isStrict.isOn = false
        await expect(field.validated(), equals: .valid)
        isStrict.isOn = true
        expect(field.validate(), equals: .invalid(["is wrong"]), "its answer is still known")
    }

    @Test func `a rule whose condition does not hold any more is not waited for`() async {
        let isStrict = Switch()
        isStrict.isOn = true
        let (bells, bell) = AsyncStream<Void>.makeStream()
        let field = Field<String>(value: "X").require(
            AsyncRule("is wrong") { _ in
                for await _ in bells {}
                return false
            }
            .when { _ in isStrict.isOn }
        )
        expect(field.validate(), equals: .unknown)
        isStrict.isOn = false
        expect(field.validate(), equals: .valid)
        expect(!field.isValidating)
        bell.finish()
        for _ in 0..<100 { await Task.yield() }
        expect(field.validationState, equals: .valid)
    }

    @Test func `a rule whose condition holds while others are asked is not left out`() async {
        let isStrict = Switch()
        let field = Field<String>(value: "X")
            .require(
                AsyncRule { _ in
                    try await Task.sleep(for: .milliseconds(20))
                    return true
                }
            )
            .require(AsyncRule("is wrong") { _ in false }.when { _ in isStrict.isOn })
        expect(field.validate(), equals: .unknown)
        isStrict.isOn = true
        expect(field.validate(), equals: .unknown)
        await expect(field.validated(), equals: .invalid(["is wrong"]))
    }

    @Test func `to wait for a field whose rule sets it ends`() async {
        let field = Field<Int>(value: 1)
        field.require { [unowned field] value in
            field.value = value
            return true
        }
        field.require(AsyncRule { _ in true })
        await expect(field.validated(), equals: .unknown)
    }

    @Test func `a warning that is added says nothing about elements that nobody has checked`() {
        let tags = ArrayField(Field<String>().require(.notBlank), value: [""])
        tags.addValidationError(Issue(message: "is odd", severity: .warning))
        expect(tags.validateIfNeeded(), equals: .invalid(["[0] cannot be blank"]))
    }

    @Test func `what observers of a validation ask is no part of it`() async {
        let first = Field<Int>(value: 1).require(AsyncRule { _ in true })
        let second = Field<Int>(value: 1).require(
            AsyncRule { _ in
                try await Task.sleep(for: .seconds(3600))
                return true
            }
        )
        let observation = first.observeValidationState { _ in second.validate() }
        await expect(first.validated(), equals: .valid, "it does not wait for the other")
        observation.cancel()
        second.value = nil
    }
}
