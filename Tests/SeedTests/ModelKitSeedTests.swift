// The code blocks of the ModelKit text, in its order, each with what the text says of it.
//
// Changed because Swift 3 became Swift 6, or to make a fragment compile:
// - classes that hold fields are final, and a model is `final class Person: Model`;
// - `print("Age was changed to (value)")` has its lost backslash, and closures their lost braces;
// - an observer implements `valueChanged(_ observable:value:)`: the first label went with Swift 3;
// - store methods take `lookup(_ type:identifier:)` instead of `lookup(modelClass:identifier:)`,
//   likewise `create(_:)` for `create(model:)`;
// - what is printed is collected, so that it can be asserted.
//
// The parts of the text on remote stores and routers are in RemoteSeedTests.

import ModelKit
import TestSupport
import Testing

@Suite struct ModelKitSeedTests {
    // MARK: Basic usage

    final class Person {
        let age = Field<Int>()
    }

    @Test func `basic usage`() {
        let person = Person()
        person.age.value = 10
        expect(person.age.value, equals: 10)
        expect(person.age.updatedAt != nil)
    }

    @Test func `multivalued fields wrap a field for one value`() {
        let tags = ArrayField(Field<String>(), name: "Tags")
        expect(tags.name, equals: "Tags")
        expect(tags.value, equals: [])
    }

    @Test func `the postfix operator wraps a field, and the name is copied`() {
        let tags = Field<String>(name: "Tags")*
        expect(tags.name, equals: "Tags")
        expect(tags.inner.name, equals: "Tags")
    }

    @Test func `the inner field is responsible for validations`() {
        let tags = Field<String>().require { $0.count < 3 }*
        tags.value = ["ab", "abc"]
        expect(tags.validate(), equals: .invalid(["[1] is invalid"]))
    }

    // MARK: Validations

    @Test func `simple closure validations`() {
        let age = Field<Int>().require { $0 > 0 }
        age.value = 1
        expect(age.validate(), equals: .valid)
        age.value = 0
        expect(age.validate(), equals: .invalid(["is invalid"]))
    }

    @Test func `rules can be chained, and their order does not matter`() {
        let age = Field<Int>().require { $0 > 0 }.require { $0 % 2 == 0 }
        let other = Field<Int>().require { $0 % 2 == 0 }.require { $0 > 0 }
        for value in [-2, -1, 1, 2] {
            age.value = value
            other.value = value
            expect(age.validate(), equals: other.validate())
            expect((age.validate() == .valid), equals: (value == 2))
        }
    }

    @Test func `by default nil is valid, unless allowNil is false`() {
        expect(Field<Int>().require { $0 > 0 }.validate(), equals: .valid)
        expect(Field<Int>().require(allowNil: false) { $0 > 0 }.validate() != .valid)
    }

    @Test func `validation states are unknown, invalid with messages, or valid`() {
        let age = Field<Int>(value: -1).require("must be greater than 0") { $0 > 0 }
        expect(age.validationState, equals: .unknown)
        switch age.validate() {
        case .unknown, .valid: Issue.record("-1 is not greater than 0")
        case .invalid(let messages): expect(messages, equals: ["must be greater than 0"])
        }
        let required = Field<Int>().require(.required)
        expect(required.validate(), equals: .invalid(["is required"]))
    }

    // MARK: Timestamps

    @Test func `updatedAt is the last set, changedAt the last set of a new value`() throws {
        let field = Field<Int>()
        field.value = 1
        let changed = try #require(field.changedAt)
        field.value = 1
        let updated = try #require(field.updatedAt)
        expect(field.changedAt, equals: changed)
        expect(updated > changed)
    }

    // MARK: Observation

    final class Observer: ValueObserver {
        let seen = Seen<Int>()
        func valueChanged(_ observable: any ValueObservable<Int>, value: Int?) {
            seen.add(value)
        }
    }

    final class Owner: ObservationOwner {}

    @Test func `an observer is notified once when it is added, and then at every set`() {
        let field = Field<Int>(value: 1)
        let observer = Observer()
        field --> observer
        field.value = 2
        field.value = 2
        expect(observer.seen.values, equals: [1, 2, 2])
        let other = Observer()
        other <-- field
        expect(other.seen.values, equals: [2])
    }

    @Test func `an owner only identifies each closure`() {
        let field = Field<Int>(value: 1)
        let owner = Owner()
        let seen = Seen<Int>()
        field
            --> owner { value in
                seen.add(value)
            }
        field.value = 2
        field -/-> owner
        field.value = 3
        expect(seen.values, equals: [1, 2])
    }

    @Test func `a closure can be registered without an observer`() {
        let age = Field<Int>()
        let printed = Seen<String>()
        age --> { value in
            printed.add("Age was changed to \(value ?? 0)")
        }
        age.value = 30
        expect(printed.values, equals: ["Age was changed to 0", "Age was changed to 30"])
    }

    // MARK: Bindings

    @Test func `a field can be bound to another`() {
        let sourceField = Field<Int>(value: 1)
        let destinationField = Field<Int>()
        sourceField --> destinationField
        expect(destinationField.value, equals: 1)
        sourceField.value = 2
        expect(destinationField.value, equals: 2)
    }

    @Test func `both fields initially have the value of the second`() {
        let field1 = Field<Int>(value: 1)
        let field2 = Field<Int>(value: 2)
        field1 <--> field2
        expect(field1.value, equals: 2)
        expect(field2.value, equals: 2)
        field1.value = 3
        expect(field2.value, equals: 3)
    }

    @Test func `observers are unregistered one by one or all`() {
        let field = Field<Int>()
        let first = Observer(), second = Observer(), third = Observer()
        field --> first
        field --> second
        field --> third
        field -/-> first
        field.removeObserver(second)
        field.value = 1
        field.removeAllObservers()
        field.value = 2
        expect(first.seen.values, equals: [nil])
        expect(second.seen.values, equals: [nil])
        expect(third.seen.values, equals: [nil, 1])
    }

    // MARK: Models

    final class Company: Model {
        let id = Field<String>()
        let name = Field<String>()
    }

    final class Employee: Model {
        let id = Field<String>()
        let name = Field<String>()
        let tags = Field<String>()*
        let companies = ModelField<Company>()*
    }

    @Test func `a model converts to and from a dictionary of its fields`() throws {
        let employee = Employee()
        employee.name.value = "Bob"
        employee.tags.value = ["red", "blue", "green"]
        employee.companies.value = nil
        var dictionary = employee.dictionaryValue()
        expect(dictionary.removeValue(forKey: "companies"), equals: .null)
        expect(dictionary, equals: ["name": "Bob", "tags": ["red", "blue", "green"]])
        let copy = try Employee(dictionaryValue: dictionary)
        expect(copy.tags.value, equals: ["red", "blue", "green"])
    }

    @Test func `a field of models is a ModelField`() throws {
        let employee = try Employee(dictionaryValue: ["companies": [["name": "Acme"]]])
        expect(employee.companies.value?.first?.name.value, equals: "Acme")
    }

    // MARK: Stores

    @Test func `a store creates, updates, deletes, looks up and lists`() async throws {
        let store: any ModelStore = MemoryModelStore()
        let model = Employee()
        model.id.value = "1"
        let created: Promise<Employee> = store.create(model)
        try await expect(created.value === model)
        model.name.value = "Bob"
        let updated: Promise<Employee> = store.update(model)
        try await expect(updated.value === model)
        let found: Promise<Employee> = store.lookup(Employee.self, identifier: "1")
        try await expect(found.value === model)
        let listed: Promise<[Employee]> = store.list(Employee.self)
        try await expect(listed.value, equals: [model])
        let deleted: Promise<Employee> = store.delete(model)
        try await expect(deleted.value === model)
        try await expect(store.list(Employee.self).value.isEmpty)
    }

    @Test func `a store in memory looks up immediately`() async throws {
        let store = MemoryModelStore()
        let model = Employee()
        model.id.value = "1"
        _ = try await store.create(model).value
        try expect(store.lookupImmediately(Employee.self, identifier: "1") === model)
        try expect(store.lookupImmediately(Employee.self, identifier: "2"), equals: nil)
    }
}
