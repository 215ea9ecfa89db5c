import ModelKit
import TestSupport
import Testing

/// What the validations of fields could do in the library that this one was made after, member by
/// member.
@Suite struct FieldValidationTests {
    @Test func `Field with value, name, priority and key is not loaded before its first set`() {
        let field = Field<Int>(value: 7, name: "Age", priority: 2, key: "years")
        expect(field.value, equals: 7)
        expect(field.name, equals: "Age")
        expect(field.priority, equals: 2)
        expect(field.key, equals: "years")
        expect(field.loadState, equals: .notLoaded)
        field.value = nil
        expect(field.loadState, equals: .loaded)
    }

    @Test func `require with a message, allowNil and a test`() {
        let field = Field<Int>()
            .require { $0 > 0 }
            .require("must be even") { $0 % 2 == 0 }
        expect(field.validate(), equals: .valid, "nil passes")
        field.value = -3
        expect(field.validate(), equals: .invalid(["is invalid", "must be even"]))

        let strict = Field<Int>().require("must be positive", allowNil: false) { $0 > 0 }
        expect(strict.validate(), equals: .invalid(["is required"]))
    }

    @Test func `require with a rule, a list of rules, and requireNotNil`() {
        let field = Field<Int>()
            .require(RangeRule(min: 1))
            .require([RangeRule(max: 9), Rule.multipleOf(2)])
            .requireNotNil()
        expect(field.validate(), equals: .invalid(["is required"]))
        field.value = 11
        expect(
            field.validate(),
            equals: .invalid(["must be less than or equal to 9", "must be a multiple of 2"])
        )
        field.value = 4
        expect(field.validate(), equals: .valid)
    }

    @Test func `require with rules of several types`() {
        let nick = Field<String>().require([NotBlankRule<String>(), LengthRule(max: 3)])
        expect(nick.validate(), equals: .invalid(["cannot be blank"]))
        nick.value = "long"
        expect(nick.validate(), equals: .invalid(["length must be less than or equal to 3"]))
    }

    @Test func `validate runs all rules, and stores the state`() {
        let field = Field<Int>(value: 5).require { $0 > 5 }.require("must be 6") { $0 == 6 }
        expect(field.validationState, equals: .unknown)
        field.validate()
        expect(field.validationState, equals: .invalid(["is invalid", "must be 6"]))
    }

    @Test func `ValidationState compares messages, and unknown is neither valid nor invalid`() {
        expect(ValidationState.invalid(["a", "b"]) != .invalid(["b", "a"]))
        expect(ValidationState.invalid([]).isInvalid)
        expect(ValidationState.valid.isValid)
        expect(!ValidationState.unknown.isValid)
        expect(!ValidationState.unknown.isInvalid)
    }

    @Test
    func `a set makes the state unknown before observers are notified, and validates nothing`() {
        let seen = Seen<ValidationState>()
        let field = Field<Int>(value: 1).require { $0 > 0 }
        field.validate()
        field.observe(when: .changes) { [unowned field] (_: Int?) in
            seen.add(field.validationState)
        }
        field.value = -1
        expect(seen.values, equals: [.unknown])
    }

    @Test func `validateIfNeeded and resetValidationState`() {
        let asked = Seen<Int>()
        let field = Field<Int>(value: 1).require { value in
            asked.add(value)
            return true
        }
        field.validateIfNeeded()
        field.validateIfNeeded()
        expect(asked.values, equals: [1])
        field.resetValidationState()
        expect(field.validationState, equals: .unknown)
        expect(field.validateIfNeeded(), equals: .valid)
        expect(asked.values, equals: [1, 1])
    }

    @Test func `addValidationError appends, and stays until the field is set`() {
        let field = Field<Int>(value: -1).require("must be positive") { $0 > 0 }
        field.validate()
        field.addValidationError("is taken")
        expect(field.validationState, equals: .invalid(["must be positive", "is taken"]))
        field.value = 1
        expect(field.validate(), equals: .valid)
        field.addValidationError("is taken")
        expect(field.validationState, equals: .invalid(["is taken"]))
    }

    @Test(arguments: [
        (RangeRule(min: 6), 5, "must be greater than or equal to 6"),
        (RangeRule(max: 6), 7, "must be less than or equal to 6"),
        (RangeRule(min: 6, max: 6), 7, "must be equal to 6"),
        (RangeRule(min: 6, max: 9), 5, "must be greater than or equal to 6"),
    ])
    func `RangeRule names the bound`(rule: RangeRule<Int>, value: Int, message: String) {
        expect(rule.rule.issues(for: value).map(\.message), equals: [message])
        expect(rule.rule.issues(for: nil).isEmpty)
        expect(rule.rule.issues(for: 6).isEmpty)
    }

    @Test func `LengthRule and CountRule name what they count`() {
        func messages<Rules: RuleConvertible>(_ rule: Rules, _ value: Rules.Value?) -> [String] {
            rule.rule.issues(for: value).map(\.message)
        }
        expect(
            messages(LengthRule(min: 1, max: 3), "four"),
            equals: [
                "length must be less than or equal to 3"
            ]
        )
        expect(messages(LengthRule(length: 2), "four"), equals: ["length must be equal to 2"])
        expect(messages(LengthRule(), String(repeating: "x", count: 1000)), equals: [])
        expect(messages(LengthRule(min: 1), nil), equals: [])
        expect(messages(CountRule<Int>(min: 1, max: 1), []), equals: ["count must be equal to 1"])
        expect(messages(CountRule<Int>(min: 1, max: 1), [1]), equals: [])
        expect(
            messages(CountRule<Int>(min: 1, max: 1), [1, 2]),
            equals: ["count must be equal to 1"]
        )
        expect(messages(CountRule<Int>(count: 2), [1]), equals: ["count must be equal to 2"])
    }

    @Test func `NotBlankRule fails for nil, and takes what is Blankable`() {
        expect(NotBlankRule().rule.issues(for: "").map(\.message), equals: ["cannot be blank"])
        expect(
            NotBlankRule<String>().rule.issues(for: nil).map(\.message),
            equals: ["cannot be blank"]
        )
        expect(
            NotBlankRule<[Int]>().rule.issues(for: []).map(\.message),
            equals: ["cannot be blank"]
        )
        expect(NotBlankRule<[Int]>().rule.issues(for: [1]).isEmpty)
    }

    @Test func `NotBlankRule takes a model, which is blank while no field says anything`() {
        let home = ModelField<Address>().require(NotBlankRule())
        expect(home.validate(), equals: .invalid(["cannot be blank"]))
        let address = Address()
        home.value = address
        expect(home.validate(), equals: .invalid(["cannot be blank"]))
        address.street.value = " "
        expect(home.validate(), equals: .invalid(["cannot be blank"]))
        address.street.value = "High Street"
        expect(home.validate(), equals: .valid)
    }

    @Test func `CharacterSetRule takes nil and what has only its characters`() {
        let rule = CharacterSetRule.uppercaseHexadecimal.rule
        expect(rule.issues(for: "F9").isEmpty)
        expect(rule.issues(for: nil).isEmpty)
        expect(rule.issues(for: "J9").map(\.message), equals: ["contains invalid characters"])
        expect(!CharacterSetRule.lowercaseHexadecimal.rule.issues(for: "F9").isEmpty)
        expect(CharacterSetRule("ab").rule.issues(for: "abba").isEmpty)
    }

    @Test func `TransformerRule asks about what is made of a value`() {
        let words = TransformerRule("number of words", rule: .max(2)) { (text: String) in
            text.split(separator: " ").count
        }
        expect(
            words.rule.issues(for: "a b c").map(\.message),
            equals: [
                "number of words must be less than or equal to 2"
            ]
        )
        expect(words.rule.issues(for: "a b").isEmpty)
        expect(words.rule.issues(for: nil).isEmpty)
        let number = TransformerRule(rule: Rule<Int>.required) { (text: String) in Int(text) }
        expect(number.rule.issues(for: "x").map(\.code), equals: ["required"])
    }

    @Test func `constrain to a range or values clamps or nils, and is no error`() {
        let field = Field<Int>().constrain(to: 0...10)
        field.value = 11
        expect(field.value, equals: 10)
        expect(field.validate(), equals: .valid)
        let color = Field<String>().constrain(to: ["red", "green"])
        color.value = "blue"
        expect(color.value, equals: nil)
    }

    @Test func `updatedAt is of any set, changedAt of another value`() throws {
        let field = Field<Int>(value: 1)
        field.value = 2
        let changed = try #require(field.changedAt)
        field.value = 2
        expect(field.changedAt, equals: changed)
        try expect(#require(field.updatedAt) > changed)
    }

    @Test func `ArrayField and the postfix operator, with allowsDuplicates`() {
        let inner = Field<Int>().require("must be positive") { $0 > 0 }
        let numbers = ArrayField(inner, allowsDuplicates: false).require(CountRule<Int>(max: 2))
        numbers.value = [1, -2, 1, 3]
        expect(numbers.value, equals: [1, -2, 3])
        expect(
            numbers.validate(),
            equals: .invalid(["count must be less than or equal to 2", "[1] must be positive"])
        )
        expect((Field<Int>(name: "N")*).name, equals: "N")
    }

    final class Address: Model {
        let street = Field<String>().require(.notBlank)
    }

    final class Person: Model {
        let name = Field<String>().require(.notBlank)
        let home = ModelField<Address>().requireValid()
        let work = ModelField<Address>()
    }

    @Test func `Model validate visits its fields, and other models only where they must be valid`()
    {
        let person = Person()
        person.work.value = Address()
        expect(person.validate(), equals: .invalid(["name cannot be blank"]))
        person.home.value = Address()
        expect(
            person.validate(),
            equals: .invalid(["name cannot be blank", "home.street cannot be blank"])
        )
    }

    @Test
    func `Model addError reaches the field at a path, also inside, and says if there is none`() {
        let person = Person()
        let address = Address()
        person.home.value = address
        expect(person.addError(at: ["home", "street"], message: "is unknown"))
        expect(address.street.validationState, equals: .invalid(["is unknown"]))
        expect(person.addError(at: ["name"], message: "is taken", code: "unique"))
        expect(person.name.issues.map(\.code), equals: ["unique"])
        expect(!person.addError(at: ["town"], message: "is unknown"))
    }

    @Test func `arrows observe and bind`() {
        let source = Field<Int>(value: 1).require { $0 > 0 }
        let target = Field<Int>()
        let seen = Seen<Int>()
        source --> target
        source --> { value in seen.add(value) }
        source.value = 2
        expect(target.value, equals: 2)
        source -/-> target
        source.value = 3
        expect(target.value, equals: 2)
        expect(seen.values, equals: [1, 2, 3])
        target <--> source
        target.value = 4
        expect(source.value, equals: 4)
    }
}
