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
}
