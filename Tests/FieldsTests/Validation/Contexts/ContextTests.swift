import ModelKitFields
import Testing

extension ValidationContext {
    static let publish: Self = "publish"
    static let draft: Self = "draft"
}

struct ContextTests {
    private let title = Field<String>()
        .require(Rule.required.except(on: .draft))
        .require(.minLength(3).on(.publish))

    @Test func `a rule of a context is asked there alone`() {
        title.value = "a"
        #expect(title.validate() == .valid)
        #expect(
            title.validate(in: .publish) == .invalid(["length must be greater than or equal to 3"])
        )
        #expect(title.validate(in: "else") == .valid)
        #expect(title.validate(in: .draft, .publish).isInvalid)
        title.value = nil
        #expect(title.validate() == .invalid(["is required"]))
        #expect(title.validate(in: .draft) == .valid)
        #expect(title.validate(in: .publish) == .invalid(["is required"]))
        #expect(title.validate(in: .draft, .publish) == .valid)
    }

    @Test func `the field keeps what was found last, and where`() {
        title.value = "a"
        #expect(title.validationContexts == [])
        title.validate(in: .publish)
        #expect(title.validationState.isInvalid)
        #expect(title.issues.map(\.code) == ["minLength"])
        #expect(title.validationContexts == [.publish])
        title.validate()
        #expect(title.validationState == .valid)
        #expect(title.validationContexts == [])
        title.validate(in: .publish, .draft)
        #expect(title.validationContexts == [.publish, .draft])
        title.value = "b"
        #expect(title.validationState == .unknown)
        #expect(title.validationContexts == [])
    }

    @Test func `a verdict of one context is none of another`() {
        let asked = Log<Set<ValidationContext>>()
        let field = Field<Int>(value: 1).require { _ in
            asked.add(ValidationContext.current)
            return true
        }
        #expect(field.validateIfNeeded() == .valid)
        #expect(field.validateIfNeeded() == .valid)
        #expect(field.validateIfNeeded(in: .publish) == .valid)
        #expect(field.validateIfNeeded(in: .publish) == .valid)
        #expect(field.validateIfNeeded(in: .draft) == .valid)
        #expect(field.validateIfNeeded(in: .draft, .publish) == .valid)
        #expect(field.validateIfNeeded(in: .publish, .draft) == .valid)
        #expect(field.validateIfNeeded() == .valid)
        #expect(asked.entries == [[], [.publish], [.draft], [.draft, .publish], []])
    }

    @Test func `what is asked without being kept depends on the context, too`() {
        title.value = "a"
        title.validate()
        #expect(title.currentIssues(in: .publish).map(\.code) == ["minLength"])
        #expect(title.currentIssues().isEmpty)
        #expect(ValidationContext.withCurrent([.publish]) { title.isCurrentlyValid } == false)
        #expect(title.validationContexts == [])
    }

    @Test func `contexts go through what rules are made of`() {
        let rule = Rule<String>.notBlank.on(.publish).each()
        #expect(rule.issues(for: [""]).isEmpty)
        let found = ValidationContext.withCurrent([.publish]) { rule.issues(for: ["a", ""]) }
        #expect(found.map(\.description) == ["[1] cannot be blank"])
        let tags = Field<String>().require(.notBlank.on(.publish))*
        tags.value = [""]
        #expect(tags.validate() == .valid)
        #expect(tags.validate(in: .publish) == .invalid(["[0] cannot be blank"]))
        let warning = Rule<Int>.min(3).severity(.warning).on(.publish) || .max(0)
        #expect(warning.issues(for: 2).isEmpty)
        #expect(
            ValidationContext.withCurrent([.publish]) { warning.issues(for: 2) }.map(\.severity)
                == [.warning]
        )
    }

    @Test func `inside of a validation one in other contexts is in those alone`() {
        let inner = Field<Int>(value: 1).require(.min(2).on(.draft))
        let outer = Field<Int>(value: 1).require { _ in
            inner.validate(in: .draft).isInvalid && inner.validationContexts == [.draft]
        }
        #expect(outer.validate(in: .publish) == .valid)
        #expect(ValidationContext.current == [])
        #expect(!ValidationContext.publish.isCurrent)
    }

    @Test func `those whom a validation tells are in no context`() {
        let seen = Log<Set<ValidationContext>>()
        let observation = title.observeValidationState { _ in seen.add(ValidationContext.current) }
        title.validate(in: .publish)
        title.value = "a"
        title.validate(in: .publish)
        #expect(title.validationState.isInvalid)
        observation.cancel()
        #expect(seen.entries == [[], [], [], []])
    }

    @Test func `a field that validates by itself is in no context`() {
        let observation = title.observeValidationState { _ in }
        ValidationContext.withCurrent([.publish]) { title.value = "a" }
        #expect(title.validationState == .valid)
        #expect(title.validationContexts == [])
        observation.cancel()
    }

    @Test func `an error of others counts in every context`() {
        let field = Field<Int>(value: 1)
        field.addValidationError("is taken")
        #expect(field.validate(in: .publish) == .invalid(["is taken"]))
        #expect(field.validate() == .invalid(["is taken"]))
    }

    @Test func `a context is its name`() {
        #expect(ValidationContext("publish") == .publish)
        #expect("\(ValidationContext.publish)" == "publish")
        #expect(Rule<Int>.min(1).on(.publish).constraint == .on([.publish], .minimum(1)))
        #expect(
            Rule<Int>.min(1).except(on: .draft).constraint == .except(on: [.draft], .minimum(1))
        )
    }

    @Test func `properties are validated in the contexts of who asks`() {
        let box = Validated<String>(wrappedValue: "", .notBlank.on(.publish))
        #expect(
            ValidationContext.withCurrent([.publish]) { box.errors }.map(\.code) == ["notBlank"]
        )
        #expect(box.errors.isEmpty)
        #expect(ValidationContext.withCurrent([.publish]) { box.isValid } == false)
        #expect(box.isValid)
    }
}
