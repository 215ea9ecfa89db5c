// The code blocks of the text on temporary form models, in its order, each with what the text says
// of it.
//
// Changed because Swift 3 became Swift 6, or to make a fragment compile:
// - the `switch` has its lost opening brace;
// - a value that is not used is assigned to `_`;
// - `Partial` and its `Validation` are the library's, so what the text lists of them is asserted
//   instead: `Validation.Result` is what the validation was made for, `Partial.Completeness` here, and
//   named of the validation with its outcome; the error carries its key path, and
//   `value(for:)` throws for an optional property too, which `partial.age` reads without;
// - what is printed is collected, so that it can be asserted.

import ModelKit
import TestSupport
import Testing

@Suite struct FormSeedTests {
    struct User {
        let firstName: String
        let lastName: String
    }

    @Test func `a partial has the values that it was updated with`() throws {
        var partial = Partial<User>()
        partial.update(\.firstName, to: "Ian")
        expect(partial.contains(\.firstName))
        expect(!partial.contains(\.lastName))
    }

    @Test func `the initialiser throws where a value is not there`() throws {
        var partial = Partial<User>()
        partial.update(\.firstName, to: "Ian")
        #expect(throws: Partial<User>.Error.valueNotFound(\.lastName)) { try User(from: partial) }
        partial.update(\.lastName, to: "Keen")
        let user = try User(from: partial)
        expect(user.firstName, equals: "Ian")
        expect(user.lastName, equals: "Keen")
    }

    private func printed(for partial: Partial<User>) -> [String?] {
        let output = Seen<String>()
        func print(_ text: String) { output.add(text) }

        let validator = Partial<User>.Validation(requiredKeyPaths: \User.firstName, \User.lastName)

        switch validator.validate(partial) {
        case .valid:
            print("Is valid!")
            do {
                _ = try User(from: partial)
            } catch {
                print("Totally unexpected problem")
            }

        case .incomplete(let missingKeyPaths):
            if missingKeyPaths.contains(\.firstName) { print("Missing first name") }
            if missingKeyPaths.contains(\.lastName) { print("Missing last name") }
        }
        return output.values
    }

    @Test func `a validator reports the missing key paths`() {
        var partial = Partial<User>()
        expect(printed(for: partial), equals: ["Missing first name", "Missing last name"])
        partial.update(\.firstName, to: "Ian")
        expect(printed(for: partial), equals: ["Missing last name"])
        partial.update(\.lastName, to: "Keen")
        expect(printed(for: partial), equals: ["Is valid!"])
    }

    @Test func `a validation is valid, or incomplete with key paths`() {
        typealias Result = Partial<User>.Completeness
        let validation: Partial<User>.Validation<Result> = .init(requiredKeyPaths: \.firstName)
        expect(validation.validate(Partial()), equals: Result.incomplete([\.firstName]))
        let result: Partial<User>.Validation<Result>.Result = validation.validate(Partial())
        expect(result, equals: .incomplete([\.firstName]))
    }

    struct Reader {
        let name: String
        let age: Int?
    }

    @Test func `updating to nil erases, and an optional property is read without its optional`() {
        var data = Partial<Reader>()
        data.update(\.name, to: "Ian")
        data.update(\.name, to: nil)
        #expect(throws: Partial<Reader>.Error.self) { try data.value(for: \.name) }
        data.update(\.age, to: 30)
        let age: Int? = data.age
        expect(age, equals: 30)
    }
}

extension FormSeedTests.User {
    init(from partial: Partial<FormSeedTests.User>) throws {
        self.firstName = try partial.value(for: \.firstName)
        self.lastName = try partial.value(for: \.lastName)
    }
}
