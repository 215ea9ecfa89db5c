import Foundation
import ModelKitFields
import TestSupport
import Testing

@Suite struct FieldTests {
    @Test func `a new field knows nothing, and a set loads it`() {
        let field = Field<Int>()
        expect(field.value, equals: nil)
        expect(field.loadState, equals: .notLoaded)
        expect(field.updatedAt, equals: nil)
        expect(field.changedAt, equals: nil)
        field.value = nil
        expect(field.loadState, equals: .loaded)
        expect(field.updatedAt != nil)
        expect(field.changedAt, equals: nil)
    }

    @Test func `a default value is there but not loaded`() {
        let field = Field<Int>(value: 7, name: "Age", priority: 2, key: "years")
        expect(field.value, equals: 7)
        expect(field.loadState, equals: .notLoaded)
        expect(field.updatedAt, equals: nil)
        expect(field.name, equals: "Age")
        expect(field.priority, equals: 2)
        expect(field.key, equals: "years")
    }

    @Test func `of two sets the later one has the later time, also to the same value`() throws {
        let first = Field<Int>()
        let second = Field<Int>()
        first.value = 1
        second.value = 1
        first.value = 1
        let updates = try #require(first.updatedAt), other = try #require(second.updatedAt)
        expect(updates > other)
        let change = try #require(first.changedAt), otherChange = try #require(second.changedAt)
        expect(change < otherChange)
    }

    @Test func `times come from the clock of the task and increase within a tick`() throws {
        let start = Date(timeIntervalSince1970: 1_000_000)
        let field = Field<Int>()
        let other = Field<Int>()
        FieldClock.withCurrent(FieldClock { start }) {
            field.value = 1
            other.value = 1
        }
        expect(field.updatedAt, equals: start)
        let later = try #require(other.updatedAt)
        expect(later > start)
        expect(later.timeIntervalSince(start) < 0.001)
        field.value = 2
        let now = try #require(field.updatedAt)
        expect(now > Date(timeIntervalSinceNow: -60))
    }

    @Test func `a set moves the times also by a clock that is behind`() {
        let field = Field<Int>(value: 0)
        field.value = 1
        let past = Date(timeIntervalSince1970: 1_000_000)
        FieldClock.withCurrent(FieldClock { past }) { field.value = 2 }
        expect(field.updatedAt, equals: past)
        expect(field.changedAt, equals: past)
    }

    @Test func `rules are joined by AND and reported in their order`() {
        let field = Field<Int>()
            .require("must be greater than 0") { $0 > 0 }
            .require("must be even") { $0 % 2 == 0 }
        expect(field.validationState, equals: .unknown)
        expect(field.validate(), equals: .valid, "nil passes")
        field.value = -3
        expect(field.validationState, equals: .unknown, "a set forgets the validation")
        expect(field.validate(), equals: .invalid(["must be greater than 0", "must be even"]))
        expect(field.validationState, equals: .invalid(["must be greater than 0", "must be even"]))
        expect(field.issues.map(\.message), equals: ["must be greater than 0", "must be even"])
        field.value = 10
        expect(field.validate(), equals: .valid)
        expect(field.issues.isEmpty)
    }

    @Test func `nil is refused where it is not allowed`() {
        let field = Field<Int>().require(allowNil: false) { $0 > 0 }
        expect(field.validate(), equals: .invalid(["is required"]))
        field.value = -1
        expect(field.validate(), equals: .invalid(["is invalid"]))
    }

    @Test func `an observer finds the state unknown and may validate`() {
        let field = Field<Int>().require { $0 > 0 }
        let log = Log<ValidationState>()
        field.value = 1
        field.validate()
        field.observe(when: .changes) {
            log.add(field.validationState)
            log.add(field.validate())
        }
        field.value = 2
        expect(log.entries, equals: [.unknown, .valid])
        expect(field.validationState, equals: .valid)
    }

    @Test func `a rule may set the field it checks`() {
        let field = Field<Int>(value: -1)
        field.require("was negative") { value in
            if value < 0 { field.value = 0 }
            return value >= 0
        }
        expect(field.validate(), equals: .invalid(["was negative"]))
        expect(field.validationState, equals: .unknown, "the verdict is about another value")
        expect(field.validate(), equals: .valid)
        field.removeAllObservers()
    }

    @Test func `a rule that comes while the others are asked undoes their verdict`() {
        let field = Field<Int>(value: 1)
        let isFirst = Counter()
        field.require { [unowned field] _ in
            isFirst.increment()
            if isFirst.value == 1 { field.require("must be even") { $0 % 2 == 0 } }
            return true
        }
        expect(field.validate(), equals: .valid)
        expect(field.validationState, equals: .unknown, "the verdict is of fewer rules")
        expect(field.validate(), equals: .invalid(["must be even"]))
        expect(field.validationState, equals: .invalid(["must be even"]))
    }

    @Test func `the elements that are validated are those of the array that is`() {
        let field = Field<Int>().require("must be positive") { $0 > 0 }*
        field.value = [1, 2]
        field.require { [unowned field] _ in
            field.value = [-1]
            return true
        }
        expect(field.validate(), equals: .valid)
        expect(field.validationState, equals: .unknown)
    }

    @Test func `a field describes itself`() {
        expect(Field<Int>(value: 3, name: "Age").description, equals: "Age: 3")
        expect(Field<String>().description, equals: "nil")
        expect(Field<String>(value: "a", key: "b").description, equals: "b: \"a\"")
    }

    @Test func `a field can be used through its erased base`() {
        let fields: [AnyField] = [Field<Int>(value: 1, name: "one"), Field<String>()]
        expect(fields.map(\.name), equals: ["one", nil])
        expect(fields.allSatisfy { $0.validate() == .valid })
    }
}

@Suite struct ArrayFieldTests {
    @Test func `it starts empty and is edited in place`() {
        let tags = ArrayField(Field<String>(name: "Tags", key: "labels"))
        expect(tags.value, equals: [])
        expect(tags.name, equals: "Tags")
        expect(tags.key, equals: "labels")
        expect(tags.append("b"))
        expect(tags.insert("a", at: 0))
        expect(!tags.insert("x", at: 5))
        expect(tags.value, equals: ["a", "b"])
        expect(tags.contains("b"))
        expect(tags[1], equals: "b")
        expect(tags[2], equals: nil)
        expect(tags.removeFirst("b"))
        expect(!tags.removeFirst("b"))
        expect(!tags.remove(at: 7))
        expect(tags.remove(at: 0))
        expect(tags.value, equals: [])
    }

    @Test func `appending to nil makes an array`() {
        let tags = Field<String>()*
        tags.value = nil
        expect(tags.append("a"))
        expect(tags.value, equals: ["a"])
    }

    @Test func `observers see every edit once, with the right old value`() {
        let numbers = Field<Int>()*
        let log = Log<[[Int]?]>()
        numbers.observe(when: .everySet) { old, new in log.add([old, new]) }
        numbers.append(1)
        numbers.append(2)
        numbers.remove(at: 9)
        numbers.value = [5]
        numbers.removeAll()
        numbers.removeAll()
        expect(
            log.entries,
            equals: [[nil, []], [[], [1]], [[1], [1, 2]], [[1, 2], [5]], [[5], []]]
        )
    }

    @Test func `the inner field's rules run for each element and name its index`() {
        let numbers = Field<Int>().require("must be positive") { $0 > 0 }*
        numbers.require("must not be empty") { !$0.isEmpty }
        expect(numbers.validate(), equals: .invalid(["must not be empty"]))
        numbers.value = [1, -2, 3, -4]
        expect(
            numbers.validate(),
            equals: .invalid(["[1] must be positive", "[3] must be positive"])
        )
        expect(numbers.issues.map(\.path), equals: [[1], [3]])
    }

    @Test func `appending 20 000 elements without an observer is not quadratic`() {
        let numbers = Field<Int>()*
        for number in 0..<20_000 { numbers.append(number) }
        expect(numbers.count, equals: 20_000)
    }
}
