import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

/// The state of a form, as it is reported.
@Suite struct FormObservationTests {
    private struct SignUp {
        let email = Field<String>(name: "E-mail").require(.notBlank)
        let age = Field<Int>(name: "Age").require(.min(18))
        let form: Form
        let seen = Collector<ValidationState>()

        init() {
            form = Form(["email": email, "age": age])
        }

        /// Collects the states that are reported.
        func observe() { form.observeState { [seen] in seen.add($0) } }
    }

    @Test func `a validation is reported once, however many fields there are`() {
        let signUp = SignUp()
        signUp.email.value = ""
        signUp.age.value = 3
        signUp.observe()
        expect(signUp.seen.values, equals: [.unknown])
        signUp.form.validate()
        signUp.form.validate()
        let invalid = ValidationState.invalid([
            "E-mail cannot be blank", "Age must be greater than or equal to 18",
        ])
        expect(signUp.seen.values, equals: [.unknown, invalid])
        expect(signUp.form.validity.value, equals: invalid)
    }

    @Test func `fields validate by themselves while somebody observes`() {
        let signUp = SignUp()
        signUp.email.value = ""
        expect(signUp.email.validationState, equals: .unknown)
        signUp.observe()
        signUp.email.value = " "
        signUp.email.value = "a"
        signUp.age.value = 18
        expect(
            signUp.seen.values,
            equals: [
                .unknown, .invalid(["E-mail cannot be blank"]), .unknown, .valid,
            ]
        )
    }

    @Test func `an observation ends, and after it no field validates by itself`() {
        let signUp = SignUp()
        let observation = signUp.form.observeState { _ in }
        signUp.email.value = ""
        expect(signUp.email.validationState.isInvalid)
        observation.cancel()
        signUp.email.value = " "
        expect(signUp.email.validationState, equals: .unknown)
    }

    @Test func `what others say is reported, and that it is forgotten`() {
        let signUp = SignUp()
        signUp.email.value = "a"
        signUp.age.value = 18
        signUp.form.validate()
        signUp.observe()
        signUp.form.apply([
            Issue(path: ["email"], message: "is taken"), Issue(message: "is down"),
        ])
        signUp.form.apply([])
        signUp.form.discard()
        expect(
            signUp.seen.values,
            equals: [
                .valid, .invalid(["E-mail is taken", "is down"]), .invalid(["E-mail is taken"]),
                .unknown,
            ]
        )
    }

    @Test func `it is reported when fields are added, taken out and put back`() {
        let signUp = SignUp()
        signUp.email.value = ""
        signUp.age.value = 18
        signUp.form.validate()
        signUp.observe()
        signUp.form.setEnabled(false, for: "email")
        signUp.form.setEnabled(true, for: signUp.email)
        signUp.form.setEnabled(false, for: signUp.email)
        signUp.form.add(Field<Bool>(), named: "terms")
        let invalid = ValidationState.invalid(["E-mail cannot be blank"])
        expect(signUp.seen.values, equals: [invalid, .valid, invalid, .valid, .unknown])
    }

    final class Address: Model {
        let street = Field<String>().require(.notBlank)
    }

    final class Person: Model {
        let home = ModelField<Address>().requireValid()
        let age = Field<Int>()

        func check(_ report: inout ModelReport) {
            report.require("is too old") { age.value ?? 0 < 150 }
        }
    }

    @Test func `what is set inside is asked again, and what a check has not seen is unknown`() {
        let person = Person()
        let address = Address()
        address.street.value = "High Street"
        person.home.value = address
        let form = Form().add(person)
        form.validate()
        let seen = Collector<ValidationState>()
        form.observeState { seen.add($0) }
        address.street.value = ""
        expect(seen.values, equals: [.valid, .invalid(["street cannot be blank"])])
        address.street.value = "Low Street"
        form.validate()
        person.age.value = 150
        form.validate()
        let blank = ValidationState.invalid(["street cannot be blank"])
        expect(
            seen.values,
            equals: [.valid, blank, .unknown, .valid, .unknown, .invalid(["is too old"])]
        )
    }

    @Test func `an observer has its owner, and is released with it`() {
        final class Screen: Sendable { let seen = Collector<ValidationState>() }
        let signUp = SignUp()
        var screen: Screen? = Screen()
        let seen = screen?.seen
        if let screen { signUp.form.observeState(screen) { $0.seen.add($1) } }
        signUp.form.apply([Issue(message: "is down")])
        screen = nil
        signUp.form.apply([])
        expect(seen?.values, equals: [.unknown, .invalid(["is down"])])
    }

    @Test func `an observer may validate the form`() {
        let signUp = SignUp()
        signUp.form.observeState { [unowned form = signUp.form, seen = signUp.seen] state in
            seen.add(state)
            if state == .unknown { form.validate() }
        }
        expect(signUp.seen.values, equals: [.unknown, .invalid(["E-mail cannot be blank"])])
        signUp.email.value = "a"
        expect(signUp.seen.values.last, equals: .valid)
    }

    @Test func `the states are a sequence, which ends with the form`() async {
        let email = Field<String>().require(.notBlank)
        var form: Form? = Form(["email": email])
        var states = form?.states.makeAsyncIterator()
        await expect(states?.next(isolation: #isolation), equals: .unknown)
        form?.validate()
        await expect(
            states?.next(isolation: #isolation),
            equals: .invalid(["email cannot be blank"])
        )
        email.value = ""
        email.value = "a"
        await expect(states?.next(isolation: #isolation), equals: .valid, "the newest")
        form = nil
        await expect(states?.next(isolation: #isolation), equals: nil)
    }

    @Test func `threads that set and validate report the last state last`() async {
        let signUp = SignUp()
        signUp.observe()
        await withTaskGroup { group in
            for task in 0..<3 {
                group.addTask { [email = signUp.email, age = signUp.age, form = signUp.form] in
                    for index in 0..<200 {
                        if task == 0 { email.value = index.isMultiple(of: 2) ? "" : "a" }
                        if task == 1 { age.value = index % 36 }
                        if task == 2 { form.validate() }
                    }
                }
            }
        }
        signUp.age.value = 18
        signUp.form.validate()
        await signUp.form.validity.settled()
        expect(signUp.seen.values.last, equals: .valid)
        expect(signUp.form.validity.value, equals: .valid)
    }

    @Test func `computed fields follow what a form shows`() {
        let name = Field<String>().require(.notBlank)
        let form = Form(["name": name])
        let summary = Computed { form.summary }
        let touched = Computed { form.touched }
        let shown = Computed { form.visibleIssues.count }
        expect(summary.value == "" && touched.value == [] && shown.value == 0)
        form.apply([ModelKitFields.Issue(message: "is down")])
        expect(summary.value == "is down" && shown.value == 1)
        form.validate()
        form.touch(name)
        expect(touched.value, equals: [["name"]])
        expect(shown.value == form.visibleIssues.count && shown.value == 2)
    }

    @Test func `a change of several steps is reported once, whatever others do`() async {
        let (first, second, third) = (Field<Int>(), Field<Int>(), Field<Int>())
        let form = Form(["first": first, "second": second, "third": third])
        let seen = Collector<ValidationState>()
        form.observeState { seen.add($0) }
        let isOver = Field<Bool>(value: false)
        await withTaskGroup { group in
            group.addTask {
                let names = ["first", "second", "third"]
                for _ in 0..<3_000 {
                    form.apply(names.map { Issue(path: [.key($0)], message: "is odd") })
                    form.discard()
                }
                isOver.value = true
            }
            for field in [first, third] {
                group.addTask { while isOver.value != true { form.touch(field) } }
            }
        }
        await form.validity.settled()
        let texts = ["first", "second", "third"].map { "\($0) is odd" }
        expect(Set(seen.values).isSubset(of: [.unknown, .valid, .invalid(texts)]))
    }

    @Test func `in a change of several steps the state is the one before`() {
        let signUp = SignUp()
        let form = signUp.form
        expect(form.validity.value, equals: .unknown)
        signUp.age.value = 18
        signUp.email.value = ""
        signUp.email.validate()
        let before = Collector<ValidationState?>()
        signUp.age.require { [unowned form] _ in
            before.add(form.validity.value)
            return true
        }
        signUp.email.validate()
        form.validate()
        expect(Set(before.values), equals: [.invalid(["E-mail cannot be blank"])])
    }
}
