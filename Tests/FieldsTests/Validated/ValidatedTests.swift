import ModelKitFields
import Synchronization
import TestSupport
import Testing

/// Counts how often it is asked.
private final class Asked: Sendable {
    private let calls = Atomic<Int>(0)
    var count: Int { calls.load(ordering: .relaxed) }
    func note() { calls.add(1, ordering: .relaxed) }
}

@Suite struct ValidatedTests {
    struct Form {
        @Validated([.required, .minLength(3)]) var name: String?
        @Validated(.greaterThan(0)) var age: Int? = -1
    }

    @Test func `errors are reported in the order of the rules`() {
        let form = Form()
        expect(form.name, equals: nil)
        expect(form.$name.errors.map(\.code), equals: ["required"])
        expect(form.$age.errors.map(\.message), equals: ["must be greater than 0"])
        expect(!form.$name.isValid)
        #expect(throws: Issue.self) { try form.$name.validate() }
    }

    @Test func `any value may be set, and a right one has no errors`() throws {
        let form = Form()
        form.name = "x"
        expect(form.name, equals: "x")
        expect(form.$name.errors.map(\.code), equals: ["minLength"])
        form.name = "Ada"
        expect(form.$name.errors, equals: [])
        expect(form.$name.isValid)
        try form.$name.validate()
    }

    @Test func `copies of a struct share the property`() {
        let form = Form()
        let copy = form
        form.name = "Ada"
        expect(copy.name, equals: "Ada")
    }

    @Test func `nothing is evaluated while nobody asks or observes`() {
        let asked = Asked()
        @Validated([
            Rule<Int> { _ in
                asked.note()
                return false
            }
        ]) var number: Int? = 1
        for value in 0..<100 { number = value }
        expect(asked.count, equals: 0)
        _ = $number.errors
        _ = $number.errors
        expect(asked.count, equals: 2, "whenever somebody asks")
        let log = Log<Int>()
        let observation = $number.observe { log.add($0.count) }
        number = 5
        number = 6
        expect(asked.count, equals: 5)
        expect(log.entries, equals: [1, 1, 1])
        observation.cancel()
        for value in 0..<100 { number = value }
        expect(asked.count, equals: 5, "cancelled, it costs nothing again")
    }

    @Test func `observers get the present errors first, then those of every set`() {
        @Validated([.required]) var name: String?
        let log = Log<[String]>()
        $name.observe { log.add($0.map(\.message)) }
        name = "Ada"
        name = "Ada"
        name = nil
        expect(log.entries, equals: [["is required"], [], [], ["is required"]])
    }

    @MainActor @Test func `on the main thread observers are notified in place`() {
        @Validated([.required]) var name: String?
        let log = Log<Bool>()
        $name.onMain.observe { log.add($0.isEmpty) }
        name = "Ada"
        expect(log.entries, equals: [false, true])
    }

    @Test func `the sequence begins with the present errors and ends with the property`() async {
        var property: Validated<String>? = Validated([.required])
        let updates = property?.updates
        let log = Log<Int>()
        guard let updates else { return }
        var iterator = updates.makeAsyncIterator()
        if let first = await iterator.next(isolation: nil) { log.add(first.count) }
        property?.wrappedValue = "Ada"
        if let second = await iterator.next(isolation: nil) { log.add(second.count) }
        expect(log.entries, equals: [1, 0])
        property = nil
        await expect(iterator.next(isolation: nil), equals: nil)
    }

    @propertyWrapper final class Email: Validated<String> {
        override var wrappedValue: String? {
            get { super.wrappedValue }
            set { super.wrappedValue = newValue }
        }
        override var projectedValue: Validated<String> { super.projectedValue }

        init(wrappedValue: String? = nil) {
            super.init(wrappedValue: wrappedValue, [.required, .email])
        }
    }

    @Test func `a preset is a subclass`() {
        @Email var email: String? = "ada"
        expect($email.errors.map(\.code), equals: ["email"])
        email = "ada@example.com"
        expect($email.errors, equals: [])
    }

    struct Even: Validator {
        let errorMessage = "must be even"
        func isValid(value: Int?) -> Bool { (value ?? 1) % 2 == 0 }
    }

    @Test func `a validator of one's own becomes a rule, and decides about nil`() throws {
        @Validated([Even().validator, .greaterThan(2)]) var number: Int?
        expect($number.errors.map(\.message), equals: ["must be even"])
        number = 1
        expect($number.errors.map(\.message), equals: ["must be even", "must be greater than 2"])
        try Even().validate(value: 4)
        #expect(throws: Issue(message: "must be even")) { try Even().validate(value: 3) }
        let any = AnyValidator(validator: Even())
        expect(any.isValid(value: 4) && !any.isValid(value: nil))
        #expect(throws: Issue(message: "must be even")) { try any.validate(value: nil) }
    }

    @Test func `not empty is neither nil nor empty`() {
        let rule = NotEmptyValidator(errorMessage: "Name can't be empty")
        expect(!rule.isValid(value: nil) && !rule.isValid(value: ""))
        expect(rule.isValid(value: " "))
        expect(rule.validator.issues(for: "").map(\.message), equals: ["Name can't be empty"])
    }

    @Test func `a regular expression has to match as a whole`() {
        let vowel = RegexValidator(regex: "a|e|i", errorMessage: "is no vowel")
        expect(vowel.isValid(value: "e"))
        expect(!vowel.isValid(value: "eb") && !vowel.isValid(value: "ba"))
        expect(!vowel.isValid(value: "e\n"))
        expect(!vowel.isValid(value: nil))
    }

    @Test(arguments: ["(a", "a)(b", #"(a)\1"#])
    func `with a regular expression that is refused no text is valid`(regex: String) {
        let validator = RegexValidator(regex: regex, errorMessage: "is wrong")
        expect(!validator.isValid(value: "a") && !validator.isValid(value: "aa"))
        expect(validator.validator.issues(for: "a").map(\.message), equals: ["is wrong"])
    }

    @Test func `what observes it dies with it`() {
        final class Probe: Sendable {}
        weak var probe: Probe?
        do {
            let held = Probe()
            probe = held
            @Validated([.required]) var name: String?
            $name.observe { [held] _ in withExtendedLifetime(held) {} }
        }
        expect(probe == nil)
    }

    @Test func `the sequence of the errors of a property that is gone is empty`() async {
        var property: Validated<String>? = Validated([.required])
        let updates = property?.updates
        property = nil
        var count = 0
        if let updates { for await _ in updates { count += 1 } }
        expect(count, equals: 0)
    }
}
