import ModelKitFields
import TestSupport
import Testing

@Suite struct EditingTests {
    @Test func `what bindings bring waits for the end, and the newest counts`() {
        let field = Field<String>(value: "a")
        let other = Field<String>(value: "a")
        field <--> other
        field.beginEditing()
        expect(field.isEditing)
        other.value = "b"
        other.value = "c"
        expect(field.value, equals: "a")
        let log = Log<String?>()
        field.observe(when: .everySet) { log.add($0) }
        field.endEditing()
        expect(!field.isEditing)
        expect(field.value, equals: "c")
        expect(field.updatedAt, equals: other.updatedAt)
        expect(log.entries, equals: ["a", "c"])
    }

    @Test func `own sets go on, and what is older than they is dropped`() {
        let field = Field<String>(value: "a")
        let other = Field<String>(value: "a")
        field <--> other
        field.beginEditing()
        other.value = "b"
        field.value = "x"
        expect(field.value, equals: "x")
        expect(other.value, equals: "x")
        field.endEditing()
        expect(field.value, equals: "x")
        expect(other.value, equals: "x")
    }

    @Test func `the last of several ends it, and an end too many does nothing`() {
        let field = Field<Int>(value: 1)
        let source = Field<Int>(value: 1)
        source --> field
        let erased: AnyField = field
        erased.beginEditing()
        field.beginEditing()
        source.value = 2
        erased.endEditing()
        expect(field.value, equals: 1)
        field.endEditing()
        expect(field.value, equals: 2)
        field.endEditing()
        field.beginEditing()
        source.value = 3
        expect(field.value, equals: 2)
        field.endEditing()
        expect(field.value, equals: 3)
    }

    @Test func `it goes through the domain at the end, and on to bound fields`() {
        let source = Field<String>(value: "1")
        let field = Field<Int>().constrain(to: 0...10)
        let last = Field<Int>()
        source.bind(
            to: field,
            forward: { $0.flatMap { Int($0) } },
            backward: { $0.map { "\($0)" } }
        )
        field --> last
        field.beginEditing()
        source.value = "99"
        expect(last.value, equals: 1)
        field.endEditing()
        expect(field.value, equals: 10)
        expect(last.value, equals: 10)
        expect(source.value, equals: "10")
    }

    @Test func `a touch that is pending is reported at the end`() {
        let (source, field) = (Field<CountedBox>(value: CountedBox()), Field<CountedBox>())
        source --> field
        let count = Computed { field.value?.count.value }
        expect(count.value, equals: 0)
        field.beginEditing()
        source.value?.count.increment()
        source.touch()
        source.value = source.value
        field.endEditing()
        expect(count.value, equals: 1)
    }

    @Test func `a pair that is made while one side is edited begins with the right one's value`() {
        let (left, right) = (Field<Int>(), Field<Int>(value: 7))
        left.value = 3
        left.beginEditing()
        left <--> right
        expect(left.value, equals: 3)
        expect(right.value, equals: 7)
        left.endEditing()
        expect([left, right].map(\.value), equals: [7, 7])
    }
}
