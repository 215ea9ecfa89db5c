import ModelKitFields
import TestSupport
import Testing

@Suite struct CopyTests {
    @Test func `a copy has the value, the times and the declaration`() {
        let field = Field<Double>(value: 1, name: "Width", priority: 3, key: "w")
            .require("must be even") { $0 == 2 }
            .constrain(to: 0...10)
            .equality { abs($0 - $1) < 0.5 }
        field.value = 7
        field.loadState = .incomplete
        let copy = field.copy()
        expect(copy !== field)
        expect(copy.value, equals: 7)
        expect(copy.updatedAt, equals: field.updatedAt)
        expect(copy.changedAt, equals: field.changedAt)
        expect(copy.loadState, equals: .incomplete)
        expect(copy.name, equals: "Width")
        expect(copy.key, equals: "w")
        expect(copy.priority, equals: 3)
        expect(copy.validate(), equals: .invalid(["must be even"]))
        copy.value = 99
        expect(copy.value, equals: 10)
        let change = copy.changedAt
        copy.value = 9.9
        expect(copy.changedAt, equals: change)
        expect(field.value, equals: 7)
    }

    @Test func `it has no observers, no bindings and no verdict`() {
        let field = Field<Int>(value: 1).require { $0 > 1 }
        let other = Field<Int>()
        let count = Counter()
        field.observe(when: .changes) { count.increment() }
        field --> other
        field.validate()
        let copy = field.copy()
        expect(copy.observerCount, equals: 0)
        expect(copy.validationState, equals: .unknown)
        copy.value = 5
        expect(count.value, equals: 0)
        expect(other.value, equals: 1)
        copy.require { $0 > 100 }
        expect(field.rules.count, equals: 1)
    }

    @Test func `a copy of a field that was never set was never set`() {
        let copy = Field<Int>(value: 4).copy()
        expect(copy.value, equals: 4)
        expect(copy.updatedAt, equals: nil)
        expect(copy.loadState, equals: .notLoaded)
    }

    @Test func `it is of the same kind, also through the erased base`() {
        let tags = Field<Int>(name: "Tags").require("must be positive") { $0 > 0 }*
        tags.value = [1, -1]
        let copy = tags.copy()
        expect(copy.append(2))
        expect(copy.value, equals: [1, -1, 2])
        expect(tags.value, equals: [1, -1])
        expect(copy.name, equals: "Tags")
        expect(copy.issues.isEmpty)
        expect(copy.validate(), equals: .invalid(["[1] must be positive"]))
        expect((tags as AnyField).copy() is ArrayField<Int>)
    }
}
