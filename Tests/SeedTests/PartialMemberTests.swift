// The members of the partials that the text led to: the last version of its author, the follow-up on
// validation, and the library that grew from it. One test for each that the other files have none of.

import ModelKit
import TestSupport
import Testing

@Suite struct PartialMemberTests {
    struct Pet: Equatable, PartialInitializable {
        let name: String
        let age: Int
    }

    struct User: Equatable, PartialInitializable {
        let name: String
        let age: Int?
        var pet: Pet?
    }

    // MARK: Partial

    @Test func `a property of a property is read through its value, and is none of its own`() throws
    {
        struct Owner { let pet: Pet }
        var partial = Partial<Owner>()
        partial.update(\.pet, to: Pet(name: "Rex", age: 3))
        try expect(partial.value(for: \.pet, \.name), equals: "Rex")
        #expect(throws: Partial<Owner>.Error.valueNotFound(\.pet.name)) {
            try partial.value(for: \.pet.name)
        }
    }

    @Test func `removeValue erases, where nil of an optional property is a value`() throws {
        var partial = Partial<User>()
        partial.setValue("Ian", for: \.name)
        partial.setValue(nil, for: \.age)
        try expect(partial.value(for: \.age), equals: nil)
        partial.removeValue(for: \.age)
        partial.removeValue(for: \.name)
        #expect(throws: Partial<User>.Error.keyPathNotSet(\.age)) { try partial.value(for: \.age) }
        #expect(throws: Partial<User>.Error.keyPathNotSet(\.name)) {
            try partial.value(for: \.name)
        }
    }

    @Test func `what is made of a partial is made by its initialiser`() throws {
        var partial = Partial<User>()
        #expect(throws: Partial<User>.Error.keyPathNotSet(\.name)) { try User(from: partial) }
        partial.name = "Ian"
        try expect(User(from: partial), equals: User(name: "Ian", age: nil))
        try expect(partial.unwrapped(), equals: User(name: "Ian", age: nil))
    }

    @Test func `a partial of a property is set as its value, by an unwrapper`() throws {
        var pet = Partial<Pet>()
        pet.name = "Rex"
        var user = Partial<User>()
        try user.setValue(pet, for: \.pet) { Pet(name: try $0.value(for: \.name), age: 1) }
        expect(user.pet, equals: Pet(name: "Rex", age: 1))
        #expect(throws: Partial<Pet>.Error.keyPathNotSet(\.age)) {
            try user.setValue(pet, for: \.pet)
        }
        expect(user.pet, equals: Pet(name: "Rex", age: 1))
    }

    // MARK: The follow-up on validation

    private typealias Validation = Partial<User>.Validation<Partial<User>.Verdict>

    @Test func `a list of strategies leads to the model, or to all reasons in their order`() {
        let strategies: [Validation.Strategy] = [
            .required(\.name),
            .valueValidation(keyPath: \.name) { !$0.isEmpty },
            .required(\.age),
            .valueValidation(keyPath: \.age) { $0 >= 18 },
        ]
        let validation = Validation(strategies)
        func result(_ name: String?, _ age: Int?) -> Validation.Result {
            var partial = Partial<User>()
            partial.update(\.name, to: name)
            partial.update(\.age, to: age)
            return validation.validate(partial)
        }
        switch result("Ian", 18) {
        case .valid(let user): expect(user, equals: User(name: "Ian", age: 18))
        case .invalid(let reasons): Testing.Issue.record("\(reasons)")
        }
        switch result("", 17) {
        case .valid(let user): Testing.Issue.record("\(user)")
        case .invalid(let reasons):
            expect(reasons, equals: [.invalidValue(\.name), .invalidValue(\.age)])
        }
        expect(result(nil, nil), equals: .invalid([.missing(\.name), .missing(\.age)]))
        expect(result("Ian", 17).reasons, equals: [.invalidValue(\.age)])
        expect(result("Ian", 18).value?.age, equals: 18)
    }

    @Test func `strategies are given one after the other, too`() {
        let validation = Partial<User>.Validation(
            .required(\.name),
            .valueValidation(keyPath: \.age) { $0 >= 18 }
        )
        var partial = Partial<User>()
        partial.name = "Ian"
        expect(validation.validate(partial), equals: .valid(User(name: "Ian", age: nil)))
    }
}

extension PartialMemberTests.Pet {
    init(from partial: Partial<PartialMemberTests.Pet>) throws {
        name = try partial.value(for: \.name)
        age = try partial.value(for: \.age)
    }
}

extension PartialMemberTests.User {
    init(from partial: Partial<PartialMemberTests.User>) throws {
        name = try partial.value(for: \.name)
        age = partial.age
        pet = partial.pet
    }
}
