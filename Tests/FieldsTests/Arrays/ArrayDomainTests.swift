import ModelKitFields
import Testing

@Suite struct ArrayDomainTests {
    /// A field whose elements are always in order, and a log of its sets.
    private func sorted() -> (field: ArrayField<Int>, sets: Counter) {
        let inOrder = Rule<[Int]>("must be in order") { $0 == $0.sorted() }
        let field = ArrayField(Field<Int>(), value: [1, 2, 3])
        field.constrain(to: Domain(inOrder) { $0.sorted() })
        let sets = Counter()
        field.observe(when: .changes) { sets.increment() }
        return (field, sets)
    }

    @Test func `an edit that the domain of the array takes back is none`() {
        let (field, sets) = sorted()
        #expect(!field.move(from: 0, to: 2))
        #expect(!field.sort(by: >))
        #expect(field.value == [1, 2, 3])
        #expect(field.updatedAt == nil)
        #expect(sets.value == 0)
    }

    @Test func `an edit that the domain of the array lets be is one`() {
        let (field, sets) = sorted()
        #expect(field.insert(9, at: 0))
        #expect(field.remove(at: 1))
        #expect(field.replace(at: 0, with: 4))
        #expect(field.value == [3, 4, 9])
        #expect(sets.value == 3)
    }

    @Test func `elements of the initial value are taken as the inner field's domain takes them`() {
        let digits = ArrayField(Field<Int>().constrain(to: 0...9), value: [12, 5, -1])
        #expect(digits.value == [9, 5, 0])
        #expect(digits.updatedAt == nil)
        let colors = ArrayField(
            Field<String>().constrain(to: ["red", "blue"]),
            value: ["green", "blue", "red", "blue"],
            allowsDuplicates: false
        )
        #expect(colors.value == ["blue", "red"])
    }

    @Test func `a domain that the inner field is given later does not count`() throws {
        let inner = Field<Int>()
        for field in [ArrayField(inner), ArrayField(inner, allowsDuplicates: false)] {
            inner.constrain(to: 0...9)
            field.value = [50]
            #expect(field.append(60))
            #expect(field.value == [50, 60])
        }
    }

    @Test func `a copy has the domain that the array has, not one that the inner field got later`()
    {
        let inner = Field<Int>()
        let array = ArrayField(inner)
        inner.constrain(to: 0...9)
        array.append(60)
        let copy = array.copy()
        copy.append(70)
        #expect(copy.value == [60, 70])
    }
}
