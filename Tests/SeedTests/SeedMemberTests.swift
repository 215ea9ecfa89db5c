// Members of the types that the texts list, and of the libraries that they are about: code that was
// written against those compiles, and says the same.

import ModelKit
import TestSupport
import Testing

@Suite struct SeedMemberTests {
    private struct Address: PartialInitializable, Equatable, Sendable {
        var street: String

        init(from partial: Partial<Address>) throws {
            street = try partial.value(for: \.street)
        }
    }

    private struct User: Sendable {
        var firstName: String
        var lastName: String
        var address: Address?
    }

    // MARK: The property wrapper

    private func message<Check: Validator>(of check: Check, for value: Check.ValueType?) -> String?
    {
        do {
            try check.validate(value: value)
            return nil
        } catch {
            expect(!check.isValid(value: value))
            return error.message
        }
    }

    @Test func `a validator of any type has its message and is a validator`() {
        let validator = NotEmptyValidator(errorMessage: "Email can't be empty").validator
        expect(validator.errorMessage, equals: "Email can't be empty")
        expect(message(of: validator, for: nil), equals: "Email can't be empty")
        expect(message(of: validator, for: "john"), equals: nil)
        expect(message(of: Rule<Int>.min(3), for: 2), equals: "must be greater than or equal to 3")
        let wrapped = AnyValidator(validator: validator)
        expect(wrapped.errorMessage, equals: "Email can't be empty")
        expect(!wrapped.isValid(value: ""))
        let validators: [any Validator<String>] = [
            wrapped, NotEmptyValidator(errorMessage: "is empty"),
        ]
        expect(validators.map(\.errorMessage), equals: ["Email can't be empty", "is empty"])
    }

    // MARK: Forms

    @Test func `a validation knows the required key paths`() {
        let validation = Partial<User>.Validation(
            requiredKeyPaths: \.firstName,
            \.lastName,
            \.firstName
        )
        let paths: Set<PartialKeyPath<User>> = validation.requiredKeyPaths
        expect(paths, equals: [\.firstName, \.lastName])
        let checks = Partial<Address>.Validation(
            .value(\.street, "street", .required && .minLength(2)),
            .valueValidation(keyPath: \.street) { $0 != "-" }
        )
        expect(checks.requiredKeyPaths, equals: [\Address.street])
        let lax = Partial<Address>.Validation(.value(\.street, "street", .minLength(2)))
        expect(lax.requiredKeyPaths.isEmpty)
    }

    @Test func `an error is caught by either name`() throws {
        let partial = Partial<User>()
        do {
            _ = try partial.value(for: \.lastName)
            Testing.Issue.record("it has no value")
        } catch Partial<User>.Error.keyPathNotSet(let keyPath) {
            expect(keyPath, equals: \User.lastName)
        }
        func fail(_ error: any Error) throws { throw error }
        let errors: [any Error] = [
            Partial<User>.Error.valueNotFound(\.lastName), CancellationError(),
        ]
        for error in errors {
            do {
                try fail(error)
            } catch Partial<Address>.Error.valueNotFound {
                Testing.Issue.record("it is of another type")
            } catch Partial<User>.Error.valueNotFound {
                expect(error is Partial<User>.Error)
            } catch {
                expect(error is CancellationError)
            }
        }
    }

    @Test func `a partial of an optional property is set as its value`() throws {
        var user = Partial<User>()
        var address = Partial<Address>()
        #expect(throws: Partial<Address>.Error.keyPathNotSet(\.street)) {
            try user.setValue(address, for: \.address)
        }
        expect(!user.contains(\.address))
        address.street = "High Street"
        try user.setValue(address, for: \.address)
        expect(user.address?.street, equals: "High Street")
        try user.setValue(address, for: \.address) { partial in
            var partial = partial
            partial.street = "Low Street"
            return try partial.unwrapped()
        }
        expect(user.address?.street, equals: "Low Street")
    }

    // MARK: Fields

    @Test func `a rule is added with its parts by name`() {
        let age = Field<Int>(value: 3)
            .require(message: "must be even", allowNil: false, test: { $0 % 2 == 0 })
            .require(message: "must be small") { $0 < 3 }
            .require(test: { $0 != 3 })
            .require(allowNil: true) { $0 > 0 }
            .require { $0 > 0 }
        expect(age.validate(), equals: .invalid(["must be even", "must be small", "is invalid"]))
        age.value = nil
        expect(age.validate(), equals: .invalid(["is required"]))
    }
}
