// The code blocks of the text on the property wrapper, in its order, each with what the text says.
//
// Changed because the language did, or because they could not work:
// - `Validator`, `AnyValidator`, `ValidationError` and the wrapper are the library's, not written out;
// - the regular expression has no space at its end, which would refuse every address, and `A-Za-z`
//   in place of `A-za-z`, which takes brackets and more for letters;
// - observers stand in for publishers, which not every platform has.

import Foundation
import ModelKit
import TestSupport
import Testing

@Suite struct ValidatedSeedTests {
    static let email = "[A-Z0-9a-z._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,64}"

    // MARK: Validators

    struct LongValidator: Validator {
        var errorMessage: String
        func isValid(value: String?) -> Bool { (value ?? "").count > 8 }
    }

    @Test func `a validator that fails throws its message`() throws {
        let validator = LongValidator(errorMessage: "is too short")
        #expect(throws: ValidationError(message: "is too short")) {
            try validator.validate(value: "short")
        }
        expect(
            ValidationError(message: "is too short").localizedDescription,
            equals: "is too short"
        )
        try validator.validate(value: "long enough")
    }

    @Test func `a text is checked by a regular expression`() {
        let validator = RegexValidator(regex: Self.email, errorMessage: "Email has wrong format")
        expect(validator.isValid(value: "john@doe.com"))
        expect(!validator.isValid(value: nil))
        expect(!validator.isValid(value: "john@doe.com "), "as a whole")
        expect(!validator.isValid(value: "john"))
    }

    @Test func `validators of different types are in one list`() {
        let validators: [AnyValidator<String>] = [
            LongValidator(errorMessage: "is too short").validator,
            AnyValidator(validator: NotEmptyValidator(errorMessage: "is empty")),
        ]
        expect(validators.map { $0.isValid(value: "") }, equals: [false, false])
    }

    // MARK: The wrapper

    struct Registration {
        @Validated([
            NotEmptyValidator(errorMessage: "Email can't be empty").validator,
            RegexValidator(
                regex: ValidatedSeedTests.email,
                errorMessage: "Email has wrong format"
            ).validator,
        ])
        var email: String? = nil
    }

    @Test func `the errors of a property are there at any time`() {
        let form = Registration()
        expect(
            form.$email.errors.map(\.localizedDescription),
            equals: ["Email can't be empty", "Email has wrong format"]
        )
        form.email = "john@doe.com"
        expect(form.$email.errors.isEmpty)
    }

    @propertyWrapper final class Email: Validated<String> {
        override var wrappedValue: String? {
            get { super.wrappedValue }
            set { super.wrappedValue = newValue }
        }
        override var projectedValue: Validated<String> { super.projectedValue }

        init(wrappedValue value: String?) {
            let notEmptyValidator = NotEmptyValidator(errorMessage: "Email can't be empty")
            let regexValidator = RegexValidator(
                regex: ValidatedSeedTests.email,
                errorMessage: "Email has wrong format"
            ).validator
            super.init(wrappedValue: value, [notEmptyValidator, regexValidator])
        }
    }

    @Test func `a preset is a subclass`() {
        @Email var email: String? = nil
        expect($email.errors.count, equals: 2)
        email = "john"
        expect($email.errors.map(\.message), equals: ["Email has wrong format"])
    }

    // MARK: Reactive

    @Test func `errors are reported as the user types, and only while somebody listens`() {
        @Email var email: String? = nil
        let labels = Seen<String>()
        let observation = $email.observe { errors in
            labels.add(errors.map { $0.localizedDescription }.joined(separator: ", "))
        }
        email = "john"
        email = "john@doe.com"
        observation.cancel()
        email = ""
        expect(
            labels.values,
            equals: [
                "Email can't be empty, Email has wrong format", "Email has wrong format", "",
            ]
        )
    }
}
