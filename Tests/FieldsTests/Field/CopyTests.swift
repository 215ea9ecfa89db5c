import ModelKitFields
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
        #expect(copy !== field)
        #expect(copy.value == 7)
        #expect(copy.updatedAt == field.updatedAt)
        #expect(copy.changedAt == field.changedAt)
        #expect(copy.loadState == .incomplete)
        #expect(copy.name == "Width")
        #expect(copy.key == "w")
        #expect(copy.priority == 3)
        #expect(copy.validate() == .invalid(["must be even"]))
        copy.value = 99
        #expect(copy.value == 10)
        let change = copy.changedAt
        copy.value = 9.9
        #expect(copy.changedAt == change)
        #expect(field.value == 7)
    }

    @Test func `it has no observers, no bindings and no verdict`() {
        let field = Field<Int>(value: 1).require { $0 > 1 }
        let other = Field<Int>()
        let count = Counter()
        field.observe(when: .changes) { count.increment() }
        field --> other
        field.validate()
        let copy = field.copy()
        #expect(copy.observerCount == 0)
        #expect(copy.validationState == .unknown)
        copy.value = 5
        #expect(count.value == 0)
        #expect(other.value == 1)
        copy.require { $0 > 100 }
        #expect(field.rules.count == 1)
    }

    @Test func `a copy of a field that was never set was never set`() {
        let copy = Field<Int>(value: 4).copy()
        #expect(copy.value == 4)
        #expect(copy.updatedAt == nil)
        #expect(copy.loadState == .notLoaded)
    }

    @Test func `it is of the same kind, also through the erased base`() {
        let tags = Field<Int>(name: "Tags").require("must be positive") { $0 > 0 }*
        tags.value = [1, -1]
        let copy = tags.copy()
        #expect(copy.append(2))
        #expect(copy.value == [1, -1, 2])
        #expect(tags.value == [1, -1])
        #expect(copy.name == "Tags")
        #expect(copy.issues.isEmpty)
        #expect(copy.validate() == .invalid(["[1] must be positive"]))
        #expect((tags as AnyField).copy() is ArrayField<Int>)
    }
}
